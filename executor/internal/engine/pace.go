package engine

import (
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// Pace knows the starts of the last span: a ring that grows as they need it, to n at most. The
// pool's lock guards it. A nil pace holds nothing up.
type Pace struct {
	n     int
	per   int64
	ring  []int64
	first int // index of the oldest start
	held  int // how many starts there are
}

// NewPace returns a pace of at most n starts in any span of that length.
func NewPace(n int, per time.Duration) *Pace { return &Pace{n: n, per: int64(per)} }

// next returns when one more task may start; 0 means at any time.
func (p *Pace) next() int64 {
	if p == nil || p.held < p.n {
		return 0
	}
	return p.expires()
}

// nextAfter is next if so many others start at now, which are no more than the pace has left.
func (p *Pace) nextAfter(others int, now int64) int64 {
	switch {
	case p == nil || p.held+others < p.n:
		return 0
	case others < p.n:
		return clock.Later(p.ring[(p.first+p.held+others-p.n)%len(p.ring)], time.Duration(p.per))
	}
	return clock.Later(now, time.Duration(p.per))
}

// left returns how many tasks may start at now.
func (p *Pace) left(now int64) int {
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
func (p *Pace) expires() int64 { return clock.Later(p.ring[p.first], time.Duration(p.per)) }

// note records a start, which next has allowed.
func (p *Pace) note(now int64) {
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

func (p *Pace) grow() {
	ring := make([]int64, min(max(8, 2*len(p.ring)), p.n))
	copied := copy(ring, p.ring[p.first:])
	copy(ring[copied:], p.ring[:p.first])
	p.ring, p.first = ring, 0
}
