package engine

import (
	"errors"
	"strings"

	"github.com/punctual-go/punctual/executor/internal/run"
)

// The variables of these names in package executor.
var (
	ErrRejected        = errors.New("executor: task rejected")
	ErrShutdown  error = rejection("executor: pool is shut down")
	ErrSaturated error = rejection("executor: pool is saturated")
	ErrDuplicate error = rejection("executor: a task of this name is alive")
	ErrDrained         = errors.New("executor: task was drained")
	ErrNilTask         = run.ErrNilTask
)

// rejection is a reason to reject a task. It is a type, so that each reason also matches
// ErrRejected.
type rejection string

func (r rejection) Error() string        { return string(r) }
func (r rejection) text() string         { return strings.TrimPrefix(string(r), "executor: ") }
func (r rejection) Is(target error) bool { return target == ErrRejected }

// refusal adds the names of pool and task to err, unless err is somebody else's, such as a
// policy's.
func (d *Door) refusal(task string, err error) error {
	r, own := err.(rejection)
	if !own {
		return err
	}
	return d.pool.runs.Refusal(task, r.text(), err)
}

func invalid(format string, args ...any) error { return run.Invalid(format, args...) }
