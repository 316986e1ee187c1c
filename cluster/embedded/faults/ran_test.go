package faults

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/executor"
)

// awaitRan waits until the last runs of a series are as they should be, the last one first.
func awaitRan(
	t *testing.T, p *cluster.Pool, task, series string, right func([]cluster.RanRow) bool,
) []cluster.RanRow {
	t.Helper()
	var list []cluster.RanRow
	require.Eventually(t, func() bool {
		var err error
		list, err = p.History(testContext(t, time.Minute), task, series)
		return noError(t, err) && right(list)
	}, 20*time.Second, 20*time.Millisecond, "%+v", &list)
	return list
}

func numbersOf(list []cluster.RanRow) (numbers []uint64) {
	for _, run := range list {
		numbers = append(numbers, run.Number)
	}
	return numbers
}

// from are the numbers from one down to another.
func from(first, last uint64) (numbers []uint64) {
	for n := first; n >= last; n-- {
		numbers = append(numbers, n)
	}
	return numbers
}

// The history of a series has its last twenty runs, and how each ended; also when two workers end
// them, and when the series begins anew.
func TestTheHistoryOfASeries(t *testing.T) {
	t.Parallel()
	l := startOutside(t)
	ctx := testContext(t, time.Minute)
	r := recorder{body: func(_ context.Context, run cluster.Run) error {
		switch {
		case run.Number%5 == 1:
			return errors.New("number ends in 1 or 6")
		case run.Number%5 == 2:
			panic("number ends in 2 or 7")
		}
		return nil
	}}
	for _, name := range []string{"host 1", "host 2"} {
		l.start(t, []cluster.Runnable{r.task()}, cluster.Instance(name))
	}
	s, err := cluster.AtFixedRate(ctx, l.pool, "a series", 0, 60*time.Millisecond, r.task(), "in")
	require.NoError(t, err)
	r.await(t, 27)
	require.NoError(t, s.Pause(ctx))
	var last uint64
	require.Eventually(t, func() bool {
		d, err := l.pool.SeriesDetail(ctx, "recorder", "a series")
		last = d.Number - 1
		return noError(t, err) && d.State == cluster.StatePaused
	}, 20*time.Second, 10*time.Millisecond)
	list := awaitRan(t, l.pool, "recorder", "a series", func(list []cluster.RanRow) bool {
		return slices.Equal(numbersOf(list), from(last, last-19))
	})
	for i, run := range list {
		require.Equal(t, 1, run.Attempt)
		require.Contains(t, []string{"host 1", "host 2"}, run.Instance)
		require.False(t, run.Began.Before(run.Scheduled))
		if i > 0 {
			require.True(t, run.Began.Before(list[i-1].Began))
		}
		switch run.Number % 5 {
		case 1:
			require.Equal(t, cluster.RunFailed, run.Outcome)
			require.Equal(t, "number ends in 1 or 6", run.Error)
		case 2:
			require.Equal(t, cluster.RunPanicked, run.Outcome)
			require.Equal(t, "number ends in 2 or 7", run.Error)
		default:
			require.Equal(t, cluster.RunSucceeded, run.Outcome)
			require.Empty(t, run.Error)
		}
	}

	// Its numbers begin anew, and what came before stays behind them.
	require.NoError(t, s.Cancel(ctx))
	ended, err := l.pool.History(ctx, "recorder", "a series")
	require.NoError(t, err)
	require.Equal(t, list, ended)
	_, err = l.pool.SeriesDetail(ctx, "recorder", "a series")
	require.ErrorIs(t, err, cluster.ErrNoSeries)
	_, err = cluster.AtFixedRate(ctx, l.pool, "a series", 0, time.Hour, r.task(), "in")
	require.NoError(t, err)
	s, err = cluster.AttachSeries(l.pool, r.task(), "a series")
	require.NoError(t, err)
	awaitRan(t, l.pool, "recorder", "a series", func(list []cluster.RanRow) bool {
		return slices.Equal(numbersOf(list), append([]uint64{1}, from(last, last-18)...))
	})
	require.NoError(t, s.Trigger(ctx))
	list = awaitRan(t, l.pool, "recorder", "a series", func(list []cluster.RanRow) bool {
		return slices.Equal(numbersOf(list), append([]uint64{2, 1}, from(last, last-17)...))
	})
	require.True(t, list[0].Triggered)
	require.False(t, list[1].Triggered)
}

// Commands that are given while a run is under way do not keep it out of the history, and by the
// names of a task and its series they can be given by a process that does not have the code.
func TestHistoryWithCommandsDuringARun(t *testing.T) {
	t.Parallel()
	l := startOutside(t)
	ctx := testContext(t, time.Minute)
	started, release := make(chan cluster.Run), make(chan error)
	task := cluster.Define("hangs", func(ctx context.Context, _ int) (int, error) {
		run, _ := cluster.RunFrom(ctx)
		started <- run
		select {
		case err := <-release:
			return 0, err
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	})
	knows := l.replica(t)
	calendar := named(time.Hour)
	_, err := cluster.On(ctx, knows, "s", calendar, task, 0)
	require.NoError(t, err)
	serving(t, knows, task)
	s, err := l.pool.SeriesByName("hangs", "s")
	require.NoError(t, err)

	d, err := l.pool.SeriesDetail(ctx, "hangs", "s")
	require.NoError(t, err)
	require.Equal(t, "calendar", d.Kind)
	require.Equal(t, "1h0m0s", d.Calendar)
	require.Equal(t, "0", d.Payload)
	require.Len(t, d.Upcoming, 5)
	for i, at := range d.Upcoming {
		require.True(t, at.Equal(d.Due.Add(time.Duration(i)*time.Hour)))
	}

	require.NoError(t, s.Trigger(ctx))
	first := <-started
	require.NoError(t, s.Trigger(ctx), "while it runs, without its calendar")
	release <- nil
	second := <-started
	require.Equal(t, first.Number+1, second.Number)
	require.NoError(t, s.Pause(ctx))
	require.NoError(t, s.Resume(ctx))
	require.NoError(t, s.Pause(ctx))
	release <- errors.New("failed")
	list := awaitRan(t, l.pool, "hangs", "s", func(list []cluster.RanRow) bool { return len(list) == 2 })
	require.Equal(t, cluster.RunFailed, list[0].Outcome)
	require.Equal(t, cluster.RunSucceeded, list[1].Outcome)
	require.Eventually(t, func() bool {
		d, err = l.pool.SeriesDetail(ctx, "hangs", "s")
		return noError(t, err) && d.State == cluster.StatePaused && len(d.Ran) == 2
	}, 20*time.Second, 10*time.Millisecond)
	require.Empty(t, d.Upcoming)
	require.NoError(t, s.Resume(ctx))
	require.Eventually(t, func() bool {
		d, err = l.pool.SeriesDetail(ctx, "hangs", "s")
		return noError(t, err) && d.State == cluster.StateWaiting && len(d.Upcoming) == 5
	}, 20*time.Second, 10*time.Millisecond)
	require.True(t, d.Due.Equal(calendar.Next(time.Now())) || d.Due.Before(time.Now()))

	require.NoError(t, s.Trigger(ctx))
	<-started
	require.NoError(t, s.Cancel(ctx))
	list = awaitRan(t, l.pool, "hangs", "s", func(list []cluster.RanRow) bool { return len(list) == 3 })
	require.Equal(t, cluster.RunCancelled, list[0].Outcome)
	require.NotZero(t, list[0].Took)
	require.ErrorIs(t, s.Trigger(ctx), cluster.ErrNoSeries)
}

// A run whose worker was killed is in the history with the attempt that has ended it, and the
// instance that has died in it. A worker that was killed is not listed any more after its time; one
// that is asked to end is not, at once.
func TestHistoryAndWorkersAcrossKills(t *testing.T) {
	t.Parallel()
	ns := startNodes(t, 1)
	ctx := testContext(t, time.Minute)
	workers := map[string]*process{}
	for _, name := range names {
		workers[name] = ns.worker(workerConfig{Name: name, Series: 1, Period: time.Second,
			In: input{Sleep: 20 * time.Second, Do: "first"}})
	}
	p := ns.join(ctx)
	instances := func() (list []string) {
		all, err := p.Workers(ctx)
		require.NoError(t, err)
		for _, w := range all {
			require.Equal(t, []string{"tick", "work"}, slices.Sorted(slices.Values(w.Tasks)))
			list = append(list, w.Instance)
		}
		return list
	}
	listed := func(want ...string) {
		require.Eventually(t, func() bool { return slices.Equal(instances(), want) }, 30*time.Second,
			50*time.Millisecond)
	}
	listed(names...)
	victim := await(t, ns.dir, func(e event) bool { return e.Kind == "start" && e.Number == 2 })
	require.Eventually(t, func() bool {
		page, err := p.Series(ctx, cluster.Query{State: cluster.StateHeld})
		return noError(t, err) && len(page.Rows) == 1 && page.Rows[0].Worker == victim.Who
	}, 20*time.Second, 20*time.Millisecond)
	workers[victim.Who].kill()
	listed(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == victim.Who })...)
	list := awaitRan(t, p, "tick", seriesName(0), func(list []cluster.RanRow) bool { return len(list) > 3 })
	slices.Reverse(list)
	for i, run := range list {
		require.EqualValues(t, i+1, run.Number)
		require.Equal(t, cluster.RunSucceeded, run.Outcome)
		require.NotZero(t, run.Began)
	}
	require.Equal(t, 2, list[1].Attempt)
	require.Equal(t, victim.Who, list[1].Before)
	require.NotEqual(t, victim.Who, list[1].Instance)
	require.Equal(t, 1, list[2].Attempt)
	require.Empty(t, list[2].Before)

	var left []string
	for _, name := range names {
		if name == victim.Who {
			continue
		}
		if left == nil {
			workers[name].interrupt()
			<-workers[name].ended
			left = []string{}
		} else {
			left = append(left, name)
		}
	}
	require.Equal(t, left, instances())
}

// A run that kills all its workers is left out, and the history says so.
func TestARunThatIsLeftOutIsInTheHistory(t *testing.T) {
	t.Parallel()
	ns := startNodes(t, 1)
	ctx := testContext(t, time.Minute)
	p := ns.join(ctx)
	bomb := ns.tasks().bomb // which may be begun twice
	_, err := cluster.AtFixedRate(ctx, p, "s", 0, 100*time.Millisecond, bomb, input{Do: "second"})
	require.NoError(t, err)
	for i := range 3 {
		config := workerConfig{Name: names[i], Tasks: []string{"bomb"}, Lease: 500 * time.Millisecond}
		if w := ns.worker(config); i < 2 {
			<-w.ended
		}
	}
	list := awaitRan(t, p, "bomb", "s", func(list []cluster.RanRow) bool { return len(list) > 2 })
	slices.Reverse(list)
	require.Equal(t, cluster.RunAbandoned, list[1].Outcome)
	require.Equal(t, 2, list[1].Attempt)
	require.Equal(t, "B", list[1].Instance)
	require.Zero(t, list[1].Began)
	require.Contains(t, list[1].Error, "none of 2 attempts")
	require.Equal(t, cluster.RunSucceeded, list[2].Outcome)
}

// A function that ends its series is in the history, too.
func TestAStoppedSeriesIsInTheHistory(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	r := recorder{body: func(context.Context, cluster.Run) error {
		return cluster.Stop(errors.New("all done"))
	}}
	l.serve(t, r.task())
	_, err := cluster.AtFixedRate(ctx, l.pool, "s", 0, time.Hour, r.task(), "")
	require.NoError(t, err)
	list := awaitRan(t, l.pool, "recorder", "s", func(list []cluster.RanRow) bool { return len(list) == 1 })
	require.Equal(t, cluster.RunStopped, list[0].Outcome)
	require.Equal(t, "all done", list[0].Error)
}

// What an earlier version has stored of a calendar does not have its text and times. It is listed
// as far as it is known, and a command that needs the next time, while a run is under way, says what
// it lacks.
func TestASeriesOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	l := startOutside(t)
	ctx := testContext(t, time.Minute)
	r := recorder{}
	js, err := jetstream.New(l.conn)
	require.NoError(t, err)
	due := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	store := func(how string, due time.Time) {
		m := nats.NewMsg("punctual.tasks." + how + ".recorder.s.s")
		if how == "arm" {
			m.Header.Set("Nats-Schedule", "@at "+due.Format(time.RFC3339Nano))
			m.Header.Set("Nats-Schedule-Target", "punctual.tasks.run.recorder.s.s")
		}
		for key, value := range map[string]string{"Due": due.Format(time.RFC3339Nano), "Do": "run",
			"Series": "s", "Number": "7", "Cadence": "calendar 0s skip", "Hash": "h", "Calendar": "c"} {
			m.Header.Set("Punctual-"+key, value)
		}
		m.Data = []byte(`"in"`)
		_, err = js.PublishMsg(ctx, m)
		require.NoError(t, err)
	}
	store("arm", due)
	page, err := l.pool.Series(ctx, cluster.Query{})
	require.NoError(t, err)
	require.Len(t, page.Rows, 1)
	row := page.Rows[0]
	require.EqualValues(t, 7, row.Number)
	require.True(t, row.Due.Equal(due))
	require.Equal(t, "calendar", row.Kind)
	require.Equal(t, "skip", row.CatchUp)
	require.Empty(t, row.Calendar)
	require.Len(t, row.Upcoming, 1)
	require.Nil(t, row.Last)
	require.Equal(t, 4, row.Size)
	s, err := l.pool.SeriesByName("recorder", "s")
	require.NoError(t, err)
	store("run", time.Now())
	err = s.Pause(ctx)
	require.ErrorIs(t, err, cluster.ErrInvalid)
	require.ErrorContains(t, err, "calendar was not declared in this process")
	require.NoError(t, s.Cancel(ctx))

	// Before it is served by this version, what was served by an earlier one has a consumer only.
	l.serve(t, r.task())
	_, err = cluster.WithFixedDelay(ctx, l.pool, "delayed", time.Hour, time.Minute, r.task(), "in",
		cluster.CatchUp(executor.Burst))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		page, err = l.pool.Series(ctx, cluster.Query{Task: "recorder", State: cluster.StateWaiting})
		return noError(t, err) && len(page.Rows) == 1
	}, 20*time.Second, 20*time.Millisecond)
	row = page.Rows[0]
	require.Equal(t, "burst", row.CatchUp)
	require.Equal(t, time.Minute, row.Every)
	require.Len(t, row.Upcoming, 5)
	require.True(t, row.Upcoming[4].Equal(row.Due.Add(4*time.Minute)))
}
