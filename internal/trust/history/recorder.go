package history

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// recorder is what all clients of one object share.
type recorder struct {
	start time.Time
	stamp atomic.Int64 // orders calls, returns and events
	group sync.WaitGroup

	mu     sync.Mutex
	faults []string
}

func newRecorder() *recorder { return &recorder{start: time.Now()} }

func (r *recorder) now() time.Duration { return time.Since(r.start) }

// fault notes what cannot be right in any order.
func (r *recorder) fault(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

// client performs operations one after another, and notes them.
type client struct {
	id     int
	seed   uint64
	source rand.PCG
	rng    *rand.Rand
	rec    *recorder
	notes  []Note
}

// reseed makes the choices of operation i depend on nothing but that and the seed: how many choices
// were made before may depend on what others did.
func (c *client) reseed(i int) { c.source.Seed(c.seed, uint64(c.id)<<32|uint64(i)) }

// clients returns n of them, whose choices depend on the seed.
func (r *recorder) clients(n int, seed uint64) []*client {
	all := make([]*client, n)
	for i := range all {
		all[i] = &client{id: i, seed: seed, rec: r}
		all[i].rng = rand.New(&all[i].source)
		all[i].reseed(0)
	}
	return all
}

// run has all of them do so many operations at the same time, and returns when all are done.
func (r *recorder) run(all []*client, operations int, act func(c *client, i int)) {
	var group sync.WaitGroup
	for _, c := range all {
		group.Go(func() {
			for i := range operations {
				c.reseed(i + 1)
				act(c, i)
			}
		})
	}
	group.Wait()
	r.group.Wait()
}

// contextFor returns a context that ends after a while.
func (r *recorder) contextFor(yields int) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	r.group.Go(func() {
		yield(yields)
		cancel()
	})
	return ctx
}

// notesOf returns all that was noted.
func notesOf(all []*client) (notes []Note) {
	for _, c := range all {
		notes = append(notes, c.notes...)
	}
	return notes
}

// do performs an operation and notes it. The clock is read between the stamps, so an instant at
// which the operation may have happened by the one may have been that by the other.
func do[I, O any](c *client, in I, call func() O) O {
	n := Note{Client: c.id, Input: in, Call: c.rec.stamp.Add(1)}
	n.From = c.rec.now()
	out := call()
	n.To = c.rec.now()
	n.Return = c.rec.stamp.Add(1)
	n.Output = out
	c.notes = append(c.notes, n)
	return out
}

// soon is a moment that others are likely to choose, too: the delays of two clients never end at
// the same time.
func (r *recorder) soon(c *client) time.Duration {
	const grid = 20 * time.Microsecond
	return r.now().Truncate(grid) + time.Duration(1+c.rng.IntN(2))*grid
}

func yield(times int) {
	for range times {
		runtime.Gosched()
	}
}
