package a

import "time"

type node struct {
	next  *node
	timer *time.Timer
}

// Another one is armed.
func (n *node) expire() {
	work()
	n.timer = time.AfterFunc(time.Second, n.next.expire)
}

func (n *node) again() {
	work()
	t := time.AfterFunc(time.Second, n.again) // want `ad-hoc ticker: a panic in it ends the process; its period drifts`
	n.timer = t
}

func (n *node) forgotten() {
	work()
	_ = time.AfterFunc(time.Second, n.forgotten) // want `nothing stops it`
}

func two() (time.Duration, func()) { return 0, nil }

func both() { time.AfterFunc(two()) }
