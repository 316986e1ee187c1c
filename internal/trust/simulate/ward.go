package simulate

import (
	"context"
	"runtime"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/executor/supervisor"
)

// ward is a task under a supervisor.
type ward struct {
	watch      *watch
	supervisor *supervisor.Supervisor

	interval, timeout, ceiling time.Duration
	unfinished                 int // how many there may be
	policy                     supervisor.FailurePolicy
	stubborn                   int // one in so many runs does not heed its context

	// The lock of the world guards these.
	begun     int
	bodies    int           // in progress
	runs      []plan        // that have begun, and of which no outcome has been told
	cycles    uint64        // that have an outcome
	kinds     [5]uint64     // of these
	delay     time.Duration // after the last
	end       time.Duration // of the last
	disturbed time.Duration // when somebody last asked for another course; below 0 nobody has
	wanted    bool          // a Trigger has not had its run yet
	asked     time.Duration // when it was
	lastBegun time.Duration
	stopped   bool
}

// plan is what a run is to do.
type plan struct {
	takes   time.Duration
	heeds   bool
	ends    ending
	started time.Duration
	freely  bool // somebody has asked for it, or for another course
}

// draw makes a supervisor with its task.
func (v *watch) draw() *ward {
	d := &ward{
		watch:      v,
		interval:   grid * time.Duration(1+v.rng.IntN(6)),
		timeout:    grid * time.Duration(1+v.rng.IntN(8)),
		unfinished: 1 + v.rng.IntN(2),
		policy:     supervisor.FailurePolicy(v.rng.IntN(3)),
		stubborn:   2 + v.rng.IntN(20),
		disturbed:  -1,
	}
	bound := 1 + v.rng.IntN(4)
	d.ceiling = max(d.interval, d.timeout*time.Duration(bound))
	d.delay = d.interval
	s, err := supervisor.New(v.pool, d.body,
		supervisor.Interval(d.interval),
		supervisor.Timeout(d.timeout),
		supervisor.Bound(bound),
		supervisor.InitialDelay(v.steps(5)),
		supervisor.MaxUnfinished(d.unfinished),
		supervisor.OnFailure(d.policy),
		supervisor.OnOutcome(d.outcome),
		supervisor.Logger(silent))
	if err != nil {
		v.blame(&v.report.Lost, "a supervisor is refused: %v", err)
	}
	d.supervisor = s
	return d
}

// disturb calls what changes the course of d.
func (d *ward) disturb(call func()) {
	w := d.watch
	w.mu.Lock()
	d.disturbed = w.pass()
	w.mu.Unlock()
	call()
	w.mu.Lock()
	d.disturbed = w.pass()
	w.mu.Unlock()
}

// trigger asks for a run. One that may begin at once does.
func (d *ward) trigger() {
	w := d.watch
	calm := w.roomy && w.exact() && w.oneIn(2)
	begun := 0
	if calm {
		synctest.Wait()
		s := d.supervisor.Stats()
		w.mu.Lock()
		calm = s.State == "waiting" && s.Unfinished < d.unfinished && !d.wanted
		begun = d.begun
		w.mu.Unlock()
	}
	w.mu.Lock()
	d.wanted, d.asked = true, w.pass()
	w.mu.Unlock()
	d.disturb(d.supervisor.Trigger)
	if calm {
		synctest.Wait()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	d.wanted = d.wanted || !calm // a run may have begun just before
	if calm && d.begun == begun {
		w.fault(&w.report.Stuck, "a run that was asked for has not begun")
	}
}

// body is the task.
func (d *ward) body(ctx context.Context) error {
	w := d.watch
	w.mu.Lock()
	p := plan{started: w.pass()}
	w.report.Runs++
	x := mix(w.seed<<20 + uint64(d.begun)<<4 + uint64(d.interval/grid))
	p.takes = max(0, time.Duration(x%12)-3) * grid
	p.heeds = x>>8%uint64(d.stubborn) > 0
	if x>>16%4 == 0 {
		p.ends = ending(x >> 20 % 4)
	}
	p.freely = d.wanted || d.disturbed >= d.end
	d.wanted = d.wanted && d.disturbed >= w.quiet // that may have come just after this run
	d.runs = append(d.runs, p)
	d.begun++
	d.lastBegun = p.started
	if d.bodies++; d.bodies > d.unfinished {
		w.fault(&w.report.Duplicate, "%d runs at once, of at most %d", d.bodies, d.unfinished)
	}
	if d.stopped {
		w.fault(&w.report.Duplicate, "a run begins though its supervisor has stopped")
	}
	w.mu.Unlock()
	if p.takes > 0 {
		d.spend(ctx, p)
	}
	w.mu.Lock()
	w.pass()
	d.bodies--
	w.mu.Unlock()
	switch p.ends {
	case fails:
		return errBoom
	case panics:
		panic(errBoom)
	case exits:
		runtime.Goexit()
	}
	return nil
}

// spend lets the time of a run go by, or as much as its context gives it.
func (d *ward) spend(ctx context.Context, p plan) {
	if !p.heeds {
		time.Sleep(p.takes)
		return
	}
	limit := time.NewTimer(p.takes)
	defer limit.Stop()
	select {
	case <-limit.C:
	case <-ctx.Done():
	}
}

// outcome is told of the end of each cycle.
func (d *ward) outcome(o supervisor.Outcome) {
	w := d.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pass()
	w.report.Ops++
	d.cycles++
	d.kinds[o.Kind]++
	started := o.Started.Sub(w.start)
	if o.Number != d.cycles {
		w.fault(&w.report.Lost, "cycle %d is told of as number %d", d.cycles, o.Number)
	}
	freely := d.wanted || d.disturbed >= d.end
	if w.roomy && o.Kind != supervisor.Capped && len(d.runs) > 0 {
		freely = d.runs[0].freely
		d.judgeKind(o, started, d.runs[0])
		d.runs = d.runs[1:]
	}
	if w.roomy && w.exact() && !freely && d.cycles > 1 {
		d.judgeStart(started)
	}
	d.end = started + o.Took
	switch {
	case o.Kind == supervisor.Succeeded, o.Kind == supervisor.Failed && d.policy == supervisor.Reset:
		d.delay = d.interval
	case o.Kind == supervisor.Failed && d.policy == supervisor.Keep:
	default:
		d.delay = min(2*d.delay, d.ceiling)
	}
	if o.Delay != d.delay {
		w.fault(&w.report.Lost, "after cycle %d, %v, the delay is %v, and should be %v", o.Number, o.Kind, o.Delay, d.delay)
	}
}

// judgeStart says whether a cycle has begun when it was to.
func (d *ward) judgeStart(started time.Duration) {
	w := d.watch
	switch due := d.end + d.delay; {
	case started < due:
		w.fault(&w.report.Early, "cycle %d, due at %v, began at %v", d.cycles, due, started)
	case started > due:
		w.fault(&w.report.Late, "cycle %d, due at %v, began at %v", d.cycles, due, started)
	}
}

// judgeKind says whether a cycle has ended as its run was to end. A run that ends when its time does has timed out.
func (d *ward) judgeKind(o supervisor.Outcome, started time.Duration, run plan) {
	w := d.watch
	if !w.exact() || w.closing {
		return
	}
	kind, took := supervisor.Succeeded, run.takes
	switch {
	case took >= d.timeout:
		kind, took = supervisor.TimedOut, d.timeout
	case run.ends != returns:
		kind = supervisor.Failed
	}
	if run.started != started || o.Kind != kind || o.Took != took {
		w.fault(&w.report.Late, "cycle %d, of %v, is %v after %v, and should be %v, of %v, after %v",
			o.Number, started, o.Kind, o.Took, kind, run.started, took)
	}
}
