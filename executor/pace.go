package executor

import "time"

// Pace bounds how often tasks start: at most n in any span of the length per, wherever that begins.
// Given to a pool it is for all its tasks; given to [NewSerial] or [NewKeyedSerial], for those of
// the serial executor, or of each key. What may not start yet waits in the queue, in its order, and
// holds no worker. Attempts of [Retry] count. A task that a run in progress waits for, or that its
// submitter runs, see [CallerRuns], is not held up, but counts. Pace panics unless n and per are
// positive. It takes 8·n bytes.
//
// Some rate limiters let n tasks start at once after a rest and others right behind them, twice as
// many in a span; this one does not.
func Pace(n int, per time.Duration) PaceOption {
	if n < 1 || per <= 0 {
		panic("executor: a pace needs a positive number and a positive time")
	}
	return paceOption{n, per}
}

// PaceOption is the option that [Pace] returns, for pools and serial executors.
type PaceOption interface {
	Option
	SerialOption
}

// SerialOption configures a [Serial] or a [KeyedSerial].
type SerialOption interface{ configureStrand(*strand) }

// Gap keeps a serial executor, or each key, idle for d between the end of a task and the start of
// the next. It panics if d is negative.
func Gap(d time.Duration) SerialOption {
	if d < 0 {
		panic("executor: negative gap")
	}
	return gapOption(d)
}

type paceOption struct {
	n   int
	per time.Duration
}

func (o paceOption) configure(s *settings)     { s.pace = newPace(o.n, o.per) }
func (o paceOption) configureStrand(s *strand) { s.pace = newPace(o.n, o.per) }

type gapOption time.Duration

func (o gapOption) configureStrand(s *strand) { s.gap = int64(o) }

// pace knows the times of the last few starts. The pool's lock guards it. A nil pace holds nothing
// up.
type pace struct {
	per    int64
	starts []int64 // a ring
	oldest int
}

func newPace(n int, per time.Duration) *pace {
	return &pace{per: int64(per), starts: make([]int64, 0, n)}
}

// next returns when one more task may start; 0 means at any time.
func (p *pace) next() int64 {
	if p == nil || len(p.starts) < cap(p.starts) {
		return 0
	}
	return p.starts[p.oldest] + p.per
}

// note records a start.
func (p *pace) note(now int64) {
	switch {
	case p == nil:
	case len(p.starts) < cap(p.starts):
		p.starts = append(p.starts, now)
	default:
		p.starts[p.oldest] = now
		p.oldest = (p.oldest + 1) % len(p.starts)
	}
}
