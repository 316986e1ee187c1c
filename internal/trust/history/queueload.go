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

// queueLoad is what the clients of one queue share.
type queueLoad struct {
	*recorder
	queue *delayqueue.Queue[int]

	mu    sync.Mutex
	items []*delayqueue.Item[int] // by id; nil while it is being put in, and if it was refused
}

// recordQueue has some clients use a new queue, which some of them close, then empties it.
func recordQueue(seed uint64) History {
	const clients, operations = 4, 10
	l := &queueLoad{recorder: newRecorder(), queue: delayqueue.New[int]()}
	defer l.queue.Close()
	all := l.clients(clients, seed)
	closes := -1 // which operation of the first client
	if seed%3 == 0 {
		closes = all[0].rng.IntN(operations)
	}
	l.run(all, operations, func(c *client, i int) {
		if c.id == 0 && i == closes {
			do(c, QueueInput{Op: QueueClose}, func() QueueOutput { l.queue.Close(); return QueueOutput{} })
			return
		}
		l.act(c)
	})
	l.empty(all[0], closes >= 0)
	return History{Kind: DelayQueue, Seed: seed, Faults: l.faults, Notes: notesOf(all)}
}

func (l *queueLoad) act(c *client) {
	switch k := c.rng.IntN(21); {
	case k < 7:
		l.put(c)
	case k < 10:
		l.poll(c)
	case k < 14:
		l.take(c, l.patience(c.rng.IntN(30)))
	case k < 15:
		in := QueueInput{Op: QueueDrain, Most: c.rng.IntN(4)}
		do(c, in, func() QueueOutput { return QueueOutput{IDs: l.queue.Drain(in.Most)} })
	case k < 16:
		l.peek(c)
	case k < 18:
		if id, item := l.some(c); item != nil {
			do(c, QueueInput{Op: QueueRemove, ID: id}, func() QueueOutput { return QueueOutput{OK: item.Remove()} })
		}
	case k < 19:
		if id, item := l.some(c); item != nil {
			in := QueueInput{Op: QueueReset, ID: id, Delay: delayOf(c)}
			do(c, in, func() QueueOutput { return QueueOutput{OK: item.Reset(in.Delay)} })
		}
	case k < 20:
		do(c, QueueInput{Op: QueueLen}, func() QueueOutput { return QueueOutput{N: l.queue.Len()} })
	default:
		do(c, QueueInput{Op: QueueAll}, func() (out QueueOutput) {
			for _, id := range l.queue.All() {
				out.IDs = append(out.IDs, id)
			}
			return out
		})
	}
}

// some returns an item that has been put in, by whomever, or nil.
func (l *queueLoad) some(c *client) (id int, item *delayqueue.Item[int]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.items) == 0 {
		return 0, nil
	}
	id = c.rng.IntN(len(l.items))
	return id, l.items[id]
}

func (l *queueLoad) put(c *client) {
	l.mu.Lock()
	l.items = append(l.items, nil)
	in := QueueInput{Op: QueuePut, ID: len(l.items) - 1}
	l.mu.Unlock()
	if c.rng.IntN(3) > 0 {
		in.Delay = delayOf(c)
	} else {
		in.Op, in.At = QueuePutAt, l.soon(c)
	}
	var item *delayqueue.Item[int]
	do(c, in, func() QueueOutput {
		var err error
		if in.Op == QueuePut {
			item, err = l.queue.Put(in.ID, in.Delay)
		} else {
			item, err = l.queue.PutAt(in.ID, l.start.Add(in.At))
		}
		return l.answer(in.ID, err)
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items[in.ID] = item
}

func (l *queueLoad) take(c *client, ctx context.Context) {
	do(c, QueueInput{Op: QueueTake}, func() QueueOutput {
		out := l.answer(l.queue.Take(ctx))
		if out.OK {
			return out
		}
		return QueueOutput{Closed: out.Closed}
	})
}

// answer is that of a Take, or a Put.
func (l *queueLoad) answer(id int, err error) QueueOutput {
	switch {
	case err == nil:
		return QueueOutput{OK: true, IDs: []int{id}}
	case err == delayqueue.ErrClosed:
		return QueueOutput{Closed: true}
	case !errors.Is(err, context.Canceled):
		l.fault("unexpected error: %v", err)
	}
	return QueueOutput{}
}

func (l *queueLoad) poll(c *client) {
	do(c, QueueInput{Op: QueuePoll}, func() QueueOutput {
		if id, ok := l.queue.Poll(); ok {
			return QueueOutput{OK: true, IDs: []int{id}}
		}
		return QueueOutput{}
	})
}

func (l *queueLoad) peek(c *client) QueueOutput {
	return do(c, QueueInput{Op: QueuePeek}, func() QueueOutput {
		if id, at, ok := l.queue.Peek(); ok {
			return QueueOutput{OK: true, IDs: []int{id}, At: at.Sub(l.start)}
		}
		return QueueOutput{}
	})
}

// empty takes all that is left, when it is due.
func (l *queueLoad) empty(c *client, closed bool) {
	for {
		head := l.peek(c)
		switch {
		case !head.OK:
			return
		case !closed:
			l.take(c, context.Background())
		default:
			for l.now() < head.At {
				runtime.Gosched()
			}
			if l.poll(c); !slices.Equal(lastIDs(c), head.IDs) {
				l.fault("the queue was not emptied")
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
