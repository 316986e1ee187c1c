package cluster

import (
	"errors"
	"fmt"

	"github.com/punctual-go/punctual/future"
)

// An outcome is how a task ended. On the wire it is a letter and what belongs to it.
type outcome struct {
	kind byte
	data []byte
}

const (
	succeeded = 'v' // the result, as the task's codec writes it
	failed    = 'e' // the error's text
	panicked  = 'p' // the panic's text
	cancelled = 'c'
	abandoned = 'a' // why
)

func (o outcome) encode() []byte { return append([]byte{o.kind}, o.data...) }

func decodeOutcome(b []byte) (outcome, error) {
	if len(b) == 0 {
		return outcome{}, errors.New("cluster: an empty outcome")
	}
	return outcome{b[0], b[1:]}, nil
}

// outcomeOf is the outcome of a function that has returned.
func outcomeOf(result []byte, err error) outcome {
	var panicErr *future.PanicError
	var bad *undecodable
	switch {
	case err == nil:
		return outcome{succeeded, result}
	case errors.As(err, &bad):
		return outcome{abandoned, []byte(err.Error())}
	case errors.As(err, &panicErr):
		return outcome{panicked, []byte(fmt.Sprint(panicErr.Value))}
	default:
		return outcome{failed, []byte(err.Error())}
	}
}

// within is the outcome if the server takes so many bytes, and otherwise that it does not.
func (o outcome) within(most int64, task string) outcome {
	switch {
	case most <= 0 || int64(len(o.data)) < most:
		return o
	case o.kind == succeeded:
		return outcome{failed, fmt.Appendf(nil,
			"the result of task %q has %d bytes, and the server takes %d", task, len(o.data), most)}
	}
	return outcome{o.kind, o.data[:most-1]}
}

// err is the error that Get returns, nil for a success.
func (o outcome) err(task, id string) error {
	switch o.kind {
	case succeeded:
		return nil
	case cancelled:
		return ErrCancelled
	case abandoned:
		return fmt.Errorf("%w: task %q (%s): %s", ErrAbandoned, task, id, o.data)
	case failed, panicked:
		return &TaskError{Task: task, ID: id, Text: string(o.data), Panic: o.kind == panicked}
	}
	return fmt.Errorf("cluster: task %q (%s) has an outcome of a later version: %q", task, id, o.kind)
}
