package failure

import (
	"fmt"
	"strings"
	"time"

	"github.com/punctual-go/punctual/future"
)

// named is an error that tells of which task it is, and of which executor.
type named struct {
	kind     string // of the executor: pool, loop
	executor string // its name
	task     string
	text     string
	err      error // what errors.Is finds
}

// Named returns an error with the text, and with the names of the task and of the executor, as far as
// they have any. It matches err.
func Named(kind, executor, task, text string, err error) error {
	return &named{kind, executor, task, text, err}
}

// Late returns the error of a run that has outlived its time-out d. It matches future.ErrTimeout, and
// is equal to no other, so it tells the end of this context from that of another by the same cause.
func Late(kind, executor, task string, d time.Duration) error {
	if d == 0 {
		return nil
	}
	return Named(kind, executor, task, "timed out after "+d.String(), future.ErrTimeout)
}

func (e *named) Error() string {
	var b strings.Builder
	b.WriteString(packages[e.kind])
	b.WriteString(": ")
	if e.task != "" {
		fmt.Fprintf(&b, "task %q of ", e.task)
	} else if e.executor != "" {
		b.WriteString("task of ")
	}
	switch {
	case e.executor != "":
		fmt.Fprintf(&b, "%s %q: ", e.kind, e.executor)
	case e.task != "":
		fmt.Fprintf(&b, "a %s: ", e.kind)
	}
	b.WriteString(e.text)
	return b.String()
}

func (e *named) Unwrap() error { return e.err }

// packages are those of the kinds of executors.
var packages = map[string]string{"pool": "executor", "loop": "eventloop"}
