package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/internal/wall"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
)

func TestOutcomesTravel(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	type in struct{ What string }
	type out struct{ Said []string }
	task := cluster.Define("says", func(_ context.Context, i in) (out, error) {
		switch i.What {
		case "fail":
			return out{}, fmt.Errorf("cannot: %w", errors.New("no paper"))
		case "panic":
			panic("on fire")
		}
		return out{[]string{i.What, "!"}}, nil
	})
	slow := cluster.Define("slow", func(ctx context.Context, _ int) (int, error) {
		<-ctx.Done()
		return 0, context.Cause(ctx)
	}, cluster.With(executor.Timeout(50*time.Millisecond)))
	var tries atomic.Int64
	retried := cluster.Define("retried", func(context.Context, int) (int64, error) {
		if n := tries.Add(1); n < 3 {
			return 0, errors.New("not yet")
		}
		return tries.Load(), nil
	}, cluster.With(executor.Retry(5, retry.Backoff{})))
	l.serve(t, task, slow, retried)

	f, err := cluster.Submit(ctx, l.pool, task, in{"hello"})
	require.NoError(t, err)
	for _, f := range []*cluster.Future[out]{f, cluster.Attach(l.pool, task, f.ID())} {
		got, err := f.Get(ctx)
		require.NoError(t, err)
		require.Equal(t, out{[]string{"hello", "!"}}, got)
	}
	for what, panicked := range map[string]bool{"fail": false, "panic": true} {
		f, err = cluster.Submit(ctx, l.pool, task, in{what})
		require.NoError(t, err)
		_, err = f.Get(ctx)
		var failure *cluster.TaskError
		require.ErrorAs(t, err, &failure)
		require.Equal(t, panicked, failure.Panic)
		require.Equal(t, "says", failure.Task)
		require.Equal(t, f.ID(), failure.ID)
	}
	late, err := cluster.Submit(ctx, l.pool, slow, 0)
	require.NoError(t, err)
	_, err = late.Get(ctx)
	require.ErrorContains(t, err, "timed out")
	third, err := cluster.Submit(ctx, l.pool, retried, 0)
	require.NoError(t, err)
	n, err := third.Get(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 3, n)
	l.requireEmpty(t)
}

// Get waits no longer than its context, which does not end the task.
func TestGetEndsWithItsContext(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	nobody := cluster.Define("nobody serves it", race)
	f, err := cluster.Submit(ctx, l.pool, nobody, 0)
	require.NoError(t, err)
	for _, f := range []*cluster.Future[int]{f, cluster.Attach(l.pool, nobody, f.ID())} {
		short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		_, err = f.Get(short)
		cancel()
		require.Equal(t, context.DeadlineExceeded, err)
	}
	l.serve(t, nobody) // a replica that knows it
	_, err = f.Get(ctx)
	require.NoError(t, err)
}

// No run begins before its time, whatever fraction of a second that has.
func TestNeverEarly(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	late := make(chan time.Duration, 2000)
	task := cluster.Define("late", func(_ context.Context, due time.Time) (int, error) {
		late <- time.Since(due)
		return 0, nil
	})
	l.serve(t, task)
	var fs []*cluster.Future[int]
	start := time.Now()
	for i := range 1000 {
		due := start.Add(time.Duration(i) * 2_345_678)
		f, err := cluster.ScheduleAt(ctx, l.pool, due, task, due)
		require.NoError(t, err)
		fs = append(fs, f)
	}
	for _, f := range fs {
		_, err := f.Get(ctx)
		require.NoError(t, err)
	}
	close(late)
	for d := range late {
		require.GreaterOrEqual(t, d, time.Duration(0))
	}
}

// Lateness at 400 a second.
func TestLateness(t *testing.T) {
	beside(t)
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	n := long(2000, 8000)
	var mu sync.Mutex
	var late []time.Duration
	task := cluster.Define("late", func(_ context.Context, due time.Time) (int, error) {
		d := time.Since(due)
		mu.Lock()
		defer mu.Unlock()
		late = append(late, d)
		return 0, nil
	})
	l.serve(t, task)
	start := time.Now().Add(time.Duration(n)*250*time.Microsecond + 500*time.Millisecond)
	fs := make([]*cluster.Future[int], n)
	var all sync.WaitGroup
	for i := range n {
		due := start.Add(time.Duration(i) * 2500 * time.Microsecond)
		all.Go(func() {
			f, err := cluster.ScheduleAt(ctx, l.pool, due, task, due)
			if noError(t, err) {
				fs[i] = f
			}
		})
	}
	all.Wait()
	for _, f := range fs {
		_, err := f.Get(ctx)
		require.NoError(t, err)
	}
	slices.Sort(late)
	require.GreaterOrEqual(t, late[0], time.Duration(0))
	within(t, "p50", late[n/2], time.Millisecond)
	within(t, "p99", late[n*99/100], 10*time.Millisecond)
	t.Logf("most %v", late[n-1])
}

// A process whose clock is wrong by an hour plans by the server's.
func TestAWrongClock(t *testing.T) {
	t.Parallel()
	for _, wrong := range []time.Duration{time.Hour, -time.Hour} {
		t.Run(wrong.String(), func(t *testing.T) {
			wall.Misset(wrong)
			t.Cleanup(func() { wall.Misset(0) })
			l := startLocal(t)
			ctx := testContext(t, time.Minute)
			task := cluster.Define("when", func(context.Context, int) (time.Time, error) {
				return time.Now(), nil
			})
			l.serve(t, task)
			for _, d := range []time.Duration{50 * time.Millisecond, 700 * time.Millisecond} {
				before := time.Now()
				f, err := cluster.Schedule(ctx, l.pool, d, task, 0)
				require.NoError(t, err)
				at, err := f.Get(ctx)
				require.NoError(t, err)
				require.False(t, at.Before(before.Add(d-5*time.Millisecond)), "%v early",
					before.Add(d).Sub(at))
			}
		})
	}
}

// Many replicas declare one series at once: there is one chain.
func TestOneChainForAllWhoDeclareIt(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	var running, most atomic.Int64
	task := cluster.Define("chain", func(context.Context, int) (int, error) {
		if n := running.Add(1); n > most.Load() {
			most.Store(n)
		}
		time.Sleep(time.Millisecond)
		running.Add(-1)
		return 0, nil
	})
	pools := []*cluster.Pool{l.pool}
	for range 2 {
		p, err := cluster.Join(ctx, l.connect(t))
		require.NoError(t, err)
		pools = append(pools, p)
	}
	l.serve(t, task)
	js, err := jetstream.New(l.conn)
	require.NoError(t, err)
	for i := range 100 {
		name := fmt.Sprint("s", i)
		var all sync.WaitGroup
		for _, p := range pools {
			all.Go(func() {
				_, err := cluster.AtFixedRate(ctx, p, name, time.Duration(i)*5*time.Millisecond,
					time.Minute, task, 0)
				noError(t, err)
			})
		}
		all.Wait()
	}
	time.Sleep(time.Second) // those below 500 ms have run, and their next run is armed
	stream, err := js.Stream(ctx, "PUNCTUAL_tasks")
	require.NoError(t, err)
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter("punctual.tasks.*.chain.>"))
	require.NoError(t, err)
	require.Len(t, info.State.Subjects, 100)
	for subject, n := range info.State.Subjects {
		require.EqualValues(t, 1, n, subject)
	}
}

// A result that the server does not take is told as what it is.
func TestAResultThatIsTooLarge(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	task := cluster.Define("large", func(_ context.Context, n int) (string, error) {
		if n < 0 {
			return "", errors.New(strings.Repeat("e", -n))
		}
		return strings.Repeat("v", n), nil
	})
	l.serve(t, task)
	for _, n := range []int{2 << 20, -2 << 20} {
		f, err := cluster.Submit(ctx, l.pool, task, n)
		require.NoError(t, err)
		_, err = f.Get(ctx)
		var failure *cluster.TaskError
		require.ErrorAs(t, err, &failure)
		if n > 0 {
			require.ErrorContains(t, err, "bytes, and the server takes")
		}
	}
	f, err := cluster.Submit(ctx, l.pool, task, 500_000)
	require.NoError(t, err)
	v, err := f.Get(ctx)
	require.NoError(t, err)
	require.Len(t, v, 500_000)
	l.requireEmpty(t)
}

// What is too long with the names it carries is refused as what is too long by itself. A task that
// is as long as may be runs, and a series that is accepted goes on.
func TestAPayloadThatIsTooLongWithItsNames(t *testing.T) {
	t.Parallel()
	nc := dial(t, startServer(t, func(o *server.Options) { o.MaxPayload = 8 << 10 }))
	ctx := testContext(t, time.Minute)
	p, err := cluster.Join(ctx, nc)
	require.NoError(t, err)
	task := cluster.Define(strings.Repeat("n", 190),
		func(_ context.Context, in string) (int, error) { return len(in), nil })
	most := int(nc.MaxPayload()) - 1024 - len(`""`)
	go p.Serve(ctx, task) //nolint:errcheck // it ends with the test
	for _, d := range []time.Duration{0, time.Second} {
		f, err := cluster.Schedule(ctx, p, d, task, strings.Repeat("x", most))
		require.NoError(t, err)
		got, err := f.Get(ctx)
		require.NoError(t, err)
		require.Equal(t, most, got)
	}
	refused, accepted := 0, []*cluster.Series[int]{}
	for n := most - 1000; n <= most; n += 25 {
		s, err := cluster.AtFixedRate(ctx, p, fmt.Sprint(strings.Repeat("s", 180), n), 0,
			time.Hour, task, strings.Repeat("x", n))
		if err != nil {
			require.ErrorIs(t, err, cluster.ErrInvalid, n)
			refused++
			continue
		}
		accepted = append(accepted, s)
	}
	require.NotEmpty(t, accepted)
	for _, s := range accepted {
		require.Eventually(t, func() bool {
			next, err := s.Next(ctx)
			return err == nil && next.Number == 2
		}, 20*time.Second, 5*time.Millisecond)
	}
	require.Positive(t, refused)
}

// Many submit at once, so that theirs go in batches, and one in ten is refused: only that one.
func TestABatchWithSomeThatAreRefused(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	js, err := jetstream.New(l.conn)
	require.NoError(t, err)
	stream, err := js.Stream(ctx, "PUNCTUAL_tasks")
	require.NoError(t, err)
	config := stream.CachedInfo().Config
	config.MaxMsgSize = 2000
	_, err = js.UpdateStream(ctx, config)
	require.NoError(t, err)
	task := cluster.Define("part", func(_ context.Context, in string) (int, error) { return len(in), nil })
	l.serve(t, task)
	var all sync.WaitGroup
	var refused, done atomic.Int64
	for n := range 1000 {
		all.Go(func() {
			size := 10
			if n%10 == 0 {
				size = 5000
			}
			f, err := cluster.Submit(ctx, l.pool, task, strings.Repeat("x", size))
			switch {
			case size > 2000:
				if err == nil {
					t.Errorf("submission %d was accepted", n)
				}
				refused.Add(1)
			case noError(t, err):
				v, err := f.Get(ctx)
				if noError(t, err) && v == size {
					done.Add(1)
				}
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 100, refused.Load())
	require.EqualValues(t, 900, done.Load())
	l.requireEmpty(t)
	l.requireOutcomes(t, 900)
}

// Two declare a series at once, one with a first run that is due now, the other with one that has
// to wait: there is one chain all the same.
func TestTwoDeclarationsOfDifferentTimes(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	var r recorder
	l.serve(t, r.task())
	other, err := cluster.Join(ctx, l.connect(t))
	require.NoError(t, err)
	for i := range 50 {
		name := fmt.Sprint("s", i)
		var both sync.WaitGroup
		for k, p := range []*cluster.Pool{l.pool, other} {
			both.Go(func() {
				_, err := cluster.AtFixedRate(ctx, p, name, time.Duration(k)*2*time.Second, time.Hour,
					r.task(), name)
				noError(t, err)
			})
		}
		both.Wait()
	}
	time.Sleep(3 * time.Second) // both would have run by now
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := map[string]bool{}
	for i, run := range r.runs {
		require.False(t, seen[r.in[i]], "%s has run twice", r.in[i])
		require.EqualValues(t, 1, run.Number)
		seen[r.in[i]] = true
	}
	require.Len(t, seen, 50)
}

// A stream that somebody has deleted is told, and not waited for.
func TestADeletedStream(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	js, err := jetstream.New(l.conn)
	require.NoError(t, err)
	require.NoError(t, js.DeleteStream(ctx, "PUNCTUAL_tasks"))
	task := cluster.Define("lost", func(context.Context, int) (int, error) { return 0, nil })
	_, err = cluster.Submit(ctx, l.pool, task, 1)
	require.ErrorIs(t, err, cluster.ErrShape)
	require.ErrorContains(t, err, "PUNCTUAL_tasks has been deleted")
	_, err = l.pool.Stats(ctx)
	require.Error(t, err)
	require.NoError(t, ctx.Err())
}

func TestStats(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	free := make(chan struct{})
	slow := cluster.Define("slow task", func(context.Context, int) (int, error) {
		<-free
		return 0, nil
	})
	bad := cluster.Define("bad", func(context.Context, int) (int, error) { return 0, nil })
	wrong := cluster.Define("bad", func(context.Context, string) (int, error) { return 0, nil })
	l.start(t, []cluster.Runnable{slow, bad}, cluster.Workers(1), cluster.Grace(0))
	f, err := cluster.Submit(ctx, l.pool, wrong, "not a number")
	require.NoError(t, err)
	_, err = f.Get(ctx)
	require.ErrorIs(t, err, cluster.ErrAbandoned)
	require.Eventually(t, func() bool {
		s, err := l.pool.Stats(ctx)
		return err == nil && len(s.Tasks) == 2 &&
			s.Tasks[0].Listening == 1 && s.Tasks[1].Listening == 1
	}, 20*time.Second, 10*time.Millisecond)
	for range 5 {
		_, err := cluster.Submit(ctx, l.pool, slow, 0)
		require.NoError(t, err)
	}
	_, err = cluster.Schedule(ctx, l.pool, time.Hour, slow, 0)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		s, err := l.pool.Stats(ctx)
		if err != nil || len(s.Tasks) != 2 {
			return false
		}
		b, a := s.Tasks[0], s.Tasks[1]
		return s.Stored == 6 && s.Bytes > 0 && s.Failed == 1 && b.Failed == 1 && b.Task == "bad" && b.Due == 0 &&
			b.Held == 0 && a.Task == "slow task" && a.Held >= 2 && a.Held+int(a.Due) == 5
	}, 20*time.Second, 10*time.Millisecond)
	close(free)
	require.Eventually(t, func() bool {
		s, err := l.pool.Stats(ctx)
		return err == nil && s.Stored == 1
	}, 20*time.Second, 10*time.Millisecond)
}

// Many tasks wait; the server is killed and started: it answers soon, and each of them still waits.
func TestManyPendingOutliveARestart(t *testing.T) {
	beside(t)
	n := long(20_000, 1_000_000)
	ns := startNodes(t, 1)
	ctx := testContext(t, 10*time.Minute)
	p := ns.join(ctx)
	before := ns.memory()
	ns.scheduleMany(ctx, p, n, time.Hour, time.Hour)
	t.Logf("%d bytes each", (ns.memory()-before)/n)
	ns.kill(0)
	ns.start(0)
	up := time.Now()
	js := jetStream(t, ns)
	stream, err := js.Stream(ctx, "PUNCTUAL_tasks")
	for err != nil {
		time.Sleep(10 * time.Millisecond)
		stream, err = js.Stream(ctx, "PUNCTUAL_tasks")
		require.NoError(t, ctx.Err())
	}
	within(t, "from the restart to an answer", time.Since(up), 10*time.Second)
	require.EqualValues(t, n, stream.CachedInfo().State.Msgs)
}
