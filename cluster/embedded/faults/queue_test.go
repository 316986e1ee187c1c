package faults

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/timer/cron"
)

// traffic is what was sent about the queue of a pool, and what the server stored there.
type traffic struct {
	mu       sync.Mutex
	messages int
	purges   int // of schedules
	refused  []string
}

// watchTraffic watches all that is published in a pool, all purges that are asked for, and all that
// the stream gets, also from its own schedules.
func watchTraffic(t *testing.T, l *local) *traffic {
	t.Helper()
	var seen traffic
	conn := l.connect(t)
	for _, subject := range []string{"punctual.tasks.>", "$JS.API.STREAM.PURGE.PUNCTUAL_tasks"} {
		sub, err := conn.Subscribe(subject, func(m *nats.Msg) { seen.see(m.Subject, m.Header) })
		require.NoError(t, err)
		require.NoError(t, sub.SetPendingLimits(-1, -1))
	}
	require.NoError(t, conn.Flush())
	// What a schedule becomes is published by nobody: the server makes a copy of all that it
	// stores.
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	ctx := testContext(t, time.Minute)
	stream, err := js.Stream(ctx, "PUNCTUAL_tasks")
	require.NoError(t, err)
	config := stream.CachedInfo().Config
	config.RePublish = &jetstream.RePublish{Source: ">", Destination: "stored.>"}
	_, err = js.UpdateStream(ctx, config)
	require.NoError(t, err)
	sub, err := conn.Subscribe("stored.>", func(m *nats.Msg) { seen.see(m.Subject, m.Header) })
	require.NoError(t, err)
	require.NoError(t, sub.SetPendingLimits(-1, -1))
	require.NoError(t, conn.Flush())
	return &seen
}

func (s *traffic) see(subject string, h nats.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages++
	refuse := func(why string) { s.refused = append(s.refused, why+" on "+subject) }
	switch {
	case strings.HasPrefix(subject, "$JS.API."):
		refuse("a purge")
	case h.Get("Nats-Schedule-Rollup") != "":
		refuse("a schedule of a roll-up")
	case strings.Contains(subject, "tasks.arm.") && h.Get("Nats-Rollup") != "":
		// The server rolls up schedules of its own accord.
	case h.Get("Nats-Rollup") != "":
		refuse("a roll-up")
	case h.Get("Nats-Schedule-Next") == "purge":
		s.purges++
		if !strings.HasPrefix(h.Get("Nats-Scheduler"), "punctual.tasks.arm.") {
			refuse("a purge of " + h.Get("Nats-Scheduler"))
		}
	}
}

// Whatever is done with a pool, nothing on its queue is rolled up or purged but a schedule: the
// server would forget other messages, see TestTheServerForgetsWhatIsBelowARollUp.
func TestNothingOnTheQueueIsRolledUpOrPurged(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	seen := watchTraffic(t, l)
	began := make(chan string, 1000)
	work := cluster.Define("work", func(ctx context.Context, in string) (int, error) {
		began <- in
		if in == "long" {
			<-ctx.Done()
		}
		return 0, context.Cause(ctx)
	})
	r := recorder{body: func(ctx context.Context, run cluster.Run) error {
		switch {
		case run.Series == "stops":
			return cluster.Stop(nil)
		case run.Series == "long":
			<-ctx.Done()
		}
		return nil
	}}
	tick := r.task()
	wrong := cluster.Define("work", func(context.Context, int) (int, error) { return 0, nil })

	// Each verb before anybody serves, so that what it says waits in the queue, and then again.
	verbs := func() {
		var waiting []*cluster.Future[int]
		for _, submit := range []func() (*cluster.Future[int], error){
			func() (*cluster.Future[int], error) { return cluster.Submit(ctx, l.pool, work, "short") },
			func() (*cluster.Future[int], error) {
				return cluster.Submit(ctx, l.pool, work, "short", cluster.Once("key"))
			},
			func() (*cluster.Future[int], error) {
				return cluster.Schedule(ctx, l.pool, 900*time.Millisecond, work, "short")
			},
			func() (*cluster.Future[int], error) {
				return cluster.ScheduleAt(ctx, l.pool, time.Now().Add(time.Hour), work, "short")
			},
			func() (*cluster.Future[int], error) { return cluster.Submit(ctx, l.pool, wrong, 1) },
		} {
			f, err := submit()
			require.NoError(t, err)
			waiting = append(waiting, f)
			g, err := submit()
			require.NoError(t, err)
			if g.ID() != f.ID() {
				_, err = g.Cancel(ctx)
				require.NoError(t, err)
			}
		}
		_, err := waiting[3].Cancel(ctx)
		require.NoError(t, err)
		var all []*cluster.Series[int]
		for _, name := range []string{"rate", "stops", "long"} {
			s, err := cluster.AtFixedRate(ctx, l.pool, name, 0, 100*time.Millisecond, tick, "in")
			require.NoError(t, err)
			all = append(all, s)
		}
		s, err := cluster.WithFixedDelay(ctx, l.pool, "delay", time.Second, time.Second, tick, "in")
		require.NoError(t, err)
		all = append(all, s)
		s, err = cluster.On(ctx, l.pool, "calendar", cron.MustParse("* * * * *"), tick, "in")
		require.NoError(t, err)
		all = append(all, s)
		for _, s := range all {
			if s.Name() == "stops" {
				continue
			}
			require.NoError(t, s.Pause(ctx))
			require.NoError(t, s.Resume(ctx))
			require.NoError(t, s.Trigger(ctx))
		}
		_, err = cluster.AtFixedRate(ctx, l.pool, "rate", 0, 200*time.Millisecond, tick, "other")
		require.NoError(t, err)
		if r.count() == 0 {
			w := l.start(t, []cluster.Runnable{work, tick}, cluster.Grace(0))
			r.await(t, 5)
			w.end(t) // what it has is given back
			l.start(t, []cluster.Runnable{work, tick})
		}
		long, err := cluster.Submit(ctx, l.pool, work, "long")
		require.NoError(t, err)
		for <-began != "long" { //nolint:revive // until it is
		}
		_, err = long.Cancel(ctx)
		require.NoError(t, err)
		for _, f := range waiting {
			_, _ = f.Get(ctx)
		}
		for _, s := range all {
			require.NoError(t, s.Cancel(ctx))
		}
	}
	verbs()
	verbs()
	l.requireEmpty(t)
	seen.mu.Lock()
	defer seen.mu.Unlock()
	t.Logf("%d messages, %d purges of schedules", seen.messages, seen.purges)
	slices.Sort(seen.refused)
	require.Empty(t, slices.Compact(seen.refused))
	require.Greater(t, seen.messages, 50)
	require.Positive(t, seen.purges)
}
