package run

import (
	"fmt"
	"strings"
	"time"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// Subject says what an error is about: a task and its executor, as far as they have names. An
// example of its text is: task "poll" of pool "jobs".
type Subject struct {
	Kind     string // of the executor: pool, loop
	Executor string
	Task     string
}

// isZero reports whether there are no names.
func (s Subject) isZero() bool { return s.Executor == "" && s.Task == "" }

// String returns the names, or an empty text if there are none.
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

// named is an error that says what it is about.
type named struct {
	Subject
	text string
	err  error // what errors.Is finds
}

// Subject returns the subject of a task by that name, which may be empty.
func (r *Reporter) Subject(task string) Subject {
	return Subject{Kind: r.Kind, Executor: r.Name, Task: task}
}

// Refusal returns an error that has the text, and the names of the executor and the task, and
// matches err. If there are no names it is err itself.
func (r *Reporter) Refusal(task, text string, err error) error {
	subject := r.Subject(task)
	if subject.isZero() {
		return err
	}
	return &named{subject, text, err}
}

// ShutDown is the Refusal of an owner that is shut down.
func (r *Reporter) ShutDown(task string) error {
	return r.Refusal(task, r.Kind+" is shut down", r.ErrShutdown)
}

// Misuse adds the names of the executor and of the task to the error of a bad argument.
func (r *Reporter) Misuse(task string, err error) error {
	if _, has := err.(*named); has || !cell.Matches(err, ErrInvalid) && !cell.Matches(err, ErrNilTask) {
		return err
	}
	return r.Refusal(task, strings.TrimPrefix(err.Error(), "executor: "), err)
}

// late is the error of a run that has exceeded its timeout.
type late struct {
	Subject
	limit time.Duration
}

// newLate returns the error of a run that has exceeded its timeout d. It matches
// future.ErrTimeout. It is equal to no other error: that tells the end of this context from the end
// of one around it that had a timeout too.
func newLate(s Subject, d time.Duration) error { return &late{s, d} }

// tooLate is the error of a run that did not begin in time.
type tooLate struct {
	Subject
	limit time.Duration
}

// newExpired returns the error of a run that did not begin within d. It matches ErrExpired.
func newExpired(s Subject, d time.Duration) error { return &tooLate{s, d} }

func (e *named) Error() string { return e.about(e.text) }
func (e *named) Unwrap() error { return e.err }

func (e *late) Error() string { return e.about("timed out after " + e.limit.String()) }
func (e *late) Unwrap() error { return future.ErrTimeout }

func (e *tooLate) Error() string { return e.about("not begun within " + e.limit.String()) }
func (e *tooLate) Unwrap() error { return ErrExpired }

// about prefixes text with the package of the executor and the names of the subject.
func (s Subject) about(text string) string {
	names := s.String()
	if names != "" {
		names += ": "
	}
	return packages[s.Kind] + ": " + names + text
}

// packages maps the kind of an executor to the package that its errors name.
var packages = map[string]string{"pool": "executor", "loop": "eventloop"}
