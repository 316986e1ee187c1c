package simulate

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/future"
)

// bodyEnd is how the body of a task ends.
type bodyEnd uint8

const (
	returns bodyEnd = iota
	fails
	panics
	exits
)

var errBoom = errors.New("boom")

// String says how, for faults.
func (e bodyEnd) String() string { return [...]string{"returns", "fails", "panics", "exits"}[e] }

// submitMethod is how a task is submitted.
type submitMethod uint8

const (
	byExecute submitMethod = iota
	bySubmit
	bySubmitContext
	bySchedule
	byScheduleAt
	asSeries
)

// bodyAction is what a body does beside taking its time.
type bodyAction uint8

const (
	noAction bodyAction = iota
	submitsChild
	awaitsChild // with its own context
	cancelsItself
	awaitsItself // for its own future, which would never be settled
	shutsDown    // its executor: the last thing that the driver asks for
	shutsDownNow
)

// task is one task of an executor simulation with its history. What it does is drawn when it is
// made; the lock of the simulation guards the rest.
type task struct {
	sim *executorSim
	id  int
	seriesModel

	future  *future.Future[struct{}]            // of those that have one
	timed   *executor.ScheduledFuture[struct{}] // the same, of those that have a time
	method  submitMethod
	opts    [4]executor.TaskOption // the first n of them
	n       int
	maxWait time.Duration // of a submitter for room

	initial         time.Duration // delay
	ticks           bool          // by Every: initial is the period
	takes           time.Duration
	heedsContext    bool // its body returns when its context ends
	ends            bodyEnd
	lastRun         int                  // at which it ends so, if it is a series; or of MaxRuns
	survivesFailure bool                 // its policy lets it go on after each failure
	policy          executor.ErrorPolicy // of a series
	asksRun         bool                 // its body calls RunFrom
	action          bodyAction
	child           *task
	isChild         bool
	turn            *eventloop.Turn // by which it is submitted
	timeout         time.Duration
	level           time.Duration // minus its priority
	mayBeAhead      bool          // a helper may run it ahead of its turn
	helperOrphaned  bool          // its helper goes on though the wait for it is over

	dueBy         time.Duration // it is due by then for certain
	queuedFrom    int64         // stamps: when it came to the queue, at the earliest
	queuedInstant int64         // that of the first change at that time
	queuedBy      int64         // when it was in the queue, at the latest
	requeued      bool
	accepted      bool
	submitted     bool // its submitter has returned
	refused       bool
	begun         int
	inBody        bool
	startedAt     time.Duration
	heedsFrom     time.Duration // since then the body looks at its context
	cancelling    bool          // somebody cancels it, or has tried to
	cancellers    int           // calls of Cancel and Stop in progress
	cancelled     bool          // a Cancel or Stop has returned true
	interrupted   bool          // its context has been ended by Cancel
	interruptedAt time.Duration
	allowedRuns   int           // runs that had begun by its cancellation, and may show late
	ended         bool          // its last run is over
	returned      bool          // handed back by a shutdown
	ranReturned   bool          // handed back in a run that had not come to its body
	settledAt     time.Duration // when it is known to have ended
}

// returnContext is the context with which the driver calls the body of a task that was handed back.
type returnContext struct{ context.Context }

// body is what the facility runs.
func (t *task) body(ctx context.Context) error {
	es := t.sim
	if _, ok := ctx.(returnContext); ok {
		es.noteReturned(t)
		return nil
	}
	es.begin(t, ctx)
	if t.action != noAction {
		es.perform(t, ctx)
		es.noteHeeding(t)
	}
	interrupted := false
	switch {
	case t.takes == 0:
	case t.heedsContext:
		limit := time.NewTimer(t.takes)
		select {
		case <-limit.C:
		case <-ctx.Done():
			interrupted = true
			limit.Stop()
		}
	default:
		time.Sleep(t.takes)
	}
	es.end(t, interrupted)
	if t.periodic() && t.begun != t.lastRun && !t.survivesFailure {
		return nil
	}
	switch t.ends {
	case fails:
		return errBoom
	case panics:
		panic(errBoom)
	case exits:
		runtime.Goexit()
	}
	return nil
}

// submit submits the task.
func (t *task) submit() (err error) {
	es, opts := t.sim, t.opts[:t.n]
	switch {
	case t.turn == nil:
	case t.method == byExecute:
		return t.turn.Execute(t.body)
	case t.method == bySubmit:
		t.future, err = t.turn.Submit(t.body, opts...)
		return err
	}
	switch t.method {
	case byExecute:
		return es.executor.Execute(t.body)
	case bySubmit:
		t.future, err = es.executor.Submit(t.body, opts...)
		return err
	case bySubmitContext:
		ctx, cancel := context.WithTimeout(context.Background(), t.maxWait)
		defer cancel()
		t.future, err = es.pool.SubmitContext(ctx, t.body, opts...)
		return err
	case bySchedule:
		t.timed, err = es.scheduler.Schedule(t.initial, t.body, opts...)
	case byScheduleAt:
		t.timed, err = es.scheduler.ScheduleAt(time.Now().Add(t.initial), t.body, opts...)
	case asSeries:
		switch {
		case t.rule == fixedDelay:
			t.timed, err = es.scheduler.WithFixedDelay(t.initial, t.period, t.body, opts...)
		case t.ticks:
			t.timed, err = es.scheduler.Every(t.period, t.body, opts...)
		default:
			t.timed, err = es.scheduler.AtFixedRate(t.initial, t.period, t.body, opts...)
		}
	}
	if err == nil {
		t.future = t.timed.Future
	}
	return err
}

func (t *task) periodic() bool { return t.rule != once }

func (t *task) settled() bool { return t.cancelled || t.ended || t.returned }

// String describes t for faults.
func (t *task) String() string {
	text := fmt.Sprintf("%d (%s, takes %v", t.id,
		[...]string{"executed", "submitted", "submitted patiently",
			"scheduled", "scheduled at", "repeated"}[t.method], t.takes)
	if t.periodic() {
		text += fmt.Sprintf(", %v each %v, %d times", t.rule, t.period, t.lastRun)
	}
	if t.heedsContext {
		text += ", heeds"
	}
	if t.periodic() {
		text += [...]string{", until it panics", ", until it fails", ", whatever happens"}[t.policy]
	}
	if t.survivesFailure {
		text += ", goes on"
	}
	if t.timeout > 0 {
		text += fmt.Sprintf(", at most %v", t.timeout)
	}
	if t.ends != returns {
		text += fmt.Sprintf(", %v", t.ends)
	}
	if t.action != noAction {
		text += [...]string{"", ", submits", ", awaits", ", cancels itself", ", waits for itself",
			", stops",
			", stops now"}[t.action]
	}
	return text + fmt.Sprintf("; begun %d times)", t.begun)
}
