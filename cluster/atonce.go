package cluster

import "github.com/nats-io/nats.go/jetstream"

// mostAtOnce is how many runs of a task all workers hold if there is no limit. The server's default
// of 1,000 would hold back runs in their last wait.
const mostAtOnce = 65_536

// AtOnce bounds how many runs of the task all processes together have in hand, those of its series
// included: from 600 ms before their time until what they have come to is stored. A run that is in
// its last wait has its place, and so has one that was given back and is about to be delivered
// again, or that waits within a process, as by executor.Retry. A task that waits for its time, for
// its next attempt by [Retry] or for its [Rate] has none. All others wait in the server, in their
// order. A run of a series whose calendar no replica knows keeps its place until one does.
//
// A worker that dies keeps the places of its runs until their leases are over. One that is silent
// for longer than its lease may still be in a run while another has its place, see [ErrLost]; and a
// server that dies may have forgotten what it has just delivered, which is then begun again. Only
// so can there be more than n.
//
// The limit is the server's, for the task: the replica that began to serve it last has set it, and
// logs it if it was another. So during a deploy either may hold, and replicas of a version that has
// no AtOnce remove it. n is from 1 to 65,536, which is as good as none.
func AtOnce(n int) TaskOption { return func(t *definition) { t.atOnce = n } }

// tellLimit tells that this process has another limit than that which holds so far.
func (p *Pool) tellLimit(t *definition, found jetstream.ConsumerConfig) {
	if was := found.MaxAckPending; was != t.atOnce {
		p.logger.Warn("the limit of runs at once is another from now on, for all replicas", "pool",
			p.settings.name, "task", t.name, "was", was, "is", t.atOnce)
	}
}
