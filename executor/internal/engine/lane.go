package engine

import (
	"time"

	"github.com/punctual-go/punctual/internal/series"
)

// LaneOption configures a lane before its first task.
type LaneOption func(*Lane)

// Paced has a lane keep a pace.
func Paced(n int, per time.Duration) LaneOption {
	return func(l *Lane) { l.pace = NewPace(n, per) }
}

// Spaced keeps a lane idle for so long between two tasks.
func Spaced(gap time.Duration) LaneOption { return func(l *Lane) { l.gap = int64(gap) } }

// InitLane makes a lane of the pool.
func (p *Pool) InitLane(l *Lane, opts []LaneOption) {
	for _, configure := range opts {
		configure(l)
	}
	l.submitted, l.executed = p.newPlan(series.Options{}), p.newPlan(series.Options{})
	l.executed.Reports = true
	l.submitted.shared, l.executed.shared = true, true
	l.submitted.strand, l.executed.strand = &l.strand, &l.strand
}

// Lanes are lanes by keys, each of which is there only while it has tasks, or is held up.
type Lanes[K comparable] struct {
	Pool    *Pool
	Options []LaneOption

	open shrinkingMap[K, *Lane] // guarded by the pool's lock
}

// Len returns the number of keys that have tasks waiting or running.
func (ls *Lanes[K]) Len() (n int) {
	ls.Pool.look(func() { n = len(ls.open.entries) })
	return n
}

// Enter returns the lane of key and counts the caller as a user, so that the lane is kept until
// Leave. Otherwise the last task could end, and the lane be forgotten, before the submission queues
// its own: two lanes of one key would run side by side.
func (ls *Lanes[K]) Enter(key K) *Lane {
	return ls.Pool.Door.reserve(func() *Lane {
		l := ls.open.entries[key]
		if l == nil {
			l = new(Lane)
			ls.Pool.InitLane(l, ls.Options)
			if key == key { // false for NaN, which never equals itself and so is always a new key
				l.forget = func() { ls.open.remove(key) }
				ls.open.put(key, l)
			}
		}
		return l
	})
}

// Leave ends what Enter has begun.
func (ls *Lanes[K]) Leave(l *Lane) { ls.Pool.Door.release(l) }
