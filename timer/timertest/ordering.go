package timertest

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// ordering is the family of checks of the order in which functions begin that are called one
// after the other.
type ordering struct{ *trial }

func (ordering) checks() []check {
	needs := []need{serial(), ordered()}
	return []check{
		{"functions of equal time begin in order of arming", of(ordering.equalTimes), needs},
		{
			"functions of equal time armed at different times begin in order of arming",
			of(ordering.equalTimesLater), needs,
		},
		{"functions begin in order of time", of(ordering.byTime), needs},
		{"Reset puts a function behind those of equal time", of(ordering.resetGoesBehind), needs},
	}
}

// parade records the order in which functions begin.
type parade struct {
	c     *trial
	mu    sync.Mutex
	begun []place
}

// place is where a function belongs in the order.
type place struct {
	due time.Duration
	seq int
	now bool // armed without a delay
}

func (a place) before(b place) bool {
	return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.seq, b.seq)) < 0
}

// arm arms a function that joins the parade as number seq. It must not be reset to no delay.
func (r *parade) arm(s timer.Scheduler, d time.Duration, seq int) *probe {
	return r.c.armThen(s, d, func(p *probe) {
		p.mu.Lock()
		due := p.due
		p.mu.Unlock()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.begun = append(r.begun, place{due, seq, d <= 0})
	})
}

// inOrder demands that n functions have begun, in order of time and then of their numbers.
// Functions without a delay may have overtaken others that were not yet late.
func (r *parade) inOrder(n int, what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.begun) != n {
		r.c.errorf("%s: %d functions have begun, want %d", what, len(r.begun), n)
	}
	last, lastNow := place{due: -1}, place{due: -1}
	for _, p := range r.begun {
		overtaken := !p.now && lastNow.due-p.due <= r.c.Lateness && r.c.Lateness > 0
		if p.before(last) || p.before(lastNow) && !overtaken {
			r.c.errorf("%s: number %d, due at %v, has begun after others that were due until %v",
				what, p.seq, p.due, max(last.due, lastNow.due))
		}
		if p.now {
			lastNow = p
		} else {
			last = p
		}
	}
}

func (c ordering) equalTimes() {
	for _, d := range []time.Duration{0, 1, c.tick(), c.tick() + 1, c.turn(), 9*c.turn() + 1, day} {
		c.bubble(func() {
			s, order := c.make(c.serial()), &parade{c: c.trial}
			time.Sleep(c.tick() / 3)
			for i := range 300 {
				order.arm(s, d, i)
			}
			c.pass(d)
			order.inOrder(300, "of equal time")
		})
	}
}

// equalTimesLater approaches one time with ever shorter delays, so that a facility with several
// levels holds some on each.
func (c ordering) equalTimesLater() {
	c.bubble(func() {
		s, order := c.make(c.serial()), &parade{c: c.trial}
		end, n := 30*day+c.tick()/2, 0
		for c.now() < end {
			for range 3 {
				order.arm(s, end-c.now(), n)
				n++
			}
			time.Sleep(max((end-c.now())/3, 1))
		}
		c.pass(0)
		order.inOrder(n, "of equal time, armed at different times")
	})
}

func (c ordering) byTime() {
	c.bubble(func() {
		s, order := c.make(c.serial()), &parade{c: c.trial}
		random := rand.New(rand.NewPCG(3, 3))
		var delays []time.Duration
		for i := range 1500 {
			delays = append(delays, 1+magnitude(random, 10*day), 1+time.Duration(i)*c.tick()/7)
		}
		random.Shuffle(len(delays), func(i, j int) {
			delays[i], delays[j] = delays[j], delays[i]
		})
		for i, d := range delays {
			order.arm(s, d, i)
		}
		c.pass(slices.Max(delays))
		order.inOrder(len(delays), "of all sizes")
	})
}

func (c ordering) resetGoesBehind() {
	c.bubble(func() {
		s, order := c.make(c.serial()), &parade{c: c.trial}
		var moved []*probe
		for i := range 20 {
			moved = append(moved, order.arm(s, time.Duration(i+1)*time.Minute, 100+i))
		}
		for i := range 20 {
			order.arm(s, time.Hour, i)
		}
		for _, p := range moved {
			c.answers("Reset to a time others have", p.reset(time.Hour), true)
		}
		c.pass(time.Hour)
		order.inOrder(40, "of equal time, half of them by Reset")
	})
}
