package driver

import (
	"errors"
	"fmt"
	"time"
)

var (
	errTooLate = errors.New("not all tasks were scheduled before they were due")
	errNoRuns  = errors.New("no task ran within the time")
)

// tooMuch is the error for work that a system cannot do in a sensible time.
type tooMuch struct {
	title string
	most  int64
}

func (t tooMuch) Error() string {
	return fmt.Sprintf("more than %d tasks at once take %s too long", t.most, t.title)
}

// lost is the error for tasks that have not run.
type lost struct {
	tasks int64
	after time.Duration
}

func (l lost) Error() string { return fmt.Sprintf("%d tasks have not run after %v", l.tasks, l.after) }
