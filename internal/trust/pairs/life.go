package pairs

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/internal/trust/figures"
	"github.com/punctual-go/punctual/internal/trust/watchdog"
)

// life is a program that is run, and its record.
type life struct {
	*program
	start time.Time
	pool  *executor.Pool          // nil for a loop
	sched *executor.ScheduledPool // nil for a plain pool and a loop
	loop  *eventloop.Loop         // nil for a pool

	serials [2]*executor.Serial
	keyed   *executor.KeyedSerial[int]
	group   *executor.Group
	service *executor.CompletionService[int]

	mu        sync.Mutex // guards the rest; nobody holds it while calling the executor
	records   []*record
	byTask    map[*task]*record
	byName    map[string]*record
	marks     []mark
	taskMarks map[int]set
	behaved   map[[2]int]bool
	calls     map[int]int // of each lapse
	lapsed    bool        // a callback has behaved badly
	report    Report
	samples   []*sample
	final     sample
	cleanups  []func()
	jobs      []*record // of Apply

	pausedSpans []span
	shutFrom    time.Duration // when the executor was first ended; below 0 before that
	shutHow     string
	goesOn      bool           // series have been told to go on after that
	hasEnded    bool           // it has terminated
	endedAt     time.Duration  // and when
	cameAfter   bool           // a submission came after that
	refusedAt   time.Duration  // the last that was refused
	sizes       bool           // they have been changed
	extras      int            // tasks of the life's own
	extraRuns   int            // their runs
	extraActive int            // and those in progress
	begun       int            // bodies
	told        *figures.Tally // nil if nobody watches
	written     []byte         // the recording
	driven      bool           // the driver has come to its end
}

type span struct{ from, to time.Duration }

// executorHost is what pools and loops have in common.
type executorHost interface {
	executor.Submitter
	Shutdown()
	ShutdownNow() []executor.Pending
	Close() error
	CloseContext(ctx context.Context) (executor.Report, error)
	AwaitTermination(ctx context.Context) error
	Terminated() <-chan struct{}
	Running() []executor.Running
	Health() executor.Health
	Measurements() executor.Measurements
	History() executor.History
}

// hangs is after how much real time a life counts as hanging.
const hangs = time.Minute

// Run runs the life of a seed, and returns what was wrong with it and which pairs were effective.
// It may only be called outside of bubbles. A fault does not fail the test: the caller decides. A
// life that is wrong is run again with ever less, and the shortest program that is still wrong is
// told.
//
// If pairs are given, the life is about one of these; the first are drawn more often than the last.
func Run(t *testing.T, seed uint64, about ...Pair) Report {
	ready()
	p := draw(seed, about)
	r := p.run(t)
	if r.Bad() > 0 {
		r.Faults = append(r.Faults, fmt.Sprintf("seed %d, as short as it gets:\n%v", seed,
			p.shrink(t, r)))
	}
	return r
}

// run runs a program in a bubble. A bubble that is deadlocked panics here: that is a fault like any
// other.
func (p *program) run(t *testing.T) (report Report) {
	timer := watchdog.Start(hangs, func() string {
		return fmt.Sprintf("pairs: does not end: %v",
			p)
	})
	defer timer.Stop()
	l := &life{program: p, byTask: map[*task]*record{}, byName: map[string]*record{},
		taskMarks: map[int]set{}, behaved: map[[2]int]bool{}, calls: map[int]int{},
		shutFrom: -1}
	before := runtime.NumGoroutine()
	defer func() {
		v := recover()
		l.mu.Lock()
		defer l.mu.Unlock()
		switch {
		case v == nil && leaked(before):
			l.faultLocked(&l.report.Leaked, "%d goroutines before, %d after", before,
				runtime.NumGoroutine())
		case v != nil && l.driven:
			l.faultLocked(&l.report.Leaked, "%v", v)
		case v != nil && l.report.Stuck == 0:
			l.faultLocked(&l.report.Stuck, "%v", v)
		}
		l.report.Lives = 1
		report = l.report
	}()
	synctest.Test(t, func(*testing.T) { l.drive() })
	return report
}

// leaked reports whether there are more goroutines than before, long after the last should have
// ended.
func leaked(before int) bool {
	for range 1000 {
		for range 10 {
			if runtime.NumGoroutine() <= before {
				return false
			}
			runtime.Gosched()
		}
		time.Sleep(time.Millisecond)
	}
	return true
}

func (l *life) now() time.Duration           { return time.Since(l.start) }
func (l *life) at(d time.Duration) time.Time { return l.start.Add(d) }
func (l *life) timed() executor.ScheduledSubmitter {
	if l.loop != nil {
		return l.loop
	}
	return l.sched
}

func (l *life) host() executorHost {
	switch {
	case l.loop != nil:
		return l.loop
	case l.sched != nil:
		return l.sched
	}
	return l.pool
}

func (l *life) submitter() executor.Submitter { return l.host() }

// patience is the virtual time after which something counts as stuck: longer than all there is to
// do.
const patience = 10 * time.Second

// drive runs the program on a goroutine of its own, as the driver may be stuck itself.
func (l *life) drive() {
	l.start = time.Now()
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.open()
		go l.noteTermination()
		l.play()
		if l.calm {
			l.settle()
		}
		l.finish()
	}()
	limit := time.NewTimer(10 * patience)
	defer limit.Stop()
	select {
	case <-done:
	case <-limit.C:
		l.fault(&l.report.Stuck, "the program is stuck")
		return
	}
	for _, f := range l.cleanups {
		f()
	}
	time.Sleep(time.Second)
	synctest.Wait()
	l.audit()
	l.mu.Lock()
	l.driven = true
	l.mu.Unlock()
	for _, u := range l.everyUse() {
		if u.observed != nil {
			u.observed(l, u)
		}
	}
	l.report.Seen = l.count()
}

// everyUse returns one use of each feature that the program has.
func (l *life) everyUse() (all []*use) {
	have := map[*Feature]bool{}
	add := func(u *use) {
		if !have[u.Feature] {
			have[u.Feature] = true
			all = append(all, u)
		}
	}
	for _, u := range l.uses {
		add(u)
	}
	for _, c := range l.commands {
		add(c.use)
	}
	for _, r := range l.records {
		for _, u := range r.t.options {
			add(u)
		}
	}
	return all
}

// open makes the executor.
func (l *life) open() {
	var all []executor.Option
	if !l.has("Logger") {
		all = append(all, executor.Logger(silent))
	}
	if l.watch {
		l.told = figures.NewTally()
		all = append(all, executor.Observe(l.observer(), l.told.Observer()))
	}
	for _, u := range l.uses {
		if u.option != nil {
			all = append(all, u.option(l, u)...)
		}
	}
	var lanes []executor.SerialOption
	for _, u := range l.uses {
		if u.lane != nil {
			lanes = append(lanes, u.lane(l, u))
		}
	}
	switch l.program.host {
	case loop:
		var own []eventloop.Option
		for _, o := range all {
			own = append(own, o.(executor.CommonOption))
		}
		l.loop = eventloop.New(own...)
	case scheduled:
		if l.single {
			l.sched = executor.NewScheduledPool(1, append(all, executor.Confined())...)
		} else {
			l.sched = executor.NewScheduledPool(l.size, all...)
		}
		l.pool = &l.sched.Pool
	case plain:
		if l.single {
			l.pool = executor.NewPool(1, append(all, executor.Confined())...)
		} else {
			l.pool = executor.NewPool(l.size, all...)
		}
	}
	if l.pool != nil {
		for i := range l.serials {
			l.serials[i] = executor.NewSerial(l.host(), lanes...)
		}
		l.keyed = executor.NewKeyedSerial[int](l.host(), lanes...)
	}
	l.group = executor.NewGroup(context.Background(), l.host())
	l.service = executor.NewCompletionService[int](l.host())
}

// play submits the tasks and gives the commands, each at its time and on a goroutine of its own, as
// it may wait or end its goroutine. Before the next one all the work of the moment is done.
func (l *life) play() {
	tasks, commands := l.tasks, l.commands
	for len(tasks)+len(commands) > 0 {
		if len(commands) == 0 || len(tasks) > 0 && tasks[0].at <= commands[0].at {
			t := tasks[0]
			tasks = tasks[1:]
			if t.at > l.endAt+20*ms {
				continue
			}
			l.sleepUntil(t.at)
			r := l.newRecord(t)
			l.noteEnd()
			go l.submit(r)
		} else {
			c := commands[0]
			commands = commands[1:]
			if c.at >= l.endAt && !l.obeyedAfterEnd(c) {
				continue
			}
			l.sleepUntil(c.at)
			go l.obey(c)
		}
		l.sample()
	}
	l.sleepUntil(l.endAt)
}

// obeyedAfterEnd reports whether a command means something after the beginning of the end: what
// goes on after a Shutdown can still be cancelled, or paused.
func (p *program) obeyedAfterEnd(c command) bool {
	return (c.ender || c.ofTask) && len(p.ends) > 0 && p.ends[0].Name == "Shutdown"
}

// noteEnd notes, before a submission, whether the executor has ended.
func (l *life) noteEnd() {
	ended := closed(l.host().Terminated())
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cameAfter = l.cameAfter || ended
}

// noteTermination notes when the executor terminates.
func (l *life) noteTermination() {
	<-l.host().Terminated()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.endedAt = l.now()
}

// sleepUntil sleeps, and ends the executor on the way if that is due.
func (l *life) sleepUntil(at time.Duration) {
	if at > l.endAt && !l.isShut() && !l.calm {
		l.sleepUntil(l.endAt)
		l.beginEnd()
	}
	if d := at - l.now(); d > 0 {
		time.Sleep(d)
	}
}

// obey gives a command. A callback that it calls may panic.
func (l *life) obey(c command) {
	defer func() {
		if v := recover(); v != nil && v != errCallback {
			panic(v)
		}
	}()
	l.count1()
	var r *record
	if c.task != nil {
		if r = l.recordOf(c.task); r == nil {
			return
		}
	}
	c.command(l, r, c.use)
}

func (l *life) count1() {
	l.mu.Lock()
	l.report.Ops++
	l.mu.Unlock()
}

// settle ends what would go on for ever, gives everything its time, and checks that nothing is
// left.
func (l *life) settle() {
	if l.pool != nil {
		l.resumed(l.now())
		l.pool.Resume()
	}
	l.group.SetLimit(-1)
	for range 2 {
		for _, r := range l.allRecords() {
			if h, ok := l.handle(r); ok && r.t.way.way&seriesWays != 0 {
				go l.give(byName["Cancel"], r, h.Cancel) // what it tells may end the goroutine
			}
		}
		time.Sleep(patience / 2)
	}
	l.sample()
	if l.isShut() && !closed(l.host().Terminated()) {
		l.fault(&l.report.Stuck, "%s has not ended the executor after %v: %v", l.shutHow, patience,
			l.host())
	}
	l.checkNothingOpen("before the end")
}

// finish ends the executor, and waits for its end.
func (l *life) finish() {
	if !l.isShut() {
		l.beginEnd()
	}
	time.Sleep(20 * ms)
	for _, f := range l.ends[1:] {
		go f.endMarked(l)
		time.Sleep(5 * ms)
	}
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-l.host().Terminated():
	case <-limit.C:
		l.endSeries()
	}
	limit.Reset(patience)
	select {
	case <-l.host().Terminated():
	case <-limit.C:
		l.fault(&l.report.Stuck, "%s has not ended the executor: %v", l.shutHow, l.host())
		return
	}
	l.mu.Lock()
	l.hasEnded = true
	l.mu.Unlock()
	go func() { _ = l.group.Wait() }()
	time.Sleep(100 * ms) // for bodies that are deaf
}

// endSeries cancels series that go on after a Shutdown that lets them.
func (l *life) endSeries() {
	if l.sched == nil || !l.sched.ContinuePeriodicAfterShutdown() {
		return
	}
	for _, r := range l.allRecords() {
		if h, ok := l.handle(r); ok {
			go l.give(byName["Cancel"], r, h.Cancel)
		}
	}
}

// beginEnd begins to end the executor.
func (l *life) beginEnd() {
	f := l.ends[0]
	l.shutting(f.Name)
	go f.endMarked(l)
	l.sample()
}

// isShut reports whether an end of the executor has begun.
func (l *life) isShut() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shutFrom >= 0
}

// shutting notes that the executor is about to be ended.
func (l *life) shutting(how string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shutFrom < 0 {
		l.shutFrom, l.shutHow = l.now(), how
	}
}

func (f *Feature) endMarked(l *life) {
	l.count1()
	l.resumed(l.now()) // a shutdown ends a pause
	l.markNow(f)
	f.end(l)
}

// closed checks that an executor that says so has ended.
func (l *life) closed(err error) {
	if err == nil && !closed(l.host().Terminated()) {
		l.fault(&l.report.Early, "a Close returns before the end")
	}
}

// handedBack notes tasks that a shutdown has handed back.
func (l *life) handedBack(list []executor.Pending) {
	for _, p := range list {
		if r := l.named(p.Name); r != nil {
			l.mu.Lock()
			if r.listed++; r.listed > 1 {
				l.faultLocked(&l.report.Duplicate, "%s is handed back twice", p.Name)
			}
			l.mu.Unlock()
		}
	}
}

// closeInside closes the executor from a task; it must not wait for itself.
func (l *life) closeInside(ctx context.Context) {
	l.shutting("Close in a body")
	l.resumed(l.now())
	_ = l.host().Close()
}

func (l *life) closeFromCallback() {
	l.shutting("Close in a callback")
	l.resumed(l.now())
	_ = l.host().Close()
}

func (l *life) faultLocked(sort *int64, format string, args ...any) {
	at := time.Duration(0)
	if !l.start.IsZero() && !l.driven {
		at = l.now()
	}
	l.report.note(sort, "seed %d, %v: %s", l.seed, at, fmt.Sprintf(format, args...))
}

// fault notes a fault.
func (l *life) fault(sort *int64, format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faultLocked(sort, format, args...)
}

func (l *life) defers(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cleanups = append(l.cleanups, f)
}

func (l *life) within(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), d)
}
