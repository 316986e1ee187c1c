package faults

import (
	"context"
	"math/rand/v2"
	"os"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// serverFaults are what may happen to a server. Each returns when it is over.
var serverFaults = map[string]func(ns *nodes, i int, random *rand.Rand){
	"server killed": (*nodes).killForAWhile,
	leaderKilled:    (*nodes).killForAWhile,
	"server stopped": func(ns *nodes, i int, random *rand.Rand) {
		ns.stop(i)
		time.Sleep(upTo(random, 500*time.Millisecond, 5*time.Second))
		ns.running[i].cont()
	},
	"server cut off": func(ns *nodes, i int, random *rand.Rand) {
		cut := (*wire).hold
		if random.IntN(2) == 0 {
			cut = (*wire).tear
		}
		ns.around(i, cut)
		time.Sleep(upTo(random, 500*time.Millisecond, 8*time.Second))
		ns.around(i, (*wire).mend)
	},
	"server wiped": func(ns *nodes, i int, random *rand.Rand) {
		ns.kill(i)
		require.NoError(ns.t, os.RemoveAll(ns.configs[i].Dir))
		time.Sleep(upTo(random, 0, 2*time.Second))
		ns.start(i)
	},
}

const leaderKilled = "leader killed" // that of the queue

func (ns *nodes) killForAWhile(i int, random *rand.Rand) {
	ns.kill(i)
	time.Sleep(upTo(random, 0, 3*time.Second))
	ns.start(i)
}

func upTo(random *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(random.Int64N(int64(most-least)))
}

// around does something with all ways between a server and the others.
func (ns *nodes) around(i int, do func(*wire)) {
	for j := range ns.configs {
		if i != j {
			do(ns.wires[i][j])
			do(ns.wires[j][i])
		}
	}
}

// harm has a fault happen to a server, and waits until all three have everything again: two are a
// quorum, and what only one of them had would be lost with it.
func (ns *nodes) harm(ctx context.Context, kind string, i int, random *rand.Rand) {
	ns.journal.write(event{Kind: "fault", Who: ns.configs[i].Name, Text: kind})
	serverFaults[kind](ns, i, random)
	ns.journal.write(event{Kind: "mended", Who: ns.configs[i].Name, Text: kind})
	ns.awaitWhole(ctx)
	ns.journal.write(event{Kind: "whole", Who: ns.configs[i].Name, Text: kind})
}

// awaitWhole waits until each stream and consumer has a leader whom both others follow.
func (ns *nodes) awaitWhole(ctx context.Context) {
	nc := ns.connect()
	defer nc.Close()
	js, err := jetstream.New(nc)
	require.NoError(ns.t, err)
	// A leader that was stopped takes its old knowledge for the present one.
	for whole := 0; whole < 3; time.Sleep(300 * time.Millisecond) {
		require.NoError(ns.t, ctx.Err(), "the servers do not become whole")
		attempt, done := context.WithTimeout(ctx, 2*time.Second)
		if isWhole(attempt, js) {
			whole++
		} else {
			whole = 0
		}
		done()
	}
}

func isWhole(ctx context.Context, js jetstream.JetStream) bool {
	for _, name := range []string{"PUNCTUAL_tasks", "KV_PUNCTUAL_tasks", "PUNCTUAL_tasks_DEAD"} {
		stream, err := js.Stream(ctx, name)
		if err != nil || !followed(stream.CachedInfo().Cluster) {
			return false
		}
		if name != "PUNCTUAL_tasks" {
			continue // their consumers are of one process each
		}
		consumers := stream.ListConsumers(ctx)
		for info := range consumers.Info() {
			if info.Config.Durable != "" && !followed(info.Cluster) { // those that count are on one
				return false
			}
		}
		if consumers.Err() != nil {
			return false
		}
	}
	return true
}

func followed(c *jetstream.ClusterInfo) bool {
	if c == nil || c.Leader == "" || len(c.Replicas) != 2 {
		return false
	}
	for _, r := range c.Replicas {
		if !r.Current || r.Offline {
			return false
		}
	}
	return true
}
