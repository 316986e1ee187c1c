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
	Dead   uint64 // payloads that were given up, while they are kept
	Healed uint64 // accepted tasks that the server had forgotten, and that were queued again
	Tasks  []TaskStats
}

// TaskStats is what is due of one task. Lists of them are in the order of names.
type TaskStats struct {
	Task      string
	Due       uint64 // runs that are due, or will be within a second, and that no worker has
	Held      int    // runs that workers have or gave back: they run, or wait
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
		dead, err := p.js.Stream(ctx, p.deadName())
		if err != nil {
			return err
		}
		s.Dead = dead.CachedInfo().State.Msgs
		if _, s.Healed, err = p.figure(ctx, figureHealed); err != nil {
			return err
		}
		consumers := p.stream.ListConsumers(ctx)
		for info := range consumers.Info() {
			s.Tasks = append(s.Tasks, p.taskStats(info))
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
