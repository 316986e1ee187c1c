package cell

import (
	"context"
	"iter"
	"time"
)

// Receive waits for ready to deliver, which it does when any of the cells is settled; ok is false when
// ctx ends first. If the caller is a run of a host of theirs, that is told, as in Wait; if it would wait
// for itself only, Receive returns ErrSelfWait.
func Receive[T any](ctx context.Context, ready <-chan T, cs iter.Seq[*Cell]) (v T, ok bool, err error) {
	select {
	case v = <-ready:
		return v, true, nil
	default:
	}
	if FromContext(ctx) == nil { // then only the goroutine can tell, which takes time to find out
		patience := time.NewTimer(Patience)
		defer patience.Stop()
		select {
		case v = <-ready:
			return v, true, nil
		case <-ctx.Done():
			return v, false, nil
		case <-patience.C:
		}
	}
	over, err := awaitAny(ctx, cs)
	if err != nil {
		return v, false, err
	}
	defer over()
	select {
	case v = <-ready:
		return v, true, nil
	case <-ctx.Done():
		return v, false, nil
	}
}

// awaitAny tells the host of the cells that the caller is a run of, if it is, that it waits for any of
// them, and returns what to call after the wait.
func awaitAny(ctx context.Context, cs iter.Seq[*Cell]) (over func(), err error) {
	hosted := map[Host][]*Cell{}
	var hosts []Host
	others := 0
	for c := range cs {
		switch {
		case c.Phase().Settled():
		case c.Plan == nil || c.Plan.Host == nil:
			others++
		default:
			if hosted[c.Plan.Host] == nil {
				hosts = append(hosts, c.Plan.Host)
			}
			hosted[c.Plan.Host] = append(hosted[c.Plan.Host], c)
		}
	}
	inRun := FromContext(ctx) != nil
	for _, h := range hosts {
		over, err := h.AwaitAny(ctx, hosted[h], !inRun)
		if err != nil && others+len(hosts) > 1 {
			continue // something else may still come
		}
		if over != nil || err != nil {
			return over, err
		}
	}
	return func() {}, nil
}
