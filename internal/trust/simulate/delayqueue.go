package simulate

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/delayqueue"
)

// post is a world with a delay queue: a driver that puts, resets and removes, and takers that stay, that come for a
// while, and that are busy between two elements. A taker in Take is free; to be busy is to be elsewhere.
type post struct {
	*world
	queue   *delayqueue.Queue[*parcel]
	parcels []*parcel
	room    []parcel // to make them of

	cancels []context.CancelFunc // the driver's, for takers without a time-out
	in      int                  // parcels in the queue
}

func playDelayQueue(t *testing.T, seed uint64, ops int) Report {
	return play(t, seed, ops, func(w *world) {
		p := &post{world: w, queue: delayqueue.New[*parcel](), room: make([]parcel, ops)}
		p.drive()
	})
}

func (p *post) drive() {
	for i := range 1 + p.rng.IntN(3) {
		go p.stay(rand.New(rand.NewPCG(p.seed, uint64(i)+1)))
	}
	for p.more() {
		// The sleep ends at an instant at which other things may happen, before or after.
		time.Sleep(p.steps(5))
		n := 1 + p.rng.IntN(6)
		for range n {
			p.act()
		}
		p.did(int64(n))
		if p.oneIn(4) {
			p.rest()
		}
	}
	for _, cancel := range p.cancels {
		cancel()
	}
	time.Sleep(time.Minute)
	p.rest()
	p.queue.Close()
	p.audit()
}

// stay is a permanent taker: after each take it is busy for a while.
func (p *post) stay(rng *rand.Rand) {
	for p.take(context.Background()) {
		if busy := max(0, rng.IntN(16)-8); busy > 0 {
			time.Sleep(time.Duration(busy) * grid)
		}
	}
}

// visit is a taker that takes once, if anything, and leaves for good.
func (p *post) visit(ctx context.Context, cancel context.CancelFunc) {
	p.take(ctx)
	cancel()
}

func (p *post) take(ctx context.Context) bool {
	p.mu.Lock()
	p.pass()
	p.size++
	p.mu.Unlock()
	k, err := p.queue.Take(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.pass()
	p.size--
	p.report.Ops++
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			end, _ := ctx.Deadline()
			p.punctual(end.Sub(p.start), now)
		}
		return false
	}
	p.taken(k, now)
	return true
}

// punctual judges a taker whose time was over at the given time.
func (p *post) punctual(end, now time.Duration) {
	switch {
	case now < end:
		p.fault(&p.report.Early, "a taker with a time-out at %v gave up", end)
	case end < p.quiet:
		p.fault(&p.report.Late, "a taker with a time-out at %v gave up", end)
	}
}

// act is one step of the driver.
func (p *post) act() {
	switch k := p.rng.IntN(22); {
	case k < 9:
		p.put()
	case k < 13:
		ctx, cancel := context.WithTimeout(context.Background(), p.steps(16))
		go p.visit(ctx, cancel)
	case k < 15:
		ctx, cancel := context.WithCancel(context.Background())
		p.cancels = append(p.cancels, cancel)
		go p.visit(ctx, cancel)
	case k < 16:
		if n := len(p.cancels); n > 0 {
			p.cancels[n-1]()
			p.cancels = p.cancels[:n-1]
		}
	case k < 17:
		p.drain()
	case len(p.parcels) == 0:
	case k < 19:
		p.remove(latest(p.world, p.parcels))
	default:
		p.reset(latest(p.world, p.parcels))
	}
}

// rest waits until nothing can run. Then nobody may be parked beside a due head.
func (p *post) rest() {
	synctest.Wait()
	k, at, ok := p.queue.Peek()
	n := p.queue.Len()
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.pass()
	if p.asleep > 0 {
		return
	}
	if n != p.in {
		p.fault(&p.report.Lost, "there are %d parcels, which should be %d", n, p.in)
	}
	if ok && p.size > 0 && at.Sub(p.start) <= now {
		p.fault(&p.report.Late, "at rest, %d takers sleep beside parcel %d, due since %v", p.size, k.seq, k.due)
	}
}

// audit closes the books.
func (p *post) audit() {
	synctest.Wait()
	for at, k := range p.queue.All() {
		p.mu.Lock()
		if k.gone || k.due < p.free || p.exact() && at.Sub(p.start) != k.due && k.due != never {
			p.fault(&p.report.Lost, "parcel %d, due at %v, is there at the end, for %v", k.seq, k.due, at.Sub(p.start))
		}
		k.gone = true
		p.mu.Unlock()
	}
	time.Sleep(time.Second) // for takers that are held up
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pass()
	if p.size > 0 {
		p.fault(&p.report.Stuck, "%d takers outlive Close", p.size)
	}
	for _, k := range p.parcels {
		if !k.gone {
			p.fault(&p.report.Lost, "parcel %d, due at %v, was never delivered", k.seq, k.due)
		}
	}
}
