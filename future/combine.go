package future

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/punctual-go/punctual/internal/cell"
)

// Then returns the future of fn applied to the value of f. Once f has succeeded, fn runs on a
// goroutine of its own; a panic or runtime.Goexit in it fails the returned future. If f fails or is
// cancelled, fn does not run, and the returned future fails or is cancelled with the same error.
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
	// When the returned future is cancelled, f must not keep fn and this task in memory until it is
	// settled, which may be much later, or never.
	t.future.cell().Watch(func() {
		f.cell().Unwatch(w)
		t.strip()
	})
	return t.Future()
}

// All waits until every future has succeeded and returns their values in order. It returns the
// error of the first that fails or is cancelled, without waiting for the others or cancelling them;
// or the error of ctx if that ends first. Given no futures, it returns an empty slice. It treats
// nil futures and a nil ctx as [Completed] does.
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

// Any waits for the first future to succeed and returns its value; the others go on. If all fail,
// it returns their errors joined, in the order of failure; if ctx ends first, the error of ctx;
// given no futures, [ErrNoFutures]. It treats nil futures and a nil ctx as [Completed] does.
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

// Completed yields the index and the outcome of each future as it settles: first those that are
// settled already, then the others in order of settlement. The sequence ends early when ctx ends;
// check ctx.Err afterwards. A nil ctx never ends. A nil future yields an error. So does a future
// that the calling task would wait for in vain, because it cannot settle before that task ends: its
// error is [ErrSelfWait]. Completed starts no goroutine, and leaving the loop early leaves nothing
// behind.
func Completed[V any](ctx context.Context, fs ...*Future[V]) iter.Seq2[int, Result[V]] {
	return func(yield func(int, Result[V]) bool) {
		if ctx == nil {
			ctx = context.Background()
		}
		// With room for every index, whoever settles a future never blocks here, even after the
		// loop has been left.
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

// cellsOf yields the cells of the futures that are not nil.
func cellsOf[V any](fs []*Future[V]) iter.Seq[*cell.Cell] {
	return func(yield func(*cell.Cell) bool) {
		for _, f := range fs {
			if f != nil && !yield(f.cell()) {
				return
			}
		}
	}
}

// resultOf returns the outcome of the future at i. One that was reported as settled and is not is a
// future that the caller would wait for in vain.
func resultOf[V any](i int, f *Future[V]) Result[V] {
	if f == nil {
		return Result[V]{Err: fmt.Errorf("future: future %d is nil", i)}
	}
	if r, ok := f.Poll(); ok {
		return r
	}
	return Result[V]{Err: ErrSelfWait}
}
