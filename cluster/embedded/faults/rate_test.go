package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// requireRate judges when runs began: n in a second, and n at once after a rest. What a machine that
// is busy makes later may come as close to the next as it is late, so a second is allowed for that.
func requireRate(t *testing.T, begun []time.Time, n int) {
	t.Helper()
	slices.SortFunc(begun, time.Time.Compare)
	gap := time.Second / time.Duration(n)
	for i, first := range begun {
		for j := i; j < len(begun); j++ {
			span := begun[j].Sub(first)
			require.LessOrEqual(t, j-i+1, n+int((span+time.Second)/gap), "in %v", span)
		}
	}
}

// Three processes share a rate for each key, and one of them is killed: all runs come to an end, at
// that rate, and those of another key need not wait for them.
func TestARateHoldsForAllProcesses(t *testing.T) {
	beside(t)
	const rate = 5
	ns := startNodes(t, 1)
	ctx := testContext(t, time.Minute)
	p := ns.join(ctx)
	workers := map[string]*process{}
	for _, name := range names {
		workers[name] = ns.worker(workerConfig{Name: name, Rate: rate, Tasks: []string{"work"}})
	}
	var fs []*cluster.Future[int]
	submit := func(life, n int) {
		for range n {
			f, err := cluster.Submit(ctx, p, ns.tasks().work, input{Life: life, N: life})
			require.NoError(t, err)
			fs = append(fs, f)
		}
	}
	submit(1, 40)
	submit(2, 4)
	victim := await(t, ns.dir, func(e event) bool { return e.Kind == "start" && e.Life == 1 })
	workers[victim.Who].kill()
	for _, f := range fs {
		_, err := f.Get(ctx)
		require.NoError(t, err)
	}
	begun := map[int][]time.Time{}
	for _, e := range readJournals(t, ns.dir) {
		if e.Kind == "start" {
			begun[e.Life] = append(begun[e.Life], e.At)
		}
	}
	for life, times := range begun {
		t.Log(life, len(times), times[len(times)-1].Sub(times[0]))
		requireRate(t, times, rate)
	}
	last := begun[1][len(begun[1])-1]
	require.Less(t, begun[2][3], last.Add(-3*time.Second), "they wait for the other key")
	requireSound(t, ns.dir)
}

// starts notes when runs began, by their input.
type starts struct {
	mu sync.Mutex
	at map[string][]time.Time
}

func (s *starts) task(opts ...cluster.TaskOption) cluster.Task[string, string] {
	return cluster.Define("paced", func(ctx context.Context, in string) (string, error) {
		run, _ := cluster.RunFrom(ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.at == nil {
			s.at = map[string][]time.Time{}
		}
		s.at[in] = append(s.at[in], time.Now())
		if strings.HasPrefix(in, "fails") && run.Attempt < 3 {
			return "", errAsTold
		}
		return in, nil
	}, append([]cluster.TaskOption{cluster.Lease(brief)}, opts...)...)
}

func (s *starts) of(in string) []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.at[in])
}

func whole(in string) string { return in }

// A run that waits for its rate is like any that waits for its time: it occupies nothing, not even
// the one place of a limit, can be cancelled and found again by its key, and keeps its planned time.
func TestWhatWaitsForItsRateOccupiesNothing(t *testing.T) {
	t.Parallel()
	inBothWays(t, func(t *testing.T, start func(testing.TB, ...cluster.Option) *local) {
		l, ctx, seen := start(t), testContext(t, time.Minute), starts{}
		task := seen.task(cluster.Rate(1, time.Hour, whole), cluster.AtOnce(1))
		l.start(t, []cluster.Runnable{task}, cluster.Workers(1))
		submit := func(in string, opts ...cluster.SubmitOption) *cluster.Future[string] {
			f, err := cluster.Submit(ctx, l.pool, task, in, opts...)
			require.NoError(t, err)
			return f
		}
		_, err := submit("flood").Get(ctx)
		require.NoError(t, err)
		var waiting []*cluster.Future[string]
		for range 20 {
			waiting = append(waiting, submit("flood"))
		}
		once := submit("flood", cluster.Once("key"))
		_, err = submit("other").Get(ctx)
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			s, err := l.pool.Stats(ctx)
			return err == nil && s.Stored == 21 && s.Tasks[0].Held == 0 && s.Tasks[0].Due == 0
		}, 20*time.Second, 10*time.Millisecond)
		require.Equal(t, once.ID(), submit("flood", cluster.Once("key")).ID())
		m, err := l.queue(t).GetLastMsgForSubject(ctx, "punctual.tasks.arm.paced.o."+waiting[19].ID())
		require.NoError(t, err)
		due, err := time.Parse(time.RFC3339Nano, m.Header.Get("Punctual-Due"))
		require.NoError(t, err)
		require.Greater(t, due.Sub(m.Time), 19*time.Hour)
		require.NotEmpty(t, m.Header.Get("Punctual-Planned"))
		for _, f := range append(waiting, once) {
			prevented, err := f.Cancel(ctx)
			require.NoError(t, err)
			require.True(t, prevented)
		}
		l.requireEmpty(t)
		require.Len(t, seen.of("flood"), 1)
	})
}

// Attempts after a failure count, and are as far from each other as the rate says.
func TestAttemptsCountForTheRate(t *testing.T) {
	t.Parallel()
	l, ctx, seen := startLocal(t), testContext(t, time.Minute), starts{}
	task := seen.task(cluster.Rate(1, time.Second, whole), cluster.Retry(3, often(time.Millisecond)))
	l.serve(t, task)
	began := time.Now()
	f, err := cluster.Submit(ctx, l.pool, task, "fails")
	require.NoError(t, err)
	_, err = f.Get(ctx)
	require.NoError(t, err)
	at := seen.of("fails")
	require.Len(t, at, 3)
	require.GreaterOrEqual(t, at[2].Sub(began), 2*time.Second)
	l.requireEmpty(t)
}

// Nobody has served while the times of many have passed: they do not all begin then.
func TestWhatIsLateForItsRateDoesNotBeginAtOnce(t *testing.T) {
	t.Parallel()
	l, ctx, seen := startLocal(t), testContext(t, time.Minute), starts{}
	task := seen.task(cluster.Rate(5, time.Second, whole))
	first := l.start(t, []cluster.Runnable{task})
	var fs []*cluster.Future[string]
	for range 30 {
		f, err := cluster.Submit(ctx, l.pool, task, "in")
		require.NoError(t, err)
		fs = append(fs, f)
	}
	require.Eventually(t, func() bool { return len(seen.of("in")) > 5 }, 20*time.Second, time.Millisecond)
	first.end(t)
	js, err := jetstream.New(l.conn)
	require.NoError(t, err)
	require.Eventually(t, func() bool { // all times have passed
		info, err := l.queue(t).Info(ctx, jetstream.WithSubjectFilter("punctual.tasks.arm.paced.>"))
		return err == nil && len(info.State.Subjects) == 0 && queued(js) > 0
	}, 30*time.Second, 50*time.Millisecond)
	l.serve(t, task)
	for _, f := range fs {
		_, err := f.Get(ctx)
		require.NoError(t, err)
	}
	at := seen.of("in")
	require.Len(t, at, 30)
	requireRate(t, at, 5)
}

// The record of a key outlives outcomes as long as there are times to come, and vanishes then.
func TestTheRecordOfARateVanishesWithItsTimes(t *testing.T) {
	t.Parallel()
	l, ctx, seen := startLocal(t, cluster.Keep(3*time.Second)), testContext(t, time.Minute), starts{}
	task := seen.task(cluster.Rate(1, time.Second, whole))
	l.serve(t, task)
	const subject = "$KV.PUNCTUAL_tasks.rate.paced.*"
	for range 8 {
		_, err := cluster.Submit(ctx, l.pool, task, "in")
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool {
		info, err := l.queue(t).Info(ctx, jetstream.WithSubjectFilter("punctual.tasks.arm.paced.>"))
		return err == nil && len(info.State.Subjects) > 4
	}, 20*time.Second, 10*time.Millisecond)
	m, err := l.bucket(t).GetLastMsgForSubject(ctx, subject)
	require.NoError(t, err)
	require.NotContains(t, m.Subject, "in")
	require.Equal(t, "never", m.Header.Get("Nats-TTL"))
	require.Eventually(t, func() bool { return len(seen.of("in")) == 8 }, 30*time.Second, 10*time.Millisecond)
	requireRate(t, seen.of("in"), 1)
	require.Eventually(t, func() bool {
		_, err := l.bucket(t).GetLastMsgForSubject(ctx, subject)
		return errors.Is(err, jetstream.ErrMsgNotFound)
	}, 20*time.Second, 10*time.Millisecond)
}

// What the pool forgets before the span is over could not be counted.
func TestARateNeedsAPoolThatRemembers(t *testing.T) {
	t.Parallel()
	l, seen := startLocal(t, cluster.Keep(time.Hour)), starts{}
	ctx, task := testContext(t, time.Minute), seen.task(cluster.Rate(9, 31*time.Minute, whole))
	_, submitted := cluster.Submit(ctx, l.pool, task, "nobody could run it")
	for _, err := range []error{submitted, l.pool.Serve(ctx, task)} {
		require.ErrorIs(t, err, cluster.ErrInvalid)
		require.ErrorContains(t, err, `"paced"`)
		require.ErrorContains(t, err, "1h0m0s")
	}
}

// A key that cannot be told is an outcome; so is a payload that cannot be decoded.
func TestAKeyThatPanics(t *testing.T) {
	t.Parallel()
	l, ctx := startLocal(t), testContext(t, time.Minute)
	task := cluster.Define("paced", func(_ context.Context, n int) (int, error) { return n, nil },
		cluster.Rate(1, time.Hour, func(n int) string {
			if n < 0 {
				panic("negative")
			}
			return fmt.Sprint(n)
		}))
	other := cluster.Define("paced", func(_ context.Context, s string) (int, error) { return 0, nil })
	l.serve(t, task)
	f, err := cluster.Submit(ctx, l.pool, task, -1)
	require.NoError(t, err)
	_, err = f.Get(ctx)
	require.ErrorContains(t, err, "negative")
	f, err = cluster.Submit(ctx, l.pool, other, "x")
	require.NoError(t, err)
	_, err = f.Get(ctx)
	require.ErrorIs(t, err, cluster.ErrAbandoned)
	l.requireEmpty(t)
}
