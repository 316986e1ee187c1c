package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/shardcount"
)

// The model of a pool is a list of what was submitted, with what has become of it as its bodies
// tell. All times lie on a grid, of half a tick, and the pool is looked at, from inside too, at
// every instant of it: so what is due and has not begun has found all workers busy, and what starts
// late has waited for one.
type poolModel struct {
	pool    modelledPool
	timed   *executor.ScheduledPool // nil for a plain pool
	start   time.Time
	core    int
	policy  string
	bounded bool // a submission may be refused, or wait
	inOrder bool // the queue is first in, first out
	leave   context.Context
	leaving context.CancelFunc // of those who wait for room
	calls   sync.WaitGroup     // submissions and closings in progress
	steps   int
	stage   int
	closing bool // somebody has asked for the end
	stopped bool // nothing may begin any more

	mu        sync.Mutex // guards the fields below, and those of the jobs
	jobs      []*job
	inBody    int
	ended     uint64
	accepted  uint64
	rejected  uint64
	cancelled uint64
	problem   error // the first that a body has seen
}

// modelledPool is what both kinds of pool have.
type modelledPool interface {
	executor.Submitter
	Stats() executor.Stats
	Close() error
	SetCoreSize(int) error
	SetMaximumSize(int) error
	SetKeepAlive(time.Duration) error
	SetCoreTimeout(bool) error
	SubmitContext(context.Context, executor.Task, ...executor.TaskOption) (*future.Future[struct{}], error)
	SetRejectionPolicy(rejection.Policy) error
	PrestartWorkers() int
	Queued() []executor.Pending
	Running() []executor.Running
	Shutdown()
	ShutdownNow() []executor.Pending
	CloseContext(context.Context) (executor.Report, error)
	Terminated() <-chan struct{}
}

// job is one submission.
type job struct {
	id      int
	when    time.Duration // of the next run, at the earliest
	lasts   time.Duration
	heeds   bool // the end of its context
	kind    byte // of its end
	timeout time.Duration
	every   time.Duration // of a series; negative for a fixed delay
	maxRuns int
	policy  executor.ErrorPolicy
	burst   bool // every period gets its run
	child   *job // submitted by the body
	inside  bool // is such a child
	aside   bool // its submitter waits for room, or may run it

	answered  bool // the submission has returned
	err       error
	future    *future.Future[struct{}] // nil for a bare task
	starts    []time.Duration
	running   bool
	ended     time.Duration // of the last run
	late      bool          // a run has outlived its timeout
	cancelled bool          // by the model
	returned  bool          // a series that was in a run when the pool was ended
}

const modelTick = time.Millisecond

func TestPoolAgreesWithItsModel(t *testing.T) {
	for range 8 { // of a hundred cases each
		rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, comparePool) })
	}
}

func TestScheduledPoolAgreesWithItsModel(t *testing.T) {
	for range 8 {
		rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, compareScheduledPool) })
	}
}

func comparePool(t *rapid.T) { newPoolModel(t, false).play(t) }

func compareScheduledPool(t *rapid.T) { newPoolModel(t, true).play(t) }

func newPoolModel(t *rapid.T, timed bool) *poolModel {
	m := &poolModel{start: time.Now(), inOrder: true}
	m.leave, m.leaving = context.WithCancel(context.Background())
	m.core = rapid.IntRange(0, 3).Draw(t, "core")
	opts := []executor.Option{executor.Logger(slog.New(slog.DiscardHandler))}
	add := func(text string, o ...executor.Option) {
		if rapid.IntRange(0, 2).Draw(t, text) == 0 {
			opts = append(opts, o...)
		}
	}
	add("handler", executor.ErrorHandler(func(context.Context, executor.Run, error) {}))
	add("hooks", executor.BeforeRun(func(context.Context, executor.Run) {}), executor.AfterRun(func(context.Context, executor.Run, error) {}))
	add("keep-alive", executor.KeepAlive(modelTicks(t, 1, 5, "keep-alive")), executor.CoreTimeout())
	if limit := rapid.IntRange(-5, 5).Draw(t, "limit"); limit > 0 {
		m.bounded = true
		opts = append(opts, executor.PendingLimit(limit))
	}
	m.policy = rapid.SampledFrom([]string{"abort", "caller runs", "discard", "discard oldest", "block"}).Draw(t, "policy")
	opts = append(opts, executor.OnRejection(modelPolicies[m.policy]))
	if timed {
		shardcount.Set(rapid.SampledFrom(shardcount.Counts[:]).Draw(t, "shards"))
		m.timed = executor.NewScheduledPool(m.core, opts...)
		m.pool = m.timed
		return m
	}
	if rapid.Bool().Draw(t, "grows") {
		opts = append(opts, executor.MaximumSize(max(m.core, 1)+rapid.IntRange(0, 2).Draw(t, "maximum")))
	}
	add("first", executor.GrowFirst())
	m.pool = executor.NewPool(m.core, append(opts, executor.Queue(m.queue(t)))...)
	return m
}

var modelPolicies = map[string]rejection.Policy{
	"abort": rejection.Abort, "caller runs": rejection.CallerRuns, "discard": rejection.Discard,
	"discard oldest": rejection.DiscardOldest, "block": rejection.Block,
}

func (m *poolModel) queue(t *rapid.T) queue.Queue {
	q := queue.FIFO()
	switch rapid.IntRange(0, 4).Draw(t, "queue") {
	case 0:
		q, m.inOrder = queue.Priority(), false
	case 1:
		q, m.inOrder = queue.Custom(queue.Priority().New), false
	}
	if capacity := rapid.IntRange(-4, 3).Draw(t, "capacity"); capacity >= 0 {
		m.bounded = true
		q = q.Bounded(capacity)
	}
	return q
}

func modelTicks(t *rapid.T, least, most int, name string) time.Duration {
	return time.Duration(rapid.IntRange(least, most).Draw(t, name)) * modelTick
}

func (m *poolModel) play(t *rapid.T) {
	defer m.release()
	steps := map[string]func(*rapid.T){
		"execute": func(t *rapid.T) { m.submit(m.newJob(t, 2), m.execute) },
		"burst":   m.burst,
		"submit":  func(t *rapid.T) { m.submit(m.newJob(t, 2), m.submitTask(t)) },
		"enter":   func(t *rapid.T) { m.enter(t) },
		"cancel":  m.cancel,
		"sizes":   m.resize,
		"look":    m.look,
		"time":    m.advance,
		"rest":    m.rest,
		"end":     m.end,
		"":        m.check,
	}
	if m.timed != nil {
		steps["schedule"], steps["schedule more"] = m.schedule, m.schedule
		steps["series"], steps["policies"] = m.series, m.shutdownPolicies
	}
	t.Repeat(steps)
	m.finish(t)
}

// release lets every goroutine of the bubble end.
func (m *poolModel) release() {
	m.leaving()
	m.pool.ShutdownNow()
	<-m.pool.Terminated()
	m.calls.Wait()
}

func (m *poolModel) now() time.Duration { return time.Since(m.start) }

// newJob draws a job, and perhaps one that it submits, down to some depth.
func (m *poolModel) newJob(t *rapid.T, depth int) *job {
	j := &job{lasts: max(0, modelTicks(t, -4, 4, "lasts")), heeds: rapid.Bool().Draw(t, "heeds")}
	j.kind = byte(max(0, rapid.IntRange(-5, 3).Draw(t, "kind")))
	if rapid.IntRange(0, 4).Draw(t, "limited") == 0 { // beside the grid, so that it is clear what comes first
		j.timeout = modelTicks(t, 0, 3, "timeout") + modelTick/2
	}
	if depth > 0 && rapid.IntRange(0, 5).Draw(t, "child") == 0 {
		j.child = m.newJob(t, depth-1)
		j.child.inside = true
		j.child.kind %= 3 // if the job has to run it itself, an exit would be its own
	}
	return j
}

func (m *poolModel) add(j *job) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j.id = len(m.jobs)
	j.when += m.now()
	m.jobs = append(m.jobs, j)
}

// submit calls how on a goroutine of its own, as it may be that the caller has to wait, or to run
// the job.
func (m *poolModel) submit(j *job, how func(j *job) (*future.Future[struct{}], error)) {
	m.add(j)
	m.calls.Go(func() { m.answer(j, how) })
	synctest.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	j.aside = !j.answered || m.policy == "caller runs"
}

func (m *poolModel) answer(j *job, how func(j *job) (*future.Future[struct{}], error)) {
	defer func() { // also if a job that the caller runs ends its goroutine: then it has been accepted
		m.mu.Lock()
		defer m.mu.Unlock()
		j.answered = true
		if j.err != nil {
			m.rejected++
		} else {
			m.accepted++
		}
	}()
	f, err := how(j)
	m.mu.Lock()
	j.future, j.err = f, err
	m.mu.Unlock()
}

func (m *poolModel) execute(j *job) (*future.Future[struct{}], error) {
	j.timeout = 0
	return nil, m.pool.Execute(m.body(j))
}

func (m *poolModel) options(j *job) (opts []executor.TaskOption) {
	if j.timeout > 0 {
		opts = append(opts, executor.Timeout(j.timeout))
	}
	if j.every != 0 {
		opts = append(opts, executor.FailurePolicy(j.policy))
	}
	return opts
}

func (m *poolModel) submitTask(t *rapid.T) func(j *job) (*future.Future[struct{}], error) {
	priority := executor.Priority(rapid.IntRange(-2, 2).Draw(t, "priority"))
	return func(j *job) (*future.Future[struct{}], error) {
		return m.pool.Submit(m.body(j), append(m.options(j), priority)...)
	}
}

// burst is many small tasks without futures, as they are dealt.
func (m *poolModel) burst(t *rapid.T) {
	m.submit(&job{lasts: modelTicks(t, 0, 2, "first")}, m.execute)
	for range rapid.IntRange(2, 12).Draw(t, "tasks") {
		j := &job{kind: byte(max(0, rapid.IntRange(-9, 3).Draw(t, "kind")))}
		if rapid.IntRange(0, 4).Draw(t, "long") == 0 {
			j.lasts = modelTick
		}
		m.submit(j, m.execute)
	}
}

// enter submits with patience for room.
func (m *poolModel) enter(t *rapid.T) {
	patience := modelTicks(t, 0, 4, "patience")
	m.submit(m.newJob(t, 1), func(j *job) (*future.Future[struct{}], error) {
		ctx, cancel := context.WithTimeout(m.leave, patience)
		defer cancel()
		return m.pool.SubmitContext(ctx, m.body(j), m.options(j)...)
	})
}

func (m *poolModel) schedule(t *rapid.T) {
	j := m.newJob(t, 1)
	delay := modelTicks(t, -1, 6, "delay")
	j.when = max(0, delay)
	m.submit(j, func(j *job) (*future.Future[struct{}], error) {
		return plain(m.timed.Schedule(delay, m.body(j), m.options(j)...))
	})
}

func plain(f *executor.ScheduledFuture[struct{}], err error) (*future.Future[struct{}], error) {
	if err != nil {
		return nil, err
	}
	return f.Future, nil
}

func (m *poolModel) series(t *rapid.T) {
	j := m.newJob(t, 0)
	j.when = modelTicks(t, 0, 4, "initial")
	j.every, j.maxRuns = modelTicks(t, 1, 4, "every"), rapid.IntRange(1, 5).Draw(t, "runs")
	policy := executor.CatchUpPolicy(rapid.IntRange(0, 2).Draw(t, "catch up"))
	j.burst = policy == executor.Burst
	j.policy = executor.ErrorPolicy(rapid.IntRange(0, 2).Draw(t, "on error"))
	every, repeat := j.every, m.timed.AtFixedRate
	opts := append(m.options(j), executor.MaxRuns(j.maxRuns))
	byDefault := false
	switch rapid.IntRange(0, 2).Draw(t, "way") {
	case 0:
		j.when, byDefault = every, policy == executor.Coalesce
		repeat = func(
			_, period time.Duration, task executor.Task, opts ...executor.TaskOption,
		) (*executor.ScheduledFuture[struct{}], error) {
			return m.timed.Every(period, task, opts...)
		}
	case 1:
		j.every, repeat = -every, m.timed.WithFixedDelay
	}
	if !byDefault {
		opts = append(opts, executor.CatchUp(policy))
	}
	m.submit(j, func(j *job) (*future.Future[struct{}], error) {
		return plain(repeat(j.when-m.now(), every, m.body(j), opts...))
	})
}

// body is what the pool runs for a job.
func (m *poolModel) body(j *job) executor.Task {
	return func(ctx context.Context) error {
		m.begin(ctx, j)
		defer m.over(j)
		if j.heeds {
			select {
			case <-time.After(j.lasts):
			case <-ctx.Done():
			}
		} else if j.lasts > 0 {
			time.Sleep(j.lasts)
		}
		if j.child != nil && len(j.starts) == 1 {
			m.add(j.child)
			m.answer(j.child, m.execute)
		}
		return misbehave(j.kind)
	}
}

// begin accounts for the start of a run.
func (m *poolModel) begin(ctx context.Context, j *job) {
	run, ok := executor.Run{}, true
	if j.every != 0 { // to look costs a bare task its place in a hand
		run, ok = executor.RunFrom(ctx)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	j.starts = append(j.starts, now)
	m.inBody++
	switch n := len(j.starts); {
	case j.running:
		m.fail("job %d overlaps itself", j.id)
	case n > 1 && j.every == 0:
		m.fail("job %d has started %d times", j.id, n)
	case now < j.when:
		m.fail("job %d has started at %v, before %v", j.id, now, j.when)
	case j.answered && j.err != nil, j.cancelled, m.stopped:
		m.fail("job %d has started: refused with %v, cancelled %v, stopped %v", j.id, j.err, j.cancelled, m.stopped)
	case !ok || j.every != 0 && (run.Number != uint64(n) || !run.Started.Equal(time.Now())):
		m.fail("run %d of job %d is told as %+v", n, j.id, run)
	case j.every != 0 && (j.every < 0 || j.burst) && !run.Scheduled.Equal(m.start.Add(j.when)):
		m.fail("run %d of job %d was planned for %v, not %v", n, j.id, run.Scheduled.Sub(m.start), j.when)
	}
	j.running = true
}

// over accounts for the end of a run.
func (m *poolModel) over(j *job) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j.running, j.ended = false, m.now()
	m.inBody--
	m.ended++
	if j.timeout > 0 && j.ended-j.starts[len(j.starts)-1] >= j.timeout {
		j.late = true
	}
	switch {
	case j.every > 0:
		j.when += j.every
	case j.every < 0:
		j.when = j.ended - j.every
	}
}

func (m *poolModel) fail(format string, args ...any) {
	if m.problem == nil {
		m.problem = fmt.Errorf(format, args...)
	}
}

func (m *poolModel) cancel(t *rapid.T) {
	m.mu.Lock()
	with := slices.DeleteFunc(slices.Clone(m.jobs), func(j *job) bool { return j.future == nil })
	m.mu.Unlock()
	if len(with) == 0 {
		t.Skip("nobody can be cancelled")
	}
	j := rapid.SampledFrom(with[max(0, len(with)-8):]).Draw(t, "job")
	_, settled := j.future.Poll()
	cancel := j.future.Cancel
	if rapid.Bool().Draw(t, "in peace") {
		cancel = j.future.Stop
	}
	did := cancel()
	if did == settled {
		t.Fatalf("cancelling job %d, settled %v: %v", j.id, settled, did)
	}
	if did {
		m.mu.Lock()
		defer m.mu.Unlock()
		j.cancelled = true
		if !j.returned {
			m.cancelled++
		}
	}
}

func (m *poolModel) resize(t *rapid.T) {
	err := error(nil)
	switch n := rapid.IntRange(-1, 4).Draw(t, "n"); rapid.IntRange(0, 5).Draw(t, "what") {
	case 0:
		err = m.pool.SetCoreSize(n)
	case 1:
		err = m.pool.SetMaximumSize(n)
	case 2:
		err = m.pool.SetKeepAlive(time.Duration(n) * modelTick)
	case 3:
		err = m.pool.SetCoreTimeout(n%2 == 0)
	case 4:
		m.pool.PrestartWorkers()
	default:
		m.policy = rapid.SampledFrom([]string{"abort", "caller runs", "discard", "discard oldest", "block"}).Draw(t, "policy")
		err = m.pool.SetRejectionPolicy(modelPolicies[m.policy])
	}
	if err != nil && !errors.Is(err, executor.ErrInvalid) {
		t.Fatal(err)
	}
}

// look asks for what changes how the pool keeps its tasks.
func (m *poolModel) look(t *rapid.T) {
	s := m.pool.Stats()
	if n := len(m.pool.Queued()); n != s.Queued {
		t.Fatalf("%d tasks are queued, counted as %d", n, s.Queued)
	}
	if rapid.IntRange(0, 3).Draw(t, "running") > 0 {
		return
	}
	if n := len(m.pool.Running()); n != s.Busy {
		t.Fatalf("%d tasks run, counted as %d", n, s.Busy)
	}
}

func (m *poolModel) advance(t *rapid.T) {
	for range rapid.IntRange(1, 12).Draw(t, "half ticks") {
		m.check(t)
		time.Sleep(modelTick / 2)
	}
}

// rest lets pass more time than anything takes: if there is nothing to do then, only core workers
// stay.
func (m *poolModel) rest(t *rapid.T) {
	if rapid.IntRange(0, 4).Draw(t, "seldom") > 0 {
		t.Skip("not now")
	}
	before := m.pool.Stats()
	for range 40 {
		m.check(t)
		time.Sleep(modelTick / 2)
	}
	synctest.Wait()
	s := m.pool.Stats()
	if s.Queued+s.Busy+before.Queued+before.Busy > 0 || s.Runs != before.Runs {
		return
	}
	stay := s.Core
	if s.CoreTimeout {
		stay = 0
	}
	if s.Workers > stay {
		t.Fatalf("%d workers have nothing to do, with a core of %d: %+v", s.Workers, s.Core, s)
	}
}

func (m *poolModel) shutdownPolicies(t *rapid.T) {
	m.timed.SetExecuteDelayedAfterShutdown(rapid.Bool().Draw(t, "delayed"))
	m.timed.SetContinuePeriodicAfterShutdown(rapid.Bool().Draw(t, "periodic"))
}

// end comes late and seldom, so that most steps are those of a pool that runs.
func (m *poolModel) end(t *rapid.T) {
	if !m.closing && (m.steps < 20 || rapid.IntRange(0, 3).Draw(t, "seldom") > 0) {
		t.Skip("not now")
	}
	m.closing = true
	switch rapid.IntRange(0, 2).Draw(t, "how") {
	case 0:
		m.pool.Shutdown()
	case 1:
		patience := modelTicks(t, 0, 6, "patience")
		m.handBackRuns()
		m.calls.Go(func() {
			ctx, cancel := context.WithTimeout(m.leave, patience)
			defer cancel()
			if report, err := m.pool.CloseContext(ctx); err == nil && len(report.Running) > 0 {
				m.mu.Lock()
				defer m.mu.Unlock()
				m.fail("a pool that is closed runs %d tasks", len(report.Running))
			}
		})
	default:
		queued, inRuns := m.pool.Stats().Queued, m.handBackRuns()
		if n := len(m.pool.ShutdownNow()); n != queued+inRuns {
			t.Fatalf("%d tasks are handed back, of %d queued and %d in runs", n, queued, inRuns)
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.stopped = true
	}
}

// handBackRuns notes, at rest, which series are in a run that is not their last, and returns how
// many.
func (m *poolModel) handBackRuns() (count int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, j := range m.jobs {
		mayRepeat := j.every != 0 && len(j.starts) < j.maxRuns
		if mayRepeat && j.running && !j.returned && !j.future.State().Settled() {
			j.returned = true
			count++
		}
	}
	return count
}

// finish ends the pool and does the accounts.
func (m *poolModel) finish(t *rapid.T) {
	m.check(t)
	m.closing = true
	m.release()
	m.check(t)
	s := m.pool.Stats()
	if s.State != "terminated" || s.Accepted != s.Completed+s.Cancelled+s.Returned || s.Workers+s.Busy+s.Queued > 0 {
		t.Fatalf("at the end: %+v", s)
	}
	for _, j := range m.jobs {
		if j.future == nil {
			continue
		}
		if _, settled := j.future.Poll(); !settled || j.running {
			t.Fatalf("job %d at the end: settled %v, running %v", j.id, settled, j.running)
		}
	}
}

var modelStages = []string{"running", "shutting down", "stopping", "tidying", "terminated"}

// check compares all that the pool tells, and what is inside of it, with what the bodies have told.
func (m *poolModel) check(t *rapid.T) {
	synctest.Wait()
	m.steps++
	if err := validate(m.pool); err != nil {
		t.Fatal(err)
	}
	s := m.pool.Stats()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.problem != nil {
		t.Fatal(m.problem)
	}
	stage := slices.Index(modelStages, s.State)
	if stage < m.stage || stage > 0 && !m.closing {
		t.Fatalf("a pool that was %v is %v; the end has been asked for: %v", modelStages[m.stage], s.State, m.closing)
	}
	m.stage = stage
	if s.Busy != m.inBody || s.Runs != m.ended || s.Cancelled != m.cancelled {
		t.Fatalf("%d bodies run, %d have ended, %d jobs are cancelled: %+v", m.inBody, m.ended, m.cancelled, s)
	}
	m.checkAnswers(t, s)
	for _, j := range m.jobs {
		if err := m.checkJob(j, s); err != nil {
			t.Fatalf("job %d: %v\n%+v\n%+v", j.id, err, *j, s)
		}
	}
	if m.inOrder {
		m.checkOrder(t)
	}
}

// checkAnswers compares the counts of submissions. One that its submitter runs has been accepted
// before it is answered.
func (m *poolModel) checkAnswers(t *rapid.T, s executor.Stats) {
	open := uint64(0)
	for _, j := range m.jobs {
		if !j.answered {
			open++
		}
		if j.answered && j.err != nil && !errors.Is(j.err, executor.ErrRejected) {
			t.Fatalf("job %d is refused with %v", j.id, j.err)
		}
		if !m.bounded && !m.closing && j.answered && j.err != nil {
			if !errors.Is(j.err, context.DeadlineExceeded) {
				t.Fatalf("job %d is refused though there is room: %v", j.id, j.err)
			}
		}
	}
	if s.Rejected != m.rejected || s.Accepted < m.accepted || s.Accepted > m.accepted+open {
		t.Fatalf("%d accepted, %d refused, %d without an answer: %+v", m.accepted, m.rejected, open, s)
	}
}

// checkJob compares one job with its future, and demands that it has begun if it could have.
func (m *poolModel) checkJob(j *job, s executor.Stats) error {
	if j.answered && j.err != nil && len(j.starts) > 0 {
		return errors.New("has started though it was refused")
	}
	if j.future == nil {
		return nil
	}
	r, settled := j.future.Poll()
	switch {
	case j.cancelled:
		return outcomeIs(r.Err, settled, future.ErrCancelled)
	case m.isLate(j) && (j.every == 0 || j.policy == executor.StopSeries):
		if m.closing {
			return nil // its context may have ended before that
		}
		return outcomeIs(r.Err, settled, future.ErrTimeout)
	case j.running && settled:
		return fmt.Errorf("is settled with %v during its run", r.Err)
	case j.running:
		return nil
	case m.isOver(j):
		return m.checkOutcome(j, r, settled)
	case settled: // dropped: by the end of the pool, or for want of room
		if m.closing && errors.Is(r.Err, executor.ErrShutdown) || m.bounded && errors.Is(r.Err, executor.ErrSaturated) {
			return outcomeIs(r.Err, settled, future.ErrCancelled)
		}
		return fmt.Errorf("is settled with %v before it has run", r.Err)
	case j.when <= m.now() && (j.every <= 0 || j.burst) && j.answered && s.Busy < max(s.Core, 1) && s.State != "stopping":
		return fmt.Errorf("is due, and %d of %d run", s.Busy, s.Core)
	}
	return nil
}

// isOver reports whether a job has had its last run.
func (m *poolModel) isOver(j *job) bool {
	n := len(j.starts)
	return n > 0 && (j.every == 0 || !j.survives() || n == j.maxRuns)
}

// survives reports whether j is a series that goes on after its runs, as they end.
func (j *job) survives() bool {
	switch {
	case j.every == 0:
		return false
	case j.policy == executor.StopOnPanic:
		return j.kind < 2
	}
	return j.kind == 0 || j.policy == executor.Continue
}

func (m *poolModel) isLate(j *job) bool {
	return j.late || j.running && j.timeout > 0 && m.now()-j.starts[len(j.starts)-1] >= j.timeout
}

func (m *poolModel) checkOutcome(j *job, r future.Result[struct{}], settled bool) error {
	switch {
	case j.kind == 0, j.survives():
		return outcomeIs(r.Err, settled, nil)
	case j.kind == 1:
		return outcomeIs(r.Err, settled, errWanted)
	case j.kind == 3:
		return outcomeIs(r.Err, settled, future.ErrGoexit)
	}
	if !errors.As(r.Err, new(*future.PanicError)) || !settled {
		return fmt.Errorf("is settled %v with %v, not with a panic", settled, r.Err)
	}
	return nil
}

func outcomeIs(err error, settled bool, want error) error {
	if !settled || !errors.Is(err, want) {
		return fmt.Errorf("is settled %v with %v, want %v", settled, err, want)
	}
	return nil
}

// checkOrder demands that no job that waits has been overtaken at this instant by one that was due
// later, or came later. What another body has submitted, and what its submitter may have run
// itself, or waited with, has no place in the order that the model knows; nor has a series.
func (m *poolModel) checkOrder(t *rapid.T) {
	first := &job{id: -1, when: math.MaxInt64}
	for _, j := range m.jobs {
		if m.ordered(j) && len(j.starts) == 0 && before(j, first) {
			if _, settled := j.future.Poll(); !settled {
				first = j
			}
		}
	}
	for _, j := range m.jobs {
		if m.ordered(j) && len(j.starts) > 0 && j.starts[0] == m.now() && before(first, j) {
			t.Fatalf("job %d, for %v, has overtaken job %d, for %v", j.id, j.when, first.id, first.when)
		}
	}
}

func (m *poolModel) ordered(j *job) bool {
	return j.answered && j.future != nil && j.every == 0 && !j.inside && !j.aside
}

func before(a, b *job) bool { return a.when < b.when || a.when == b.when && a.id < b.id }

var errWanted = errors.New("wanted")

// misbehave ends in one of the four ways in which a function can.
func misbehave(kind byte) error {
	switch kind % 4 {
	case 1:
		return errWanted
	case 2:
		panic("wanted")
	case 3:
		runtime.Goexit()
	}
	return nil
}
