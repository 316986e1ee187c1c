package main

import (
	"sync/atomic"
	"time"
)

// moment is the schedule, for cron libraries, of one time.
type moment struct {
	at    time.Time
	asked *atomic.Bool
}

func once(at time.Time) moment { return moment{at, new(atomic.Bool)} }

// Next returns that time while it is to come, and then the zero time, which means never. If the
// time has passed before the first question, the answer is as soon as can be.
func (m moment) Next(t time.Time) time.Time {
	first := m.asked.CompareAndSwap(false, true)
	switch {
	case t.Before(m.at):
		return m.at
	case first:
		return t.Add(1)
	}
	return time.Time{}
}
