package driver

import (
	"runtime"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/floor"
)

// floors returns what no system offers: a queue of shards with nothing around it, which shows how
// little scheduling can cost on many processors.
func floors() []System {
	const about = "shards with heaps, without futures, contexts or handling of failures; two workers; "
	return []System{
		floorSystem("floor", about+"a shard for each processor", runtime.GOMAXPROCS(0), floor.ByProcessor),
		floorSystem("floor-goroutine", about+"64 shards, by the calling goroutine", floor.Most, floor.ByGoroutine),
		floorSystem("floor-chance", about+"64 shards, by chance", floor.Most, floor.ByChance),
	}
}

func floorSystem(name, about string, shards int, choice func() floor.Choice) System {
	return System{
		Name: name, Title: "stamped shards, a prototype", About: about, can: schedules | submits,
		// It is there for what the order of its heaps costs; the rest of a pool is not.
		without: []string{"soon", "submit-get", "askers", "fan-out", "cancelled", "pending",
			"allocations", "idle", "shutdown"},
		open: func() session {
			q := floor.New(workers, min(shards, floor.Most), choice())
			return session{
				execute: func(f func()) func() { return func() { q.After(0, f) } },
				after: func(f func()) func(d time.Duration) stopper {
					return func(d time.Duration) stopper { return q.After(d, f) }
				},
				shutdown: func([]stopper) { q.Close() },
			}
		},
	}
}
