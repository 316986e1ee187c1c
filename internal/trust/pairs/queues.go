package pairs

import (
	"context"
	"iter"
	"slices"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
)

// queues are the queues of a plain pool, and policies what becomes of a task that finds no room.
var (
	queues = []*definition{
		queued("FIFO", "queue.FIFO", markQueued, func(u *use) queue.Queue { return queue.FIFO() }),
		queued("BoundedFIFO", "queue.Bounded", markQueued, func(u *use) queue.Queue {
			return queue.Bounded(capacity(u))
		}),
		queued("HandOff", "queue.HandOff", markFull, func(u *use) queue.Queue { return queue.HandOff() }),
		queued("PriorityFIFO", "queue.Priority", markQueued, func(u *use) queue.Queue {
			return queue.Priority()
		}),
		queued("CustomQueue", "queue.Custom", markQueued, func(u *use) queue.Queue {
			return queue.Custom(func() queue.WorkQueue { return new(ownQueue) })
		}, "Queue.New"),
		queued("Queue.Bounded", "Queue.Bounded", markFull, func(u *use) queue.Queue {
			return queue.Priority().Bounded(capacity(u))
		}),
	}
	policies = []*definition{
		policy("Abort", func(l *life, f *Feature) rejection.Policy { return rejection.Abort }),
		policy("Block", func(l *life, f *Feature) rejection.Policy { return rejection.Block }),
		policy("CallerRuns", func(l *life, f *Feature) rejection.Policy {
			return rejection.CallerRuns
		}, "Task.Run"),
		policy("Discard", func(l *life, f *Feature) rejection.Policy {
			return rejection.Discard
		}, "Task.Discard"),
		policy("DiscardOldest", func(l *life, f *Feature) rejection.Policy {
			return rejection.DiscardOldest
		}, "Task.ReplaceOldest"),
		policy("own policy", func(l *life, f *Feature) rejection.Policy {
			return func(r *rejection.Task) error {
				l.called(f, r.Name())
				if r.Retry() == nil {
					return nil
				}
				ctx, cancel := context.WithTimeout(context.Background(), 3*ms)
				defer cancel()
				return r.Wait(ctx)
			}
		}, "Task.Retry", "Task.Wait", "Task.Name"),
	}
)

// queued is the feature of a queue.
func queued(
	name, function string, observed func(l *life, u *use), make func(u *use) queue.Queue, api ...string,
) *definition {
	return &definition{
		Feature: Feature{
			Name: name, API: append(api, "executor.Queue", function), hosts: plain, group: "queue",
		},
		shape: crowded, observed: observed,
		option: func(l *life, u *use) opts { return opts{executor.Queue(make(u))} },
	}
}

// policy is the feature of a rejection policy.
func policy(
	name string, make func(l *life, f *Feature) rejection.Policy, api ...string,
) *definition {
	d := &definition{Feature: Feature{
		Name: name, API: append(api, "executor.OnRejection"), hosts: pools, group: "policy",
		ways:     everyWay &^ (delayedWays | laneWays | wSubmitContext | wCompletionContext),
		callback: name == "own policy",
	}}
	f := &d.Feature
	if name != "own policy" {
		f.API = append(f.API, "rejection."+name)
	}
	d.shape = func(d *draft, t *task, u *use) {
		if d.host == scheduled || !d.has("HandOff") && !d.has("BoundedFIFO") &&
			!d.has("Queue.Bounded") {
			d.include(byName["PendingLimit"], t)
		}
		d.crowdAround(t)
	}
	d.policy = make
	d.option = func(l *life, u *use) opts { return opts{executor.OnRejection(l.policyOf(f))} }
	return d
}

// crowded has tasks come while all workers are busy.
func crowded(d *draft, t *task, _ *use) { d.crowdAround(t) }

// markQueued marks the moments at which something waited in a queue.
func markQueued(l *life, u *use) {
	l.gauges.each(func(_, s *sample) {
		if s.stats.Queued > 0 {
			l.marks.span(u.Feature, s.at, s.at)
		}
	})
	l.journal.eachLate(0, func(r *record, b *bodyRun) { l.marks.task(u.Feature, r) })
}

// markFull marks the tasks for which there was no room, or not at once.
func markFull(l *life, u *use) {
	for _, r := range l.journal.records {
		if r.full() {
			l.marks.task(u.Feature, r)
			l.marks.span(u.Feature, r.submitted, r.submitted)
		}
	}
}

// ownQueue is a queue of the user: first in, first out.
type ownQueue struct{ tasks []queue.Task }

func (q *ownQueue) Push(t queue.Task) { q.tasks = append(q.tasks, t) }
func (q *ownQueue) Len() int          { return len(q.tasks) }

func (q *ownQueue) Pop() queue.Task {
	if len(q.tasks) == 0 {
		return nil
	}
	t := q.tasks[0]
	q.tasks = q.tasks[1:]
	return t
}

func (q *ownQueue) Remove(t queue.Task) bool {
	i := slices.Index(q.tasks, t)
	if i < 0 {
		return false
	}
	q.tasks = slices.Delete(q.tasks, i, i+1)
	return true
}

func (q *ownQueue) All() iter.Seq[queue.Task] { return slices.Values(slices.Clone(q.tasks)) }
