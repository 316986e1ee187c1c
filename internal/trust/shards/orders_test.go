package shards

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var errLost = errors.New("an increment is lost")

// counting is a world in which actors increment a number in two steps, with a lock or without.
func counting(actors int, locking bool) func() World {
	return func() World {
		n, locked := 0, false
		increment := func(s *Steps) {
			if locking {
				s.Await(func() bool { return !locked })
				locked = true
			} else {
				s.Next()
			}
			was := n
			s.Next()
			n = was + 1
			locked = false
		}
		w := World{Check: func() error {
			if n != actors {
				return errLost
			}
			return nil
		}}
		for range actors {
			w.Actors = append(w.Actors, Actor{"a", increment})
		}
		return w
	}
}

func TestALostIncrementIsFound(t *testing.T) {
	_, err := Explore(counting(2, false))
	require.ErrorIs(t, err, errLost)
	assert.ErrorContains(t, err, "in the order a a a a")
	_, err = Explore(counting(2, true))
	require.NoError(t, err)
}

// Three actors of two steps can be interleaved in 6!/(2!·2!·2!) ways.
func TestEachOrderIsTriedOnce(t *testing.T) {
	seen := map[string]bool{}
	orders, err := Explore(func() World {
		order := ""
		w := World{Check: func() error {
			assert.False(t, seen[order], order)
			seen[order] = true
			return nil
		}}
		for _, name := range []string{"a", "b", "c"} {
			w.Actors = append(w.Actors, Actor{name, func(s *Steps) {
				s.Next()
				order += name
				s.Next()
				order += name
			}})
		}
		return w
	})
	require.NoError(t, err)
	assert.Equal(t, 90, orders)
	assert.Len(t, seen, 90)
}

// Of orders that differ in steps which touch nothing in common, one is tried; of two steps that
// touch the same word, both orders are.
func TestStepsThatTouchNothingInCommonAreNotReordered(t *testing.T) {
	results := map[string]bool{}
	orders, err := Explore(func() World {
		var shared string
		own := make([]int, 3)
		w := World{Check: func() error { results[shared] = true; return nil }}
		for i, name := range []string{"a", "b", "c"} {
			w.Actors = append(w.Actors, Actor{name, func(s *Steps) {
				s.Next(i)
				own[i]++
				s.Next(i)
				own[i]++
				s.Next("shared")
				shared += name
			}})
		}
		return w
	})
	require.NoError(t, err)
	assert.Len(t, results, 6)
	assert.Equal(t, 6, orders)
}

func TestActorsThatWaitForEachOtherAreFound(t *testing.T) {
	_, err := Explore(func() World {
		var locked [2]bool
		take := func(first, second int) func(s *Steps) {
			return func(s *Steps) {
				s.Await(func() bool { return !locked[first] })
				locked[first] = true
				s.Await(func() bool { return !locked[second] })
				locked[first] = false
			}
		}
		return World{
			Actors: []Actor{{"a", take(0, 1)}, {"b", take(1, 0)}},
			Check:  func() error { return nil },
		}
	})
	require.ErrorContains(t, err, "wait for each other")
}

// An actor that panics does so in the test, and one that is given up is unwound.
func TestWhatAnActorPanicsWithIsSeen(t *testing.T) {
	unwound := 0
	require.PanicsWithValue(t, "broken", func() {
		_, _ = Explore(func() World {
			return World{Actors: []Actor{
				{"a", func(s *Steps) { defer func() { unwound++ }(); s.Next(); s.Next() }},
				{"b", func(s *Steps) { s.Next(); s.Next(); panic("broken") }},
			}}
		})
	})
	assert.Positive(t, unwound)
}
