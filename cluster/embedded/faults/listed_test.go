package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// What lists say is what there is, once it is quiet: of tasks that were submitted, planned,
// cancelled and served at random, while others listed them.
func TestListsAreRight(t *testing.T) {
	t.Parallel()
	l := startOutside(t)
	ctx := testContext(t, 2*time.Minute)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	release := make(chan struct{})
	body := func(ctx context.Context, in string) (string, error) {
		if in == "hangs" {
			select {
			case <-release:
			case <-ctx.Done():
			}
		}
		return in, nil
	}
	served, other := cluster.Define("served", body), cluster.Define("served too", body)
	nobody := cluster.Define("nobody's", body)
	l.start(t, []cluster.Runnable{served, other}, cluster.Workers(64), cluster.Instance("host 1"),
		cluster.Version("v1.2.3"))

	listing, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for listing.Err() == nil {
			_, err := l.pool.Tasks(listing)
			if listing.Err() == nil {
				noError(t, err)
			}
			_, err = l.pool.List(listing, cluster.Query{})
			if listing.Err() == nil {
				noError(t, err)
			}
		}
	}()
	truth := map[string]cluster.State{} // by ID
	waiting, due, held := map[string]int{}, map[string]int{}, map[string]int{}
	var brief []*cluster.Future[string]
	for range long(400, 4000) {
		task := []cluster.Task[string, string]{served, other, nobody}[random.IntN(3)]
		switch random.IntN(5) {
		case 0: // it waits, and half of them are cancelled
			f, err := cluster.Schedule(ctx, l.pool, time.Hour, task, "later")
			require.NoError(t, err)
			if random.IntN(2) == 0 {
				prevented, err := l.pool.CancelTask(ctx, f.ID())
				require.NoError(t, err)
				require.True(t, prevented)
				continue
			}
			truth[f.ID()] = cluster.StateWaiting
			waiting[task.Name()]++
		case 1: // it runs for long
			if len(held) > 40 {
				continue
			}
			f, err := cluster.Submit(ctx, l.pool, task, "hangs")
			require.NoError(t, err)
			if task.Name() == nobody.Name() {
				truth[f.ID()], due[task.Name()] = cluster.StateDue, due[task.Name()]+1
			} else if held[task.Name()] < 20 {
				truth[f.ID()], held[task.Name()] = cluster.StateHeld, held[task.Name()]+1
			} else {
				_, err := f.Cancel(ctx)
				require.NoError(t, err)
			}
		default: // it is due soon, and runs if it is served
			f, err := cluster.Schedule(ctx, l.pool, time.Duration(random.IntN(1500))*time.Millisecond,
				task, "soon")
			require.NoError(t, err)
			if task.Name() == nobody.Name() {
				truth[f.ID()], due[task.Name()] = cluster.StateDue, due[task.Name()]+1
			} else {
				brief = append(brief, f)
			}
		}
	}
	for _, f := range brief {
		_, err := f.Get(ctx)
		require.NoError(t, err)
	}
	stop()
	<-ended

	rightly := func() error {
		list, err := l.pool.Tasks(ctx)
		if err != nil {
			return err
		}
		if len(list) != 3 {
			return fmt.Errorf("%d names", len(list))
		}
		for _, s := range list {
			workers := 1
			if s.Task == nobody.Name() {
				workers = 0
			}
			if int(s.Waiting) != waiting[s.Task] || int(s.Due) != due[s.Task] ||
				s.Held != held[s.Task] || s.Workers != workers || (s.Due > 0) == s.Oldest.IsZero() {
				return fmt.Errorf("%+v, and there are %d, %d and %d", s, waiting[s.Task], due[s.Task],
					held[s.Task])
			}
		}
		for _, q := range []cluster.Query{{Limit: 7}, {State: cluster.StateHeld, Limit: 3},
			{State: cluster.StateDue}, {State: cluster.StateWaiting, Limit: 1000},
			{Task: served.Name()}, {Task: nobody.Name(), State: cluster.StateDue, Limit: 5}} {
			if err := pagesAre(ctx, l.pool, q, truth); err != nil {
				return fmt.Errorf("%+v: %w", q, err)
			}
		}
		return nil
	}
	var wrong error
	require.Eventually(t, func() bool {
		wrong = rightly()
		return wrong == nil
	}, 30*time.Second, 100*time.Millisecond, "%v", &wrong)
	workers, err := l.pool.Workers(ctx)
	require.NoError(t, err)
	require.Len(t, workers, 1)
	require.Equal(t, "host 1", workers[0].Instance)
	require.Equal(t, "v1.2.3", workers[0].Version)
	require.Equal(t, []string{"served", "served too"}, workers[0].Tasks)
	require.Equal(t, 64, workers[0].Size)
	require.Eventually(t, func() bool { // a record is up to five seconds old
		workers, err := l.pool.Workers(ctx)
		return err == nil && len(workers) == 1 &&
			workers[0].Busy == held["served"]+held["served too"]
	}, 30*time.Second, 100*time.Millisecond)
	close(release)
}

// pagesAre tells whether all pages together have the tasks that they should have, each once.
func pagesAre(
	ctx context.Context, p *cluster.Pool, q cluster.Query, truth map[string]cluster.State,
) error {
	all := map[string]cluster.TaskRow{}
	for last := uint64(0); ; {
		page, err := p.List(ctx, q)
		if err != nil {
			return err
		}
		for _, row := range page.Rows {
			if _, twice := all[row.ID]; twice || row.Sequence <= last {
				return fmt.Errorf("%+v is out of order", row)
			}
			all[row.ID], last = row, row.Sequence
			if truth[row.ID] != row.State {
				return fmt.Errorf("%+v is %s", row, truth[row.ID])
			}
			if row.State == cluster.StateHeld && (row.Worker != "host 1" || row.Attempt != 1) {
				return fmt.Errorf("%+v is at no worker", row)
			}
		}
		if q.After = page.Next; page.Next == 0 {
			break
		}
	}
	for id, state := range truth {
		_, listed := all[id]
		if q.Task == "" && (q.State == "" || q.State == state) && !listed {
			return fmt.Errorf("%s is missing, which is %s", id, state)
		}
	}
	for id, row := range all {
		if q.Task != "" && row.Task != q.Task || q.State != "" && row.State != q.State {
			return fmt.Errorf("%s is not asked for: %+v", id, row)
		}
	}
	return nil
}

// The rows of lists have a JSON form whose names are as everywhere in JSON.
func TestRowsAsJSON(t *testing.T) {
	t.Parallel()
	for _, row := range []any{cluster.TaskSummary{}, cluster.TaskPage{Rows: []cluster.TaskRow{{}}},
		cluster.SeriesPage{Rows: []cluster.SeriesRow{{Last: &cluster.RanRow{}}}},
		cluster.TaskDetail{}, cluster.SeriesDetail{}, cluster.Worker{Running: []cluster.RunningRow{{}}}} {
		text, err := json.Marshal(row)
		require.NoError(t, err)
		require.NotRegexp(t, `"[A-Z][^"]*":`, string(text), "%T", row)
	}
}
