package pairs

import (
	"errors"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// record is what is known of a task in a life.
type record struct {
	t  *task
	id int

	// The lock of the life guards these.
	submitted  time.Duration
	answered   bool // the submission has returned
	answeredAt time.Duration
	err        error // of the submission
	panicked   bool  // a callback of the submission has panicked, or ended its goroutine

	outcome outcome // nil without a future
	future  *future.Future[struct{}]
	typed   *future.Future[int]
	timed   *executor.ScheduledFuture[struct{}]
	handle  executor.Handle
	handled bool
	job     executor.Job

	bodies    []*bodyRun
	children  int // tasks that they have submitted
	active    int // bodies in progress
	told      []told
	errors    []error // that an error handler was told
	lastOpen  time.Duration
	moves     []move        // commands that change when it is due
	cancelled time.Duration // when a command has cancelled it; below 0 if none has

	contextEnded bool // of WithContext, or of its group
	sawPaused    bool
	sawUnique    bool
	tainted      bool // a callback has ended a goroutine of it, or its bodies do more than they say
	listed       int  // how often a list of a shutdown, or of a drain, has it
}

// bodyRun is one run of a body.
type bodyRun struct {
	began, ended time.Duration
	due          time.Duration // from when on it may begin
	over         bool
	how          *Feature
	run          executor.Run
	known        bool // the run is known
	err          error
	panicked     bool // or has called Goexit
	timedOut     bool
	seq          int // of all bodies
	salt         uint64
	after        time.Duration // of RetryAfter and NextIn
	nextIn       bool
}

// told is something that the observer of the life was told about a task.
type told struct {
	what string
	at   time.Duration
	run  executor.Run
	err  error
}

// move is a command that has changed when a task is due.
type move struct {
	what     string
	from, at time.Duration // of the call
	d        time.Duration
}

func (b *bodyRun) failed() bool {
	return b.over && (b.err != nil || b.panicked || b.timedOut)
}

func (r *record) accepted() bool { return r.answered && r.err == nil && !r.panicked }

func (r *record) acceptedAt() time.Duration {
	if r.accepted() {
		return r.answeredAt
	}
	return 1 << 62
}

func (r *record) refusedBy(err error) bool { return r.answered && errors.Is(r.err, err) }

// full reports whether there was no room for the task when it came.
func (r *record) full() bool {
	return r.refusedBy(executor.ErrSaturated) || r.settledBy(executor.ErrSaturated) ||
		r.accepted() && r.answeredAt > r.submitted
}

// result returns how the future was settled.
func (r *record) result() (err error, ok bool) {
	switch {
	case r.future != nil:
		res, ok := r.future.Poll()
		return res.Err, ok
	case r.typed != nil:
		res, ok := r.typed.Poll()
		return res.Err, ok
	}
	return nil, false
}

// settledBy reports whether the future was settled with this error; nil stands for success.
func (r *record) settledBy(want error) bool {
	err, ok := r.result()
	if want == nil {
		return ok && err == nil
	}
	return ok && errors.Is(err, want)
}

func (r *record) expired() bool {
	if r.settledBy(executor.ErrExpired) || r.saw("expired") {
		return true
	}
	for _, err := range r.errors {
		if errors.Is(err, executor.ErrExpired) {
			return true
		}
	}
	return false
}

func (r *record) saw(what string) bool {
	for _, e := range r.told {
		if e.what == what {
			return true
		}
	}
	return false
}

// planned returns how many runs have begun that nobody has asked for; attempts of one are one.
func (r *record) planned() (n int) {
	for _, b := range r.bodies {
		if !b.run.Triggered && b.run.Attempt <= 1 {
			n++
		}
	}
	return n
}

func (r *record) lastDue() time.Duration {
	if len(r.bodies) == 0 {
		return 0
	}
	return r.bodies[len(r.bodies)-1].due
}

func (r *record) begunAfter(at time.Duration) bool {
	n := len(r.bodies)
	return at >= 0 && n > 0 && r.bodies[n-1].began > at
}

// span is the time in which the task was alive, as far as the record knows.
func (r *record) span() (from, to time.Duration) {
	to = max(r.submitted, r.lastOpen)
	for _, b := range r.bodies {
		to = max(to, b.ended, b.began)
	}
	for _, e := range r.told {
		to = max(to, e.at)
	}
	return r.submitted, to
}

func (r *record) open() bool {
	switch {
	case !r.answered:
		return true
	case !r.accepted():
		return false
	case r.outcome != nil:
		return !r.outcome.State().Settled() || r.active > 0
	}
	return len(r.bodies) == 0 || r.active > 0
}

var errCallback = errors.New("a callback")

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
