package executor

import (
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/sight"
)

// Lateness says how late a run began, or expired, and what it had waited for since it was due.
// Total is the sum of Clock, Previous, Held, Busy, Queue, Slack and Wake. In a testing/synctest
// bubble each of them is exact; otherwise they are as exact as the clock, but what a part of Wake
// was spent on is an estimate.
//
// The time from which it counts is the one for which the run was planned before [CatchUp] may have
// moved that, so that a stall is seen. [Jitter] is not late.
type Lateness struct {
	Total time.Duration

	Clock    time.Duration // the wall clock was set, or the machine slept
	Previous time.Duration // its own previous run went on, or its [Serial] was not free yet
	Held     time.Duration // the pool was paused, or its [Pace] allowed no start
	Busy     time.Duration // no worker was free
	Queue    time.Duration // workers took what was due earlier
	Slack    time.Duration // a worker waited to share a wake-up, see [Slack]
	Wake     time.Duration // a worker was free, but woken late, or held up by the Go scheduler

	// Collector is the part of Wake for which the garbage collector had stopped the world: an
	// estimate, without the work that it does beside the program. It is 0 for less than 1 ms of
	// Wake.
	Collector time.Duration

	// Holders are up to three runs that held the workers meanwhile, the longest first, and for how
	// long they had been running, or ran in all. Of their Run, Name, Number and Started are set.
	Holders []Running

	// Partial tells that some runs have been forgotten that may have held the workers: a pool
	// remembers 64. Their time is in Wake.
	Partial bool

	// Expired tells that the run has not begun, see [BeginWithin]: it has waited in vain until
	// then.
	Expired bool
}

// String describes the reasons in a line, such as
//
//	workers 398ms (import-1 9.2s, import-2 3.1s), wake 11ms, gc 3ms
func (l Lateness) String() string {
	inner := l.inner()
	return inner.Why()
}

func (l Lateness) inner() sight.Lateness {
	inner := sight.Lateness{Total: l.Total, Clock: l.Clock, Previous: l.Previous, Held: l.Held,
		Busy: l.Busy, Queue: l.Queue, Slack: l.Slack, Wake: l.Wake, Collector: l.Collector,
		Partial: l.Partial, Expired: l.Expired}
	for _, h := range l.Holders {
		inner.Holders = append(inner.Holders, sight.Holder{Info: run.Info(h.Run), For: h.For})
	}
	return inner
}

func latenessOf(inner sight.Lateness) Lateness {
	l := Lateness{Total: inner.Total, Clock: inner.Clock, Previous: inner.Previous,
		Held: inner.Held, Busy: inner.Busy, Queue: inner.Queue, Slack: inner.Slack,
		Wake: inner.Wake, Collector: inner.Collector, Partial: inner.Partial,
		Expired: inner.Expired}
	for _, h := range inner.Holders {
		l.Holders = append(l.Holders, Running{Run: Run(h.Info), For: h.For})
	}
	return l
}

// ExplainLate has runs explained that begin later than d. Each is told to the observers that have
// Late, and logged as a warning, such as
//
//	executor: late 412ms poll#17: workers 398ms (import-1 9.2s, import-2 3.1s), wake 14ms, gc 3ms
//
// A run that has expired, see [BeginWithin], is explained as well, however short it has waited. It
// is told after [Observer.Expired], and logged with "expired after 5s" in place of "late 5s".
//
// Not all are logged, but of those of one name the first, second, fourth, eighth and so on, and one
// a minute, with how many there have been, as "episode", and how many since the last record, as
// "suppressed". The count begins anew once a minute has passed without any.
//
// At most a hundred runs are explained at once, and a hundred a second after that; the others are
// counted, see [Measurements]. ExplainLate implies [Measure], and costs what that does; an
// explanation takes a microsecond, or up to five when many tasks have overlapped the wait.
// ExplainLate panics if d is negative.
func ExplainLate(d time.Duration) CommonOption {
	if d < 0 {
		panic("executor: negative lateness")
	}
	return forLoops(func(s *run.Settings) {
		measured(s)
		sight.ConfigOf(s).Explain = &d
	})
}

// OnLate has f called when a run begins later than d, on a goroutine of its own, at most once per
// interval: the moment to have a trace.FlightRecorder write down what has just happened. Likewise
// when a run expires, see [BeginWithin], that has waited for longer than d. It implies [Measure],
// and logs nothing; see [ExplainLate]. If f panics or calls runtime.Goexit, that is reported like
// the panic of a hook. A run that begins late while f is at it, or within the interval, is passed
// over. OnLate panics if f is nil, or d negative.
func OnLate(d, interval time.Duration, f func(Run, Lateness)) CommonOption {
	if f == nil {
		panic("executor: nil function")
	}
	if d < 0 {
		panic("executor: negative lateness")
	}
	return forLoops(func(s *run.Settings) {
		measured(s)
		c := sight.ConfigOf(s)
		if c.Snap == nil || d < *c.Snap {
			c.Snap = &d
		}
		snapper := newSnapper(interval, f)
		c.Snaps = append(c.Snaps, func(r run.Info, l sight.Lateness, guard func(func())) {
			if l.Total > d {
				snapper.late(Run(r), latenessOf(l), guard)
			}
		})
	})
}
