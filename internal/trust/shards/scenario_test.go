package shards

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scenario is what a few actors do with a queue of two shards.
type scenario struct {
	name   string
	coarse bool // the clock moves in ticks
	actors func(q *queue) []Actor
}

type steps = Steps

func actor(name string, do func(s *steps)) Actor {
	return Actor{Name: name, Do: do}
}

// filled queues tasks that are due, in turn in both shards, the last in the second one, before all
// actors.
func (q *queue) filled(names ...string) (tasks []*task) {
	for i, name := range names {
		t := &task{name: name, shard: (len(names) - i) % 2}
		q.alone(func(s *steps) { q.submit(s, t, 0) })
		tasks = append(tasks, t)
	}
	return tasks
}

// cutFilled is filled for tasks that are in a cut, after one that was taken from it.
func (q *queue) cutFilled(names ...string) []*task {
	tasks := q.filled(append([]string{"first"}, names...)...)
	q.alone(q.take)
	return tasks[1:]
}

// alone does what one actor does when there is no other. The faults are for those who race.
func (q *queue) alone(do func(s *steps)) {
	f := q.fault
	q.fault = sound
	defer func() { q.fault = f }()
	_, _ = Explore(func() World {
		return World{
			Actors: []Actor{actor("alone", do)},
			Check:  func() error { return nil },
		}
	})
}

// scenarios has the quick ones first.
var scenarios = []scenario{
	{"claims beside a cancel and a list", false, func(q *queue) []Actor {
		in := q.cutFilled("a", "b")
		return []Actor{
			actor("take", q.take),
			actor("cancel", func(s *steps) { q.cancel(s, in[1]); q.list(s) }),
		}
	}},
	{"two claims beside a list", false, func(q *queue) []Actor {
		q.cutFilled("a", "b", "c")
		return []Actor{
			actor("take", func(s *steps) { q.take(s); q.take(s) }),
			actor("list", q.list),
		}
	}},
	{"a cancel beside a cut", false, func(q *queue) []Actor {
		in := q.filled("a", "b")
		return []Actor{
			actor("take", q.take),
			actor("cancel", func(s *steps) { q.cancel(s, in[1]); q.list(s) }),
		}
	}},
	{"two claims, and something late in between", false, func(q *queue) []Actor {
		in := q.cutFilled("a", "b")
		between := &task{name: "between", shard: 1}
		q.alone(func(s *steps) { q.repeat(s, between, in[0].when+5) })
		return []Actor{actor("take", q.take), actor("other", q.take)}
	}},
	{"a cancel of what is late", false, func(q *queue) []Actor {
		q.cutFilled("a")
		late := &task{name: "late", shard: 1}
		q.alone(func(s *steps) { q.repeat(s, late, 1) })
		return []Actor{
			actor("take", func(s *steps) { q.take(s); q.take(s) }),
			actor("cancel", func(s *steps) { q.cancel(s, late); q.list(s) }),
		}
	}},
	{"claims beside a run that is queued again", false, func(q *queue) []Actor {
		q.cutFilled("a", "b")
		again := &task{name: "again", shard: 1}
		return []Actor{
			actor("take", q.take),
			actor("repeat", func(s *steps) { q.repeat(s, again, 1) }),
			actor("other", q.take),
		}
	}},
	{"two that are submitted by ticks", true, func(q *queue) []Actor {
		b, c := &task{name: "b", shard: 0}, &task{name: "c", shard: 1}
		return []Actor{
			actor("take", func(s *steps) { q.take(s); q.take(s) }),
			actor("submit", func(s *steps) { q.submit(s, c, 0); q.submit(s, b, 0) }),
		}
	}},
	{"a cut beside two that are submitted", false, func(q *queue) []Actor {
		q.filled("a")
		b, c := &task{name: "b", shard: 0}, &task{name: "c", shard: 1}
		return []Actor{
			actor("take", func(s *steps) { q.take(s); q.take(s) }),
			actor("submit", func(s *steps) { q.submit(s, b, 0); q.submit(s, c, 0) }),
		}
	}},
}

// world makes the world of a scenario, with a fault.
func (sc scenario) world(f fault) func() World {
	return func() World {
		q := newQueue(2, f)
		if sc.coarse {
			q.tick = 500
		}
		actors := sc.actors(q)
		return World{Actors: actors, Check: q.calls.check}
	}
}

// Whatever the order of the steps, the answers are those of a queue with one lock.
func TestEveryOrderOfTheSteps(t *testing.T) {
	t.Parallel()
	for _, sc := range scenarios {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			orders, err := Explore(sc.world(sound))
			require.NoError(t, err)
			t.Logf("%d orders", orders)
		})
	}
}

// Each fault shows in one of the scenarios.
func TestEachFaultIsFound(t *testing.T) {
	t.Parallel()
	for _, f := range faults {
		found := false
		for _, sc := range scenarios {
			if orders, err := Explore(sc.world(f)); err != nil {
				t.Logf("%s: %s, order %d", f, sc.name, orders)
				found = true
				break
			}
		}
		assert.True(t, found, "not found: %s", f)
	}
}
