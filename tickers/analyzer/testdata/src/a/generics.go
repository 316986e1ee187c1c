package a

import "time"

type cache[K comparable] struct {
	every time.Duration
	quit  chan bool
	keys  map[K]bool
}

func (c *cache[K]) start() { go c.loop() }

func (c *cache[K]) loop() {
	for { // want `ad-hoc ticker: a panic in it ends the process; its period drifts`
		select {
		case <-c.quit:
			return
		case <-time.After(c.every):
			clear(c.keys)
		}
	}
}

func each[T any]() {
	for range time.Tick(time.Second) { // want `ad-hoc ticker`
		work()
	}
}

func pair[K, V any]() {
	for range time.Tick(time.Second) { // want `ad-hoc ticker`
		work()
	}
}

func instances() {
	go each[int]()
	go pair[int, string]()
}
