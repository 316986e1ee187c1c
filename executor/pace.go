package executor

import (
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// Pace bounds how often tasks start: at most n in any span of the length per, wherever that begins.
// Given to a pool it is for all its tasks; given to [NewSerial] or [NewKeyedSerial], for those of
// the serial executor, or of each key. What may not start yet waits in the queue, in its order, and
// holds no worker. Attempts of [Retry] count, and wait for their turn. So does a task that a run in
// progress waits for. A submitter that is to run its task itself, see [CallerRuns], waits until it
// may. A shutdown that keeps what is due, such as [Pool.Close], keeps what only waits for the pace:
// it takes as long as that. Pace panics unless n and per are positive; a span that ends after the
// end of the clock, 292 years, never ends. It takes up to 16 bytes for each start in a span.
//
// Some rate limiters let n tasks start at once after a rest and others right behind them, twice as
// many in a span; this one does not.
func Pace(n int, per time.Duration) interface {
	Option
	SerialOption
} {
	if n < 1 || per <= 0 {
		panic("executor: a pace needs a positive number and a positive time")
	}
	return paceOption{n, per}
}

// SerialOption configures a [Serial] or a [KeyedSerial].
type SerialOption interface{ configureStrand(*strand) }

// Gap keeps a serial executor, or each key, idle for d between the end of a task and the start of
// the next. Between two attempts of one task, see [Retry], it keeps nothing up; the gap follows the
// last of them, also if the task is cancelled after it. What waits for the gap to pass is in time:
// [Pool.Close] waits for it, and a run that waits for such a task goes on only after it. Gap panics
// if d is negative; a gap that ends after the end of the clock, 292 years, never ends.
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

// pace knows the starts of the last span: a ring that grows as they need it, to n at most. The
// pool's lock guards it. A nil pace holds nothing up.
type pace struct {
	n     int
	per   int64
	ring  []int64
	first int // index of the oldest start
	held  int // how many starts there are
}

func newPace(n int, per time.Duration) *pace { return &pace{n: n, per: int64(per)} }

// next returns when one more task may start; 0 means at any time.
func (p *pace) next() int64 {
	if p == nil || p.held < p.n {
		return 0
	}
	return p.expires()
}

// nextAfter is next if so many others start at now, which are no more than the pace has left.
func (p *pace) nextAfter(others int, now int64) int64 {
	switch {
	case p == nil || p.held+others < p.n:
		return 0
	case others < p.n:
		return clock.Later(p.ring[(p.first+p.held+others-p.n)%len(p.ring)], time.Duration(p.per))
	}
	return clock.Later(now, time.Duration(p.per))
}

// left returns how many tasks may start at now.
func (p *pace) left(now int64) int {
	n := p.n - p.held
	for i := range p.held {
		if clock.Later(p.ring[(p.first+i)%len(p.ring)], time.Duration(p.per)) > now {
			break
		}
		n++
	}
	return n
}

// expires returns when the oldest start counts no more.
func (p *pace) expires() int64 { return clock.Later(p.ring[p.first], time.Duration(p.per)) }

// note records a start, which next has allowed.
func (p *pace) note(now int64) {
	if p == nil {
		return
	}
	for p.held > 0 && (p.expires() <= now || p.held == p.n) {
		p.first = (p.first + 1) % len(p.ring)
		p.held--
	}
	if p.held == len(p.ring) {
		p.grow()
	}
	p.ring[(p.first+p.held)%len(p.ring)] = now
	p.held++
}

func (p *pace) grow() {
	ring := make([]int64, min(max(8, 2*len(p.ring)), p.n))
	copied := copy(ring, p.ring[p.first:])
	copy(ring[copied:], p.ring[:p.first])
	p.ring, p.first = ring, 0
}
