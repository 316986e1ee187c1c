package history

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/punctual-go/punctual/delayqueue"
)

// queueWorkload is what the clients of one queue share.
type queueWorkload struct {
	*recorder
	queue *delayqueue.Queue[int]

	mu    sync.Mutex
	items []*delayqueue.Item[int] // by id; nil while it is being put in, and if it was refused
}

// recordQueue has some clients use a new queue, which some of them close, then empties it.
func recordQueue(seed uint64) History {
	const clients, operations = 4, 10
	w := &queueWorkload{recorder: newRecorder(), queue: delayqueue.New[int]()}
	defer w.queue.Close()
	all := w.clients(clients, seed)
	closes := -1 // which operation of the first client
	if seed%3 == 0 {
		closes = all[0].rng.IntN(operations)
	}
	w.run(all, operations, func(c *client, i int) {
		if c.id == 0 && i == closes {
			do(c, QueueInput{Op: QueueClose},
				func() QueueOutput { w.queue.Close(); return QueueOutput{} })
			return
		}
		w.step(c)
	})
	w.drainAll(all[0], closes >= 0)
	return History{Kind: DelayQueue, Seed: seed, Faults: w.faults, Notes: notesOf(all)}
}

func (w *queueWorkload) step(c *client) {
	switch k := c.rng.IntN(21); {
	case k < 7:
		w.put(c)
	case k < 10:
		w.poll(c)
	case k < 14:
		w.take(c, w.contextFor(c.rng.IntN(30)))
	case k < 15:
		in := QueueInput{Op: QueueDrain, Most: c.rng.IntN(4)}
		do(c, in, func() QueueOutput { return QueueOutput{IDs: w.queue.Drain(in.Most)} })
	case k < 16:
		w.peek(c)
	case k < 18:
		if id, item := w.someItem(c); item != nil {
			do(c, QueueInput{Op: QueueRemove, ID: id},
				func() QueueOutput { return QueueOutput{OK: item.Remove()} })
		}
	case k < 19:
		if id, item := w.someItem(c); item != nil {
			in := QueueInput{Op: QueueReset, ID: id, Delay: delayOf(c)}
			do(c, in, func() QueueOutput { return QueueOutput{OK: item.Reset(in.Delay)} })
		}
	case k < 20:
		do(c, QueueInput{Op: QueueLen}, func() QueueOutput { return QueueOutput{N: w.queue.Len()} })
	default:
		do(c, QueueInput{Op: QueueAll}, func() (out QueueOutput) {
			for _, id := range w.queue.All() {
				out.IDs = append(out.IDs, id)
			}
			return out
		})
	}
}

// someItem returns an item that has been put in, by whomever, or nil.
func (w *queueWorkload) someItem(c *client) (id int, item *delayqueue.Item[int]) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.items) == 0 {
		return 0, nil
	}
	id = c.rng.IntN(len(w.items))
	return id, w.items[id]
}

func (w *queueWorkload) put(c *client) {
	w.mu.Lock()
	w.items = append(w.items, nil)
	in := QueueInput{Op: QueuePut, ID: len(w.items) - 1}
	w.mu.Unlock()
	if c.rng.IntN(3) > 0 {
		in.Delay = delayOf(c)
	} else {
		in.Op, in.At = QueuePutAt, w.soon(c)
	}
	var item *delayqueue.Item[int]
	do(c, in, func() QueueOutput {
		var err error
		if in.Op == QueuePut {
			item, err = w.queue.Put(in.ID, in.Delay)
		} else {
			item, err = w.queue.PutAt(in.ID, w.start.Add(in.At))
		}
		return w.answer(in.ID, err)
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.items[in.ID] = item
}

func (w *queueWorkload) take(c *client, ctx context.Context) {
	do(c, QueueInput{Op: QueueTake}, func() QueueOutput {
		out := w.answer(w.queue.Take(ctx))
		if out.OK {
			return out
		}
		return QueueOutput{Closed: out.Closed}
	})
}

// answer is that of a Take, or a Put.
func (w *queueWorkload) answer(id int, err error) QueueOutput {
	switch {
	case err == nil:
		return QueueOutput{OK: true, IDs: []int{id}}
	case err == delayqueue.ErrClosed:
		return QueueOutput{Closed: true}
	case !errors.Is(err, context.Canceled):
		w.fault("unexpected error: %v", err)
	}
	return QueueOutput{}
}

func (w *queueWorkload) poll(c *client) {
	do(c, QueueInput{Op: QueuePoll}, func() QueueOutput {
		if id, ok := w.queue.Poll(); ok {
			return QueueOutput{OK: true, IDs: []int{id}}
		}
		return QueueOutput{}
	})
}

func (w *queueWorkload) peek(c *client) QueueOutput {
	return do(c, QueueInput{Op: QueuePeek}, func() QueueOutput {
		if id, at, ok := w.queue.Peek(); ok {
			return QueueOutput{OK: true, IDs: []int{id}, At: at.Sub(w.start)}
		}
		return QueueOutput{}
	})
}

// drainAll takes all that is left, when it is due.
func (w *queueWorkload) drainAll(c *client, closed bool) {
	for {
		head := w.peek(c)
		switch {
		case !head.OK:
			return
		case !closed:
			w.take(c, context.Background())
		default:
			for w.now() < head.At {
				runtime.Gosched()
			}
			if w.poll(c); !slices.Equal(lastIDs(c), head.IDs) {
				w.fault("the queue was not emptied")
				return
			}
		}
	}
}

func lastIDs(c *client) []int { return c.notes[len(c.notes)-1].Output.(QueueOutput).IDs }

// delayOf is often none, so that many elements are due, and seldom long.
func delayOf(c *client) time.Duration {
	return time.Duration(max(0, c.rng.IntN(60)-30)) * time.Microsecond
}
