package future

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/punctual-go/punctual/internal/cell"
)

// Then returns the future of fn applied to the value of f. Fn runs once f has succeeded, in a
// goroutine of its own; a panic or Goexit in it settles the returned future. If f fails or is
// cancelled, so does and is the returned future, with the same error, and fn does not run.
// Cancelling the returned future does not cancel f. Then panics if f or fn is nil.
func Then[V, W any](f *Future[V], fn func(V) (W, error)) *Future[W] {
	if f == nil || fn == nil {
		panic("future: Then of a nil future or function")
	}
	t := NewTask(func(context.Context) (W, error) {
		v, _ := f.outcome()
		return fn(v)
	})
	w := f.cell().PassOn(t.future.cell(), func() { go t.Run(context.Background()) })
	t.future.cell().Watch(func() { // f may be settled much later, or never
		f.cell().Unwatch(w)
		t.strip()
	})
	return t.Future()
}

// All waits until every future has succeeded and returns their values in order. It returns the
// error of the first that fails or is cancelled, without waiting for the others and without
// cancelling them, or that of ctx if it ends first. All of nothing is an empty slice.
func All[V any](ctx context.Context, fs ...*Future[V]) ([]V, error) {
	values := make([]V, len(fs))
	left := len(fs)
	for i, r := range Completed(ctx, fs...) {
		if r.Err != nil {
			return nil, r.Err
		}
		values[i] = r.Value
		left--
	}
	if left > 0 {
		return nil, cell.EndOf(ctx)
	}
	return values, nil
}

// Any waits for the first future to succeed and returns its value; the others go on. If all fail
// it returns their errors joined, in the order of failure; if ctx ends first, its error; of
// nothing, [ErrNoFutures].
func Any[V any](ctx context.Context, fs ...*Future[V]) (V, error) {
	var none V
	if len(fs) == 0 {
		return none, ErrNoFutures
	}
	var errs []error
	for _, r := range Completed(ctx, fs...) {
		if r.Err == nil {
			return r.Value, nil
		}
		errs = append(errs, r.Err)
	}
	if len(errs) < len(fs) {
		return none, cell.EndOf(ctx)
	}
	return none, errors.Join(errs...)
}

// Completed yields the index and the outcome of each future as it settles: in order of settlement,
// those settled already first. The sequence ends early when ctx ends; look at ctx.Err. It starts no
// goroutine, and leaving the loop early leaves nothing behind. A nil future counts as failed, and so
// does, with [ErrSelfWait], one that the caller would wait for itself by waiting for. A nil ctx never
// ends.
func Completed[V any](ctx context.Context, fs ...*Future[V]) iter.Seq2[int, Result[V]] {
	return func(yield func(int, Result[V]) bool) {
		if ctx == nil {
			ctx = context.Background()
		}
		settled := make(chan int, len(fs))
		for i, f := range fs {
			if f == nil || f.cell().SelfWait(ctx) {
				settled <- i
				continue
			}
			w := f.cell().Watch(func() { settled <- i })
			defer f.cell().Unwatch(w)
		}
		cells := cellsOf(fs)
		hosts := cell.HostsOf(cells)
		for range fs {
			i, ok := cell.Receive(ctx, settled, hosts, cells)
			if !ok || !yield(i, resultOf(i, fs[i])) {
				return
			}
		}
	}
}

func cellsOf[V any](fs []*Future[V]) iter.Seq[*cell.Cell] {
	return func(yield func(*cell.Cell) bool) {
		for _, f := range fs {
			if f != nil && !yield(f.cell()) {
				return
			}
		}
	}
}

func resultOf[V any](i int, f *Future[V]) Result[V] {
	if f == nil {
		return Result[V]{Err: fmt.Errorf("future: future %d is nil", i)}
	}
	if r, ok := f.Poll(); ok {
		return r
	}
	return Result[V]{Err: ErrSelfWait}
}
