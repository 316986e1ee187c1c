package shards

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// What follows runs a few actors in every order in which their steps can happen, so that
// a test sees what a race of some nanoseconds would show once in years. It is for models, of a
// handful of words that several goroutines read and write: an actor says where one of its atomic
// steps ends and the next begins, and between two of these nobody else runs. The idea is that of
// tokio's loom, and of the model checkers that it follows.
//
// Orders are tried depth first, each from the beginning, in a world of its own. Their number grows
// with the factorial of the steps, so a step says which words it touches: of the orders that differ
// only in steps which touch nothing in common, one is tried. These are the sleep sets of Godefroid's
// partial-order methods.

// Actor is one of those that run side by side. What it does before its first step is no part of
// the orders, and must touch nothing shared.
type Actor struct {
	Name string
	Do   func(s *Steps)
}

// Steps is where an actor says that a step of its ends, and the next begins. Only that actor may
// use it.
type Steps struct {
	yield func(step) bool
}

// step is what is known of one before it happens.
type step struct {
	ready func() bool // nil for always
	words []any       // none means that it may touch anything
}

// stopped unwinds an actor whose world is given up.
type stopped struct{}

// Next ends a step: before the next one, others may run. That touches the given words, which are
// compared by ==, and no other that is shared; without words it may touch any.
func (s *Steps) Next(words ...any) { s.Await(nil, words...) }

// Await is Next for a step that begins only when ready reports true, as one that waits for a lock
// does. It must change nothing, and look only at the given words.
func (s *Steps) Await(ready func() bool, words ...any) {
	if !s.yield(step{ready, words}) {
		panic(stopped{})
	}
}

// independent reports whether two steps may change places, and nobody could tell.
func (s step) independent(of step) bool {
	return len(s.words) > 0 && len(of.words) > 0 &&
		!slices.ContainsFunc(s.words, func(w any) bool { return slices.Contains(of.words, w) })
}

// World is what one order begins with. Check is called when all actors have ended.
type World struct {
	Actors []Actor
	Check  func() error
}

// Explore tries all orders until one fails: its Check does, or its actors wait for each other. It
// returns how many it has tried, and the failure, which tells the order. A world must be the same
// each time, and its actors must come to their ends in any order.
func Explore(world func() World) (orders int, err error) {
	var path []choice
	for {
		w := world()
		r := &run{actors: make([]*coroutine, len(w.Actors)), path: path}
		for i, a := range w.Actors {
			r.actors[i] = start(a)
		}
		whole, err := r.follow()
		for _, a := range r.actors {
			a.stop()
		}
		if whole {
			orders++
		}
		if whole && err == nil {
			err = w.Check()
		}
		if err != nil {
			return orders, fmt.Errorf("%w, in the order %s", err, strings.Join(r.trace, " "))
		}
		// The next order differs in the last choice that has another option.
		path = r.path
		for len(path) > 0 && path[len(path)-1].taken+1 == len(path[len(path)-1].options) {
			path = path[:len(path)-1]
		}
		if len(path) == 0 {
			return orders, nil
		}
		path[len(path)-1].taken++
	}
}

// choice is which of the actors that could go on did. Those that sleep need not be tried: what they
// would do next has been tried before, and nothing has happened since that it depends on.
type choice struct {
	options []int
	taken   int
	asleep  []int
}

// run is one order.
type run struct {
	actors []*coroutine
	path   []choice
	trace  []string
}

// follow goes along the path as far as that leads, and from there takes the first option each time.
// It reports false if all that could go on are asleep.
func (r *run) follow() (whole bool, err error) {
	var asleep []int
	for depth := 0; ; depth++ {
		able, waits := r.able()
		switch {
		case len(able) > 0:
		case waits:
			return true, errors.New("the actors wait for each other")
		default:
			return true, nil
		}
		if depth == len(r.path) {
			options := slices.DeleteFunc(able, func(i int) bool { return slices.Contains(asleep, i) })
			if len(options) == 0 {
				return false, nil
			}
			r.path = append(r.path, choice{options: options, asleep: asleep})
		}
		c := r.path[depth]
		goes := r.actors[c.options[c.taken]]
		asleep = nil
		for _, i := range slices.Concat(c.asleep, c.options[:c.taken]) {
			if r.actors[i].next.independent(goes.next) {
				asleep = append(asleep, i)
			}
		}
		r.trace = append(r.trace, goes.name)
		goes.step()
	}
}

// able returns the actors that can go on, and whether any waits.
func (r *run) able() (able []int, waits bool) {
	for i, a := range r.actors {
		switch {
		case a.ended:
		case a.next.ready == nil || a.next.ready():
			able = append(able, i)
		default:
			waits = true
		}
	}
	return able, waits
}

// coroutine is an actor in progress.
type coroutine struct {
	name   string
	resume func() (next step, goesOn bool)
	stop   func()
	next   step
	ended  bool
}

func start(a Actor) *coroutine {
	resume, stop := iter.Pull(func(yield func(step) bool) {
		defer func() {
			if v := recover(); v != nil && v != (stopped{}) {
				panic(v)
			}
		}()
		a.Do(&Steps{yield})
	})
	begun := &coroutine{name: a.Name, resume: resume, stop: stop}
	begun.step()
	return begun
}

func (a *coroutine) step() {
	next, goesOn := a.resume()
	a.next, a.ended = next, !goesOn
}
