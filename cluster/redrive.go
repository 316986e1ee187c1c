package cluster

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A failed task is redriven as another task, as it has an outcome already:
//
//	kept -> stored    on the queue, with an ID that follows from its own
//	     -> removed   from the failed set, by its sequence
//
// The ID makes it be stored once, however many ask for it at a time, and if a process dies in
// between. A task of Once goes through its key, as the one after it that has the key.

// Redriven is a task that was in the failed set, and is on the queue again.
type Redriven struct {
	Task string `json:"task"` // its name
	ID   string `json:"id"`   // of the task that has failed
	New  string `json:"new"`  // of the one in its place: for [Attach]
}

// Redrive has failed tasks run again, at once, each as a new task with an ID of its own, and removes
// them from the failed set. What has failed stays so for the futures that it has. A task of [Once]
// or [OnceUnlessFailed] stays the one of its key; if the key has another task by now, that is the
// new one, and nothing is stored. A run of a series runs once, with its payload, beside the series.
// If it is asked for twice each task is stored once.
//
// It goes on after tasks that cannot be redriven, and tells of them in its error; what it returns
// beside is redriven. An ID that is not in the failed set is [ErrGone]. Otherwise errors are those
// of [Submit]. It needs the rights of an operator.
func (p *Pool) Redrive(ctx context.Context, which FailedFilter) (done []Redriven, err error) {
	var mu sync.Mutex
	err = p.eachFailed(ctx, "redriven", which, func(f Failed) error {
		id, err := p.redrive(ctx, f)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		done = append(done, Redriven{f.Task, f.ID, id})
		return nil
	})
	return done, err
}

// Discard removes failed tasks from the failed set, and tells how many that were. Otherwise it is as
// [Pool.Redrive].
func (p *Pool) Discard(ctx context.Context, which FailedFilter) (n int, err error) {
	var mu sync.Mutex
	err = p.eachFailed(ctx, "discarded", which, func(f Failed) error {
		removed, err := p.removeFailed(ctx, f)
		mu.Lock()
		defer mu.Unlock()
		if removed {
			n++
		}
		return err
	})
	return n, err
}

const (
	// mostFailedAtOnce is how many failed tasks are under way at a time: enough for batches.
	mostFailedAtOnce = 128
	mostTold         = 10 // errors of single tasks in the error for all
)

// eachFailed takes a step with each failed task that is meant, those that were in the set when it
// began.
func (p *Pool) eachFailed(
	ctx context.Context, what string, which FailedFilter, step func(Failed) error,
) error {
	if err := which.check(); err != nil {
		return fmt.Errorf("%w: pool %q: nothing is %s: %w", ErrInvalid, p.settings.name, what, err)
	}
	var all sync.WaitGroup
	var faults faults
	room := make(chan struct{}, mostFailedAtOnce)
	begin := func(f Failed) {
		room <- struct{}{}
		all.Go(func() {
			defer func() { <-room }()
			if err := step(f); err != nil {
				faults.add(fmt.Errorf("task %q (%s): %w", f.Task, f.ID, err))
			}
		})
	}
	if which.IDs != nil {
		for _, id := range which.IDs {
			f, err := p.failedOf(ctx, which.Task, id)
			if err != nil {
				faults.add(err)
				continue
			}
			begin(f)
		}
	} else if err := p.readAll(ctx, which, begin); err != nil {
		faults.add(err)
	}
	all.Wait()
	if err := faults.err(); err != nil {
		return fmt.Errorf("cluster: pool %q: not %s: %w", p.settings.name, what, err)
	}
	return nil
}

func (which FailedFilter) check() error {
	named := which.Task != "" || len(which.IDs) > 0
	switch {
	case !named && !which.All:
		return errors.New("a filter of failed tasks has Task, IDs or All")
	case named && which.All:
		return errors.New("a filter of all failed tasks has no Task or IDs")
	}
	return nil
}

// readAll reads what is in the failed set by now.
func (p *Pool) readAll(ctx context.Context, which FailedFilter, take func(Failed)) error {
	var last uint64
	err := p.persist(ctx, "reading the failed set", func(ctx context.Context) error {
		info, err := p.dead.Info(ctx)
		if err == nil {
			last = info.State.LastSeq
		}
		return err
	})
	if err != nil {
		return err
	}
	var rows []Failed
	for from := uint64(0); ; from = rows[len(rows)-1].Sequence {
		err := p.persist(ctx, "reading the failed set", func(ctx context.Context) error {
			v, err := p.viewFailed(ctx, which, from, atATime)
			if err == nil {
				defer v.close()
				rows, err = p.nextFailed(ctx, v, atATime)
			}
			return err
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, f := range rows {
			if f.Sequence > last {
				return nil
			}
			take(f)
		}
	}
}

// redrive has a failed task run again, and returns the ID of the task in its place.
func (p *Pool) redrive(ctx context.Context, f Failed) (id string, err error) {
	switch failed, err := p.stillFailed(ctx, f); {
	case err != nil:
		return "", err
	case !failed:
		_, err := p.removeFailed(ctx, f)
		return "", cmp.Or(err, fmt.Errorf("%w: it has not failed after all", ErrGone))
	}
	if key, number, ok := keyOf(f); ok {
		key.most, key.redriven = number+1, f.ID
		id, err = p.submitOnce(ctx, key, time.Time{}, f.Payload)
	} else {
		id = f.nextID()
		err = p.redriveAs(ctx, id, f)
	}
	if err != nil {
		return "", err
	}
	p.logger.Info("failed task redriven", "pool", p.settings.name, "task", f.Task, "id", f.ID, "as", id)
	if _, err := p.removeFailed(ctx, f); err != nil {
		return "", fmt.Errorf("redriven as %s, and not removed: %w", id, err)
	}
	return id, nil
}

// stillFailed tells whether a task of the failed set has no other outcome. It is an error if it has
// none yet, and is still on the queue.
func (p *Pool) stillFailed(ctx context.Context, f Failed) (bool, error) {
	if f.Series != "" {
		return true, nil
	}
	m, err := p.last(ctx, p.on.any(taskPlace(f.Task, f.ID)))
	if err != nil {
		return false, err
	}
	o, ended, err := p.results.recorded(ctx, f.ID)
	switch {
	case err != nil:
		return false, err
	case ended:
		return o.failure(), nil
	case m != nil:
		return false, fmt.Errorf("%w: it is still under way", ErrInvalid)
	}
	return true, nil // its outcome is forgotten
}

// keyOf is the key of a task of Once, and the number that it has among those of the key.
func keyOf(f Failed) (k onceKey, number int, ok bool) {
	rest, ok := strings.CutPrefix(f.ID, "once.")
	if !ok {
		return k, 0, false
	}
	sum, _, _ := strings.Cut(rest, ".")
	k = onceKey{task: f.Task, sum: sum, unlessFailed: true}
	return k, k.numberOf(f.ID), true
}

// nextID is the ID of the task that is in place of a failed one.
func (f Failed) nextID() string {
	if f.Series != "" { // the run of a series has none of its own
		sum := sha256.Sum256(fmt.Append(nil, f.Task, "\x00", f.ID, "\x00", f.Sequence, f.At.UnixNano()))
		return "redriven." + hex.EncodeToString(sum[:16])
	}
	first, number, _ := strings.Cut(f.ID, "-") // the parts of an ID have no other
	n, _ := strconv.Atoi(number)
	return fmt.Sprint(first, "-", max(n, 1)+1)
}

// redriveAs stores the task that is in place of a failed one, unless it is there already.
func (p *Pool) redriveAs(ctx context.Context, id string, f Failed) error {
	at := taskPlace(f.Task, id)
	m := p.message(at, time.Time{})
	m.Data = f.Payload
	m.Header.Set(headerRedriven, f.ID)
	m.Header.Set(jetstream.MsgIDHeader, id)
	expect(m, p.on.any(at), 0)
	return unlessConflict(p.submissions.publish(ctx, m))
}

// removeFailed removes a task from the failed set. removed is false if it was not there any more.
func (p *Pool) removeFailed(ctx context.Context, f Failed) (removed bool, err error) {
	return p.remove(ctx, p.dead, f.Sequence)
}

// faults are the errors of single tasks, of which the first are told.
type faults struct {
	mu    sync.Mutex
	first []error
	more  int
}

func (f *faults) add(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.first) < mostTold {
		f.first = append(f.first, err)
	} else {
		f.more++
	}
}

func (f *faults) err() error {
	if f.more > 0 {
		return fmt.Errorf("%w\nand %d more", errors.Join(f.first...), f.more)
	}
	return errors.Join(f.first...)
}
