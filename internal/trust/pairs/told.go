package pairs

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// told is something that the observer of the life was told about a task.
type told struct {
	what string
	at   time.Duration
	run  executor.Run
	err  error
}

// observer returns the observer of the life itself.
func (j *journal) observer() executor.Observer {
	note := func(what string) func(executor.Run, error) {
		return func(run executor.Run, err error) { j.toldOf(what, run, err) }
	}
	plainly := func(what string) func(executor.Run) {
		return func(run executor.Run) { j.toldOf(what, run, nil) }
	}
	return executor.Observer{
		Submitted: plainly("submitted"), Rejected: note("rejected"), Dropped: note("dropped"),
		Missed: plainly("missed"), Overran: plainly("overran"), Expired: plainly("expired"),
		Cancelled: plainly("cancelled"), Paused: plainly("paused"), Resumed: plainly("resumed"),
		Began: func(_ context.Context, run executor.Run) context.Context {
			j.toldOf("began", run, nil)
			return nil
		},
		Ended: func(_ context.Context, run executor.Run, err error) { j.toldOf("ended", run, err) },
	}
}

// toldOf notes what the observer was told.
func (j *journal) toldOf(what string, run executor.Run, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := j.byName[run.Name]
	if r == nil {
		return
	}
	r.told = append(r.told, told{what, j.now(), run, err})
	if what == "paused" {
		r.sawPaused = true
	}
}

// toldError notes what an error handler was told.
func (j *journal) toldError(name string, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if r := j.byName[name]; r != nil {
		r.errors = append(r.errors, err)
	}
}

// look notes whether a task is alive, what its handle tells, and whether the pool finds it.
func (j *journal) look(r *record, now time.Duration, unique bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if r.open() {
		r.lastOpen = now
	}
	r.sawUnique = r.sawUnique || unique
	if r.handled && r.handle.Paused() {
		r.sawPaused = true
	}
}
