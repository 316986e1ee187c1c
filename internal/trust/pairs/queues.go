package pairs

import (
	"context"
	"iter"
	"slices"

	"github.com/punctual-go/punctual/executor"
)

// queues are the queues of a plain pool, and policies what becomes of a task that finds no room.
var (
	queues = []*definition{
		{
			Feature: Feature{
				Name: "FIFO", API: []string{"executor.FIFO"}, hosts: plain, group: "queue",
			},
			shape: crowded, observed: markQueued,
			option: func(l *life, u *use) opts { return opts{executor.FIFO()} },
		},
		{
			Feature: Feature{
				Name: "BoundedFIFO", API: []string{"executor.BoundedFIFO"}, hosts: plain,
				group: "queue",
			},
			shape: crowded, observed: markQueued,
			option: func(l *life, u *use) opts { return opts{executor.BoundedFIFO(capacity(u))} },
		},
		{
			Feature: Feature{
				Name: "HandOff", API: []string{"executor.HandOff"}, hosts: plain, group: "queue",
			},
			shape: crowded, observed: markFull,
			option: func(l *life, u *use) opts { return opts{executor.HandOff()} },
		},
		{
			Feature: Feature{
				Name: "PriorityFIFO", API: []string{"executor.PriorityFIFO"}, hosts: plain,
				group: "queue",
			},
			shape: crowded, observed: markQueued,
			option: func(l *life, u *use) opts { return opts{executor.PriorityFIFO()} },
		},
		{
			Feature: Feature{
				Name: "CustomQueue", API: []string{"executor.CustomQueue", "Queue.New"},
				hosts: plain, group: "queue",
			},
			shape: crowded, observed: markQueued,
			option: func(l *life, u *use) opts {
				queue := func() executor.WorkQueue { return new(ownQueue) }
				return opts{executor.CustomQueue(queue)}
			},
		},
		{
			Feature: Feature{
				Name: "Queue.Bounded", API: []string{"Queue.Bounded"}, hosts: plain, group: "queue",
			},
			shape: crowded, observed: markFull,
			option: func(l *life, u *use) opts {
				return opts{executor.PriorityFIFO().Bounded(capacity(u))}
			},
		},
	}
	policies = []*definition{
		policy("Abort", func(l *life,
			f *Feature) executor.RejectionPolicy {
			return executor.Abort
		}),
		policy("Block", func(l *life,
			f *Feature) executor.RejectionPolicy {
			return executor.Block
		}),
		policy("CallerRuns", func(l *life, f *Feature) executor.RejectionPolicy {
			return executor.CallerRuns
		}, "Rejection.Run"),
		policy("Discard", func(l *life, f *Feature) executor.RejectionPolicy {
			return executor.Discard
		}, "Rejection.Discard"),
		policy("DiscardOldest", func(l *life, f *Feature) executor.RejectionPolicy {
			return executor.DiscardOldest
		}, "Rejection.ReplaceOldest"),
		policy("own policy", func(l *life, f *Feature) executor.RejectionPolicy {
			return func(r *executor.Rejection) error {
				l.called(f, r.Name())
				if r.Retry() == nil {
					return nil
				}
				ctx, cancel := context.WithTimeout(context.Background(), 3*ms)
				defer cancel()
				return r.Wait(ctx)
			}
		}, "Rejection.Retry", "Rejection.Wait", "Rejection.Name"),
	}
)

// policy is the feature of a rejection policy.
func policy(
	name string, make func(l *life, f *Feature) executor.RejectionPolicy, api ...string,
) *definition {
	d := &definition{Feature: Feature{
		Name: name, API: append(api, "executor.OnRejection"), hosts: pools, group: "policy",
		ways:     everyWay &^ (delayedWays | laneWays | wSubmitContext | wCompletionContext),
		callback: name == "own policy",
	}}
	f := &d.Feature
	if name != "own policy" {
		f.API = append(f.API, "executor."+name)
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
type ownQueue struct{ tasks []executor.Queued }

func (q *ownQueue) Push(t executor.Queued) { q.tasks = append(q.tasks, t) }
func (q *ownQueue) Len() int               { return len(q.tasks) }

func (q *ownQueue) Pop() executor.Queued {
	if len(q.tasks) == 0 {
		return nil
	}
	t := q.tasks[0]
	q.tasks = q.tasks[1:]
	return t
}

func (q *ownQueue) Remove(t executor.Queued) bool {
	i := slices.Index(q.tasks, t)
	if i < 0 {
		return false
	}
	q.tasks = slices.Delete(q.tasks, i, i+1)
	return true
}

func (q *ownQueue) All() iter.Seq[executor.Queued] { return slices.Values(slices.Clone(q.tasks)) }
