package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// Stats is what the server keeps for a pool: for gauges and alarms. What this process runs is told
// by the observer of its own pool, see [Executor].
type Stats struct {
	Stored uint64 // messages: one for each task that waits, is due or runs, and for each series
	Bytes  uint64 // that they take on each replica
	Failed uint64 // tasks in the failed set, see [Pool.Failed]
	Healed uint64 // accepted tasks that the server had forgotten, and that were queued again
	Tasks  []TaskStats
}

// TaskStats is what is due of one task. Lists of them are in the order of names.
type TaskStats struct {
	Task      string
	Due       uint64 // runs that are due, or will be within a second, and that no worker has
	Held      int    // runs that workers have or gave back: they run, or wait
	Failed    uint64 // of the failed set
	Repeated  int    // of them, those that were delivered before: their worker died, or gave them back
	AtOnce    int    // how many may be held, see [AtOnce]; 0 for no limit
	Consumer  string // the name of the consumer on the server
	Listening int    // requests of workers for more: with none, nobody serves the task, or all are busy
}

// Stats asks the server. Each task costs one question, so do it by the second at most. Errors are
// those of [Submit].
func (p *Pool) Stats(ctx context.Context) (s Stats, err error) {
	err = p.persist(ctx, "reading figures", func(ctx context.Context) error {
		s = Stats{}
		main, err := p.stream.Info(ctx, jetstream.WithSubjectFilter(p.on.any(sentinel)))
		if err != nil {
			return err
		}
		// The server counts the sentinel a moment later than all.
		s.Stored = main.State.Msgs - min(main.State.Msgs, p.sentinels(main.State))
		s.Bytes = main.State.Bytes
		failed, err := p.failedByTask(ctx, &s)
		if err != nil {
			return err
		}
		if _, s.Healed, err = p.figure(ctx, figureHealed); err != nil {
			return err
		}
		consumers := p.stream.ListConsumers(ctx)
		for info := range consumers.Info() {
			of := p.taskStats(info)
			of.Failed = failed[of.Task]
			delete(failed, of.Task)
			s.Tasks = append(s.Tasks, of)
		}
		for task, n := range failed { // nobody has ever served it, or its consumer was deleted
			s.Tasks = append(s.Tasks, TaskStats{Task: task, Failed: n})
		}
		return consumers.Err()
	})
	if err != nil {
		return Stats{}, fmt.Errorf("cluster: pool %q: %w", p.settings.name, err)
	}
	slices.SortFunc(s.Tasks, func(a, b TaskStats) int { return strings.Compare(a.Task, b.Task) })
	return s, nil
}

func (p *Pool) taskStats(info *jetstream.ConsumerInfo) TaskStats {
	limit := info.Config.MaxAckPending
	if limit >= mostAtOnce {
		limit = 0
	}
	return TaskStats{
		AtOnce:    limit,
		Task:      nameOf(info.Config.Durable),
		Due:       info.NumPending,
		Held:      info.NumAckPending,
		Repeated:  info.NumRedelivered,
		Consumer:  info.Name,
		Listening: info.NumWaiting,
	}
}

// failedByTask counts the failed set, in all and by the names of tasks.
func (p *Pool) failedByTask(ctx context.Context, s *Stats) (map[string]uint64, error) {
	info, err := p.dead.Info(ctx)
	if err != nil {
		return nil, err
	}
	if s.Failed = info.State.Msgs; s.Failed == 0 {
		return nil, nil
	}
	if info, err = p.dead.Info(ctx, jetstream.WithSubjectFilter(p.on.allDead())); err != nil {
		return nil, err
	}
	failed := map[string]uint64{}
	for subject, n := range info.State.Subjects {
		task, _, _ := strings.Cut(strings.TrimPrefix(subject, p.on.prefix+"dead."), ".")
		failed[nameOf(task)] += n
	}
	return failed, nil
}
