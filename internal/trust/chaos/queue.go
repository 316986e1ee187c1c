package chaos

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/delayqueue"
)

// queueChaos is chaos on a delay queue: elements are put, reset and removed while takers come and
// go.
type queueChaos struct {
	*round
	queue *delayqueue.Queue[*element]

	elements []*element // the round's lock guards it
}

// element is what is in the queue, and what has become of it.
type element struct {
	notBefore atomic.Int64 // not before this time on the round's clock; resets move it
	item      *delayqueue.Item[*element]
	taken     atomic.Int64
	removed   atomic.Int64 // removals that were told that it was they
	reset     atomic.Bool  // it has been reset: its time is known roughly only
}

var processStart = time.Now()

func queueRound(r *round) {
	q := &queueChaos{round: r, queue: delayqueue.New[*element]()}
	done := make(chan struct{})
	var permanent sync.WaitGroup
	for range r.rng.IntN(3) {
		permanent.Go(func() {
			for {
				e, err := q.queue.Take(context.Background())
				if err != nil {
					return
				}
				q.taken(e)
			}
		})
	}
	go func() { permanent.Wait(); close(done) }()
	r.run(80, q.step, func(rng *rand.Rand) {
		if rng.IntN(2) == 0 {
			q.queue.Close()
		}
	})
	q.queue.Close()
	<-done
	q.audit()
}

func (q *queueChaos) step(rng *rand.Rand) {
	switch rng.IntN(10) {
	case 0, 1, 2, 3:
		q.put(micros(rng, 1000) - 200*time.Microsecond)
	case 4:
		if e := q.some(rng); e != nil && e.item.Remove() {
			e.removed.Add(1)
		}
	case 5:
		if e := q.some(rng); e != nil {
			e.reset.Store(true)
			e.item.Reset(micros(rng, 1000))
		}
	case 6:
		if e, ok := q.queue.Poll(); ok {
			q.taken(e)
		}
	case 7:
		if rng.IntN(16) == 0 { // more than a drain takes at once
			for range 80 {
				q.put(0)
			}
			for _, e := range q.queue.Drain(200) {
				q.taken(e)
			}
			return
		}
		for _, e := range q.queue.Drain(rng.IntN(4)) {
			q.taken(e)
		}
	case 8:
		_, _, _ = q.queue.Peek()
		_ = q.queue.Len()
	case 9:
		ctx, cancel := impatient(rng)
		defer cancel()
		if e, err := q.queue.Take(ctx); err == nil {
			q.taken(e)
		}
	}
}

func (q *queueChaos) put(delay time.Duration) {
	e := new(element)
	e.notBefore.Store(int64(time.Since(processStart) + delay))
	q.mu.Lock() // for the item to be known to all
	defer q.mu.Unlock()
	item, err := q.queue.Put(e, delay)
	if err != nil {
		return
	}
	e.item = item
	q.elements = append(q.elements, e)
}

func (q *queueChaos) some(rng *rand.Rand) *element {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.elements) == 0 {
		return nil
	}
	return q.elements[rng.IntN(len(q.elements))]
}

func (q *queueChaos) taken(e *element) {
	now := int64(time.Since(processStart))
	q.ops.Add(1)
	if n := e.taken.Add(1); n > 1 {
		q.fault(&q.duplicate, "an element was taken %d times", n)
	}
	if now < e.notBefore.Load() && !e.reset.Load() {
		q.fault(&q.early, "an element was taken %v early", time.Duration(e.notBefore.Load()-now))
	}
}

func (q *queueChaos) audit() {
	left := map[*element]bool{}
	for _, e := range q.queue.All() {
		q.demand(!left[e], "an element is in the queue twice")
		left[e] = true
	}
	q.demand(len(left) == q.queue.Len(), "%d elements, of which %d are there", q.queue.Len(),
		len(left))
	for _, e := range q.elements {
		ends := e.taken.Load() + e.removed.Load()
		if left[e] {
			ends++
		}
		switch {
		case ends == 0:
			q.fault(&q.lost, "an element was neither taken nor removed, and is not there")
		case ends > 1:
			q.fault(&q.duplicate, "an element has %d ends", ends)
		}
	}
}
