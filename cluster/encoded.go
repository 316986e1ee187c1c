package cluster

import (
	"context"
	"fmt"
	"time"
)

// Encoded is a submission that is kept elsewhere before it is made, perhaps by another process that
// does not know the task, and perhaps more than once: in a table of a database, say, see package
// github.com/punctual-go/punctual/cluster/outbox. Make one with [Encode].
type Encoded struct {
	Task    string // its name
	Payload []byte // as the task's codec has written it

	// Key makes all submissions one, as that of [Once] does, but for good: a key whose task was
	// cancelled is not free again, as the submission is the same and not another.
	Key string
}

// Encode encodes a submission of a task. The key has to differ from those of all others of the
// task, and from keys of [Once]. It returns ErrInvalid for a task, key or payload that is not
// allowed; whether the server takes one of its size shows when it is submitted.
func Encode[P, R any](t Task[P, R], in P, key string) (Encoded, error) {
	def, err := usable(t)
	if err != nil {
		return Encoded{}, err
	}
	payload, err := def.encode(in)
	if err != nil {
		return Encoded{}, err
	}
	e := Encoded{Task: def.name, Payload: payload, Key: key}
	return e, e.check()
}

// ID is the [Future.ID] that the task has once it is submitted. [Attach] takes it before, too. Only
// a task that is purged from the queue, and then submitted again, gets another.
func (e Encoded) ID() string { return e.onceKey().id(0) }

// SubmitEncoded is [ScheduleAt] for a submission that was encoded before. It returns the same
// errors; the zero time means at once. After ErrUnavailable, as after a crash, it can be repeated,
// and the task is stored once: for as long as it waits or runs, and then while the pool keeps its
// outcome, see [Pool.Keeps].
func (p *Pool) SubmitEncoded(ctx context.Context, due time.Time, e Encoded) error {
	err := e.check()
	if err != nil {
		return err
	}
	if err = p.part.open(); err == nil {
		if err := p.fits(e.Task, e.Payload); err != nil {
			return err
		}
		_, err = p.submitOnce(ctx, e.onceKey(), due, e.Payload)
	}
	if err != nil {
		return fmt.Errorf("cluster: task %q: %w", e.Task, err)
	}
	return nil
}

// Keeps tells how long the pool keeps outcomes, which was decided by [Keep] when it was made. Zero
// means for ever.
func (p *Pool) Keeps() time.Duration { return p.keep }

func (e Encoded) check() error {
	if err := checkName(e.Task); err != nil {
		return err
	}
	if e.Key == "" {
		return fmt.Errorf("%w: a submission of task %q without a key", ErrInvalid, e.Task)
	}
	return nil
}

func (e Encoded) onceKey() onceKey {
	k := onceKeyOf(e.Task, submission{key: e.Key})
	k.forGood = true
	return k
}
