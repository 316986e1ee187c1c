package run

import (
	"fmt"
	"strings"
	"time"

	"github.com/punctual-go/punctual/future"
)

// Subject is whose an error is: that of a task, and of its executor, as far as they have names. It is
// written, for example, as: task "poll" of pool "jobs".
type Subject struct {
	Kind     string // of the executor: pool, loop
	Executor string
	Task     string
}

// isZero reports whether there are no names.
func (s Subject) isZero() bool { return s.Executor == "" && s.Task == "" }

// String returns the names, or nothing if there are none.
func (s Subject) String() string {
	var names []string
	if s.Task != "" {
		names = append(names, fmt.Sprintf("task %q", s.Task))
	}
	if s.Executor != "" {
		names = append(names, fmt.Sprintf("%s %q", s.Kind, s.Executor))
	}
	return strings.Join(names, " of ")
}

// named is an error that tells whose it is.
type named struct {
	Subject
	text string
	err  error // what errors.Is finds
}

// Subject returns whose a task of that name is, which may be empty.
func (r *Reporter) Subject(task string) Subject {
	return Subject{Kind: r.Kind, Executor: r.Name, Task: task}
}

// Refusal returns an error with the text, and the names of the owner and of the task, if they have any.
// It matches err, and is err itself if there are no names.
func (r *Reporter) Refusal(task, text string, err error) error {
	subject := r.Subject(task)
	if subject.isZero() {
		return err
	}
	return &named{subject, text, err}
}

// ShutDown is Refusal by an owner that is shut down.
func (o *Owner) ShutDown(task string) error {
	return o.Refusal(task, o.Kind+" is shut down", o.ErrShutdown)
}

// late is the error of a run that has outlived its time-out.
type late struct {
	Subject
	limit time.Duration
}

// newLate returns the error of a run that has outlived its time-out d. It matches future.ErrTimeout, and
// is equal to no other, so it tells the end of this context from that of another by the same cause.
func newLate(s Subject, d time.Duration) error {
	if d == 0 {
		return nil
	}
	return &late{s, d}
}

func (e *named) Error() string { return e.about(e.text) }
func (e *named) Unwrap() error { return e.err }

func (e *late) Error() string { return e.about("timed out after " + e.limit.String()) }
func (e *late) Unwrap() error { return future.ErrTimeout }

// about returns the text of an error of the subject.
func (s Subject) about(text string) string {
	names := s.String()
	if names != "" {
		names += ": "
	}
	return packages[s.Kind] + ": " + names + text
}

// packages are those of the kinds of executors.
var packages = map[string]string{"pool": "executor", "loop": "eventloop"}
