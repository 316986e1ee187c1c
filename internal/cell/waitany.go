package cell

import (
	"context"
	"iter"
	"slices"
)

// Receive waits for a value of ready, which comes when one of the cells is settled; ok is false if
// ctx ends first. Hosts are all the hosts of the cells. They are told of the wait, as in
// [Cell.Wait], but only if there is one: only then do they look at the cells.
func Receive[T any](
	ctx context.Context, ready <-chan T, hosts []Host, cs iter.Seq[*Cell],
) (v T, ok bool) {
	select {
	case v = <-ready:
		return v, true
	default:
	}
	end := ctx.Done() // before the hosts know of the wait, as the method may be the user's
	for _, h := range hosts {
		if over := h.AwaitAny(ctx, cs); over != nil {
			defer over()
		}
	}
	select {
	case v = <-ready:
		return v, true
	case <-end:
		return v, false
	}
}

// HostsOf returns the hosts of the cells, each once.
func HostsOf(cs iter.Seq[*Cell]) (hosts []Host) {
	for c := range cs {
		if c.Plan != nil && c.Plan.Host != nil && !slices.Contains(hosts, c.Plan.Host) {
			hosts = append(hosts, c.Plan.Host)
		}
	}
	return hosts
}
