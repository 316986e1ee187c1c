package cell

import "context"

// Faithful returns ctx as one that keeps the contract of contexts: once its Done is closed it has
// an error. Package context, which ends what derives from it with that error, panics without one.
// Its Done is asked for here, once.
func Faithful(ctx context.Context) context.Context { return &faithful{ctx, ctx.Done()} }

// faithful leaves Value as it is, so that package context finds a parent of its own make behind it,
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
	if err := f.Context.Err(); err != nil { // it has ended just now
		return err
	}
	return context.Canceled
}
