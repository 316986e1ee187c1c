package cell

import (
	"context"
	"iter"
	"slices"
)

// Receive waits for ready to deliver, which it does when any of the cells is settled; ok is false when
// ctx ends first. The hosts are all that the cells have: if the caller is a run of one of them, that
// one is told, as in Wait. The cells are looked at only then.
func Receive[T any](
	ctx context.Context, ready <-chan T, hosts []Host, cs iter.Seq[*Cell],
) (v T, ok bool) {
	select {
	case v = <-ready:
		return v, true
	default:
	}
	end := ctx.Done()
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

// HostsOf returns the hosts that the cells have, each once.
func HostsOf(cs iter.Seq[*Cell]) (hosts []Host) {
	for c := range cs {
		if c.Plan != nil && c.Plan.Host != nil && !slices.Contains(hosts, c.Plan.Host) {
			hosts = append(hosts, c.Plan.Host)
		}
	}
	return hosts
}
