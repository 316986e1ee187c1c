package workflow_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/executor/workflow"
	"github.com/punctual-go/punctual/future"
)

// TestRandomWorkflows plays random workflows on pools: jobs with times and after others, which fail
// and are tried again, are paused, resumed, triggered, replaced and restarted. Nothing begins before
// what it is told of has ended; no job overlaps itself; and each run that counts is told to exactly
// one run, or is shown in the graph.
func TestRandomWorkflows(t *testing.T) {
	first, _ := strconv.ParseUint(os.Getenv("PUNCTUAL_FIRST_SEED"), 10, 64)
	for seed := range seeds(3000) / 10 {
		synctest.Test(t, func(t *testing.T) { newDrama(t, first+seed).play() })
	}
}

// drama is one of them.
type drama struct {
	*testing.T
	seed uint64
	r    *rand.Rand
	pool *executor.ScheduledPool
	flow *workflow.Workflow
	jobs []workflow.Job

	mu     sync.Mutex
	active map[string]int
	counts map[string]map[workflow.Condition]uint64 // ends of a job, by the conditions that they meet
	ends   map[string]time.Time
	told   map[[2]string]uint64 // runs of one job that another has been told of
}

func newDrama(t *testing.T, seed uint64) *drama {
	d := &drama{T: t, seed: seed, r: rand.New(rand.NewPCG(seed, 2)), active: map[string]int{},
		counts: map[string]map[workflow.Condition]uint64{}, ends: map[string]time.Time{}, told: map[[2]string]uint64{}}
	d.pool = executor.NewScheduledPool(1+d.r.IntN(3), executor.Logger(slog.New(slog.DiscardHandler)))
	d.flow = workflow.New(d.pool)
	for jobs := drawn(d.r); d.jobs == nil; jobs = drawn(d.r) {
		if !isCyclic(jobs) {
			d.jobs = jobs
		}
	}
	for i := range d.jobs {
		j := &d.jobs[i]
		d.counts[j.Name] = map[workflow.Condition]uint64{}
		j.Task = d.body(j.Name, d.r.Uint64())
		j.Options = []executor.TaskOption{executor.FailurePolicy(executor.Continue)}
		if d.r.IntN(3) == 0 {
			j.Options = append(j.Options, executor.Retry(2, retry.Backoff{Base: ms(3), Spread: retry.NoSpread}))
		}
		if len(j.After) == 0 {
			j.Every = ms(5 + d.r.IntN(40))
		}
	}
	return d
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// body is the task of a job: how each of its attempts goes follows from a number.
func (d *drama) body(name string, n uint64) executor.Task {
	return func(ctx context.Context) error {
		r, _ := executor.RunFrom(ctx)
		d.begins(name, ctx, r)
		x := rand.New(rand.NewPCG(n, r.Number<<8+r.Attempt))
		time.Sleep(ms(x.IntN(15)))
		err, panics := error(nil), false
		switch x.IntN(6) {
		case 0, 1:
			err = errBoom
		case 2:
			err = executor.ErrSkipped
		case 3:
			panics = true
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.active[name]--
		h, _ := executor.HandleFrom(ctx)
		stopped := h.State() == future.Cancelled
		if err == errBoom && r.Attempt == 1 && !stopped {
			return err // another attempt follows
		}
		d.ends[name] = time.Now()
		d.counts[name][workflow.Always]++
		switch {
		case stopped && err != nil: // no failure
		case panics:
			if !stopped {
				d.counts[name][workflow.OnFailure]++
			}
			panic(errPanic)
		case err == nil:
			d.counts[name][workflow.OnSuccess]++
		case err == errBoom:
			d.counts[name][workflow.OnFailure]++
		}
		return err
	}
}

func (d *drama) begins(name string, ctx context.Context, r executor.Run) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.active[name]++
	if d.active[name] > 1 {
		d.Errorf("seed %d: %s overlaps itself", d.seed, name)
	}
	if r.Attempt > 1 {
		return
	}
	for _, c := range workflow.Causes(ctx) {
		d.told[[2]string{c.Name, name}] += c.Runs
		last := c.Last.Started.Add(c.Last.Took)
		if c.Runs == 0 || last.After(time.Now()) || last.After(d.ends[c.Name]) {
			d.Errorf("seed %d: %s is told of %+v, which is not over", d.seed, name, c)
		}
	}
}

func (d *drama) play() {
	_, err := d.flow.Apply(d.jobs...)
	require.NoError(d, err)
	for range 30 {
		// At no moment at which a body ends: whether a run has failed, or was cancelled, is decided
		// after that.
		time.Sleep(ms(d.r.IntN(20)) + 7*time.Microsecond)
		j := &d.jobs[d.r.IntN(len(d.jobs))]
		h, ok := d.pool.Job(j.Name)
		require.True(d, ok, "seed %d", d.seed)
		switch d.r.IntN(8) {
		case 0:
			h.Pause()
		case 1, 2:
			h.Resume()
		case 3:
			h.Trigger()
		case 4: // replaced
			j.Options = append(j.Options[:len(j.Options):len(j.Options)], executor.Timeout(time.Hour+ms(d.r.IntN(100))))
			_, err := d.flow.Apply(d.jobs...)
			require.NoError(d, err)
		case 5:
			if len(j.After) > 0 {
				h.Stop()
				_ = d.pool.Restart(j.Name) // it may still be running
			}
		}
	}
	for i := range d.jobs { // nothing new begins
		h, _ := d.pool.Job(d.jobs[i].Name)
		if d.jobs[i].Every > 0 {
			h.Pause()
		}
	}
	time.Sleep(time.Second)
	synctest.Wait()
	d.balance()
	require.NoError(d, d.pool.Close())
}

// balance compares what has ended with what others have been told.
func (d *drama) balance() {
	g := d.flow.Graph()
	dropped := map[string]uint64{}
	for _, n := range g.Nodes {
		dropped[n.Name] = n.Dropped
	}
	sum := map[string]int{} // of what each job has not been told, without what has not led to a run
	for _, e := range g.Edges {
		ended, told := d.counts[e.From][e.When], d.told[[2]string{e.From, e.To}]
		if told+e.Met > ended {
			d.Errorf("seed %d: of %d runs %s -> %s, %d were told, and %d wait", d.seed, ended, e.From, e.To, told, e.Met)
		}
		sum[e.To] += int(ended - told - e.Met)
	}
	for name, untold := range sum {
		if untold != int(dropped[name]) {
			d.Errorf("seed %d: %s: %d runs are neither told nor wait, %d were dropped", d.seed, name, untold, dropped[name])
		}
	}
}
