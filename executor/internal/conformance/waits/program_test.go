package waits_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

// programs returns how many random programs a test runs.
func programs() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("PUNCTUAL_SEEDS"), 10, 64); err == nil {
		return n
	}
	return 1000
}

// Tasks submit others, wait for them in all ways, fail and are tried again, are reset and
// cancelled, in pools that are paused and serial executors that put them off. The ledger checks
// each start; and in the end all has come to an end.
func TestRandomProgramsOfTasksThatWaitForWhatIsPutOff(t *testing.T) {
	if seed, err := strconv.ParseUint(os.Getenv("PUNCTUAL_SEED"), 10, 64); err == nil {
		runProgram(t, seed)
		return
	}
	for seed := uint64(1); seed <= programs() && !t.Failed(); seed++ {
		runProgram(t, seed)
	}
}

func runProgram(t *testing.T, seed uint64) {
	synctest.Test(t, func(t *testing.T) {
		g := newProgram(seed)
		for range 1 + g.upTo(6) {
			g.step(context.Background(), 0, 0, true)
			time.Sleep(g.some(4 * time.Second))
		}
		g.end()
		if !g.settles() {
			t.Errorf("seed %d: what is pending a year later: %v; %+v", seed, g.pending(), g.pool.Stats())
			g.pool.ShutdownNow()
			g.release()
			return
		}
		<-g.pool.Terminated()
		pooltest.NothingLost(t, g.pool.Stats())
		for _, fault := range g.check() {
			t.Errorf("seed %d: %s", seed, fault)
		}
	})
}

// program is a random program while it runs.
type program struct {
	*ledger
	pool      *executor.Pool
	scheduled *executor.ScheduledPool // the same, or nil
	serials   []*serial.Serial
	kill      context.Context // ends what hangs, once that has been told
	release   context.CancelFunc

	// Waits on goroutines other than that of the run. The pool cannot know that a run waits for
	// them, so in such a program no wait ends early: a chain of both may block for good, see await.
	strangers bool

	rngLock sync.Mutex
	rng     *rand.Rand
}

func newProgram(seed uint64) *program {
	g := &program{rng: rand.New(rand.NewPCG(seed, 7)), ledger: newLedger()}
	g.kill, g.release = context.WithCancel(context.Background())
	g.strangers = g.oneIn(3)
	opts := []executor.Option{pooltest.Quiet()}
	if g.oneIn(4) {
		g.pace = rate{1 + g.upTo(3), g.some(3 * time.Second)}
		opts = append(opts, executor.Pace(g.pace.n, g.pace.per))
	}
	size := 1 + g.upTo(3)
	switch g.upTo(4) {
	case 0:
		g.pool = executor.NewPool(size, opts...)
	case 1:
		g.pool = executor.NewPool(size, append(opts, executor.Queue(queue.Bounded(g.upTo(4))),
			executor.OnRejection(rejection.CallerRuns))...)
	default:
		g.scheduled = executor.NewScheduledPool(size, opts...)
		g.pool = &g.scheduled.Pool
	}
	for range 1 + g.upTo(3) {
		var lane laneRule
		var how []serial.Option
		if g.oneIn(2) {
			lane.gap = g.some(3 * time.Second)
			how = append(how, serial.Gap(lane.gap))
		}
		if g.oneIn(3) {
			lane.pace = rate{1 + g.upTo(2), g.some(4 * time.Second)}
			how = append(how, executor.Pace(lane.pace.n, lane.pace.per))
		}
		g.lanes = append(g.lanes, lane)
		g.serials = append(g.serials, serial.New(g.pool, how...))
	}
	return g
}

func (g *program) upTo(n int) int {
	g.rngLock.Lock()
	defer g.rngLock.Unlock()
	return g.rng.IntN(n)
}

func (g *program) oneIn(n int) bool { return g.upTo(n) == 0 }

// some returns a time of at least a tenth of a second.
func (g *program) some(most time.Duration) time.Duration {
	return time.Duration(1+g.upTo(int(most/(100*time.Millisecond)))) * 100 * time.Millisecond
}

// step submits a task, to a lane from the given one on or to none, and may wait for it, or change
// its mind about it. A task waits only for what it has submitted, and one in a lane, or one that
// such a task waits for, only for lanes behind its own: so no two wait for each other.
func (g *program) step(ctx context.Context, from, depth int, outside bool) {
	task := g.submit(from, depth)
	if task == nil {
		return
	}
	for range g.upTo(3) {
		switch g.upTo(6) {
		case 0:
			if d := g.some(5 * time.Second); g.oneIn(2) {
				g.reset(task, d)
			} else {
				g.reset(task, 0)
			}
		case 1:
			time.Sleep(g.some(2 * time.Second))
		case 2:
			g.pool.PauseUntil(time.Now().Add(g.some(2 * time.Second)))
		case 3:
			if !g.strangers && g.oneIn(3) {
				task.future.Cancel()
			}
		}
	}
	if !outside && !g.oneIn(4) {
		g.wait(ctx, task.future)
	}
}

// wait waits for f in one of the ways there are; first, sometimes, not long enough.
func (g *program) wait(ctx context.Context, f *future.Future[struct{}]) {
	if !g.strangers && g.oneIn(3) {
		_, _ = f.GetTimeout(g.some(3 * time.Second))
	}
	if !g.strangers && g.oneIn(3) {
		within, cancel := context.WithTimeout(ctx, g.some(3*time.Second))
		_, _ = f.Get(within)
		cancel()
	}
	switch way := g.upTo(4); {
	case way == 0:
		_, _ = f.GetTimeout(1000 * time.Hour)
	case way == 1 && g.strangers:
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = f.Get(ctx)
		}()
		<-done
	case way == 2:
		_, _ = f.Get(g.kill)
	default:
		_, _ = f.Get(ctx)
	}
}

// submit submits a random task, and returns nil if it is refused.
func (g *program) submit(from, depth int) *entry {
	e := &entry{name: fmt.Sprint("task ", g.next()), lane: -1, attempts: 1}
	opts := []executor.TaskOption{executor.Name(e.name), executor.Unique()}
	if from < len(g.serials) && !g.oneIn(3) {
		e.lane = from + g.upTo(len(g.serials)-from)
		from = e.lane + 1
	}
	if g.oneIn(3) {
		e.attempts, e.wait = uint64(2+g.upTo(2)), g.some(3*time.Second)
		opts = append(opts, executor.Retry(int(e.attempts), steady(e.wait)))
	}
	body := func(ctx context.Context) error { return g.run(ctx, e, from, depth) }
	if g.scheduled != nil && g.oneIn(3) {
		e.delay = g.some(4 * time.Second)
	}
	g.mu.Lock() // so that the order of submission is known
	defer g.mu.Unlock()
	e.due = time.Now().Add(e.delay)
	var err error
	switch {
	case e.delay > 0 && e.lane >= 0:
		var f *executor.ScheduledFuture[struct{}]
		if f, err = g.serials[e.lane].Schedule(e.delay, body, opts...); err == nil {
			e.future = f.Future
		}
	case e.delay > 0:
		var f *executor.ScheduledFuture[struct{}]
		if f, err = g.scheduled.Schedule(e.delay, body, opts...); err == nil {
			e.future = f.Future
		}
	case e.lane >= 0:
		e.future, err = g.serials[e.lane].Submit(body, opts...)
	default:
		g.mu.Unlock() // the caller may run it
		e.future, err = g.pool.Submit(body, opts...)
		g.mu.Lock()
	}
	if err != nil {
		return nil
	}
	g.entries = append(g.entries, e)
	return e
}

// run is the body of all tasks.
func (g *program) run(ctx context.Context, e *entry, from, depth int) error {
	r, _ := executor.RunFrom(ctx)
	g.begins(e, r)
	defer g.ends(e)
	if g.oneIn(2) {
		time.Sleep(g.some(2 * time.Second))
	}
	for range g.upTo(3) {
		if depth < 4 {
			g.step(ctx, from, depth+1, false)
		}
	}
	if g.oneIn(2) {
		return errors.New("fails")
	}
	return nil
}

// end ends the program: by a shutdown of any kind, at a random time.
func (g *program) end() {
	switch g.upTo(3) {
	case 0:
		time.Sleep(g.some(5 * time.Second))
		g.closes()
		go func() { _ = g.pool.Close() }()
		synctest.Wait()
	case 1:
		time.Sleep(g.some(5 * time.Second))
		g.pool.ShutdownNow()
	default:
		time.Sleep(1000 * time.Hour)
		g.pool.Shutdown()
	}
}

// settles reports whether all tasks end within a year.
func (g *program) settles() bool {
	deadline, cancel := context.WithTimeout(context.Background(), 365*24*time.Hour)
	defer cancel()
	for _, e := range g.all() {
		select {
		case <-e.future.Stopped():
		case <-deadline.Done():
			return false
		}
	}
	return true
}

// reset moves a task, if it has not begun.
func (g *program) reset(e *entry, d time.Duration) {
	h, found := g.pool.Lookup(e.name)
	if !found {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if h.Reset(d) {
		e.due, e.moved = time.Now().Add(d), true
	}
}
