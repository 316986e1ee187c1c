package cell

import "context"

// Faithful returns a context that is ctx, but keeps the contract of contexts: once its Done channel
// is closed, Err is not nil. Package context ends what derives from a parent with the parent's
// error, and panics if that is nil. Faithful calls ctx.Done once, here.
func Faithful(ctx context.Context) context.Context { return &faithful{ctx, ctx.Done()} }

// faithful does not override Value, so package context finds a parent of its own making behind it,
// and derives from that without a goroutine.
type faithful struct {
	context.Context
	done <-chan struct{}
}

func (f *faithful) Done() <-chan struct{} { return f.done }

func (f *faithful) Err() error {
	if err := f.Context.Err(); err != nil {
		return err
	}
	select {
	case <-f.done:
	default:
		return nil
	}
	if err := f.Context.Err(); err != nil { // it ended just now
		return err
	}
	return context.Canceled
}
