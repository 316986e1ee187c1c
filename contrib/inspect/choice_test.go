package inspect_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
)

// A window of several lists is that of one list in which they all are, wherever it begins: also
// among tasks of one name, where the first list comes first.
func TestAWindowIsThatOfOneList(t *testing.T) {
	type named struct {
		name     string
		of, rank int
	}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		lists := make([][]string, r.IntN(5))
		var all []named
		for i := range lists {
			for rank := range r.IntN(8) {
				name := strconv.Itoa(r.IntN(6))
				lists[i] = append(lists[i], name)
				all = append(all, named{name, i, rank})
			}
		}
		slices.SortFunc(all, func(a, b named) int {
			return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.rank, b.rank), cmp.Compare(a.of, b.of))
		})
		for first := range len(all) + 1 {
			names, of := inspect.Window(lists, first, 3)
			var wantNames []string
			var wantOf []int
			for _, want := range all[first:min(first+3, len(all))] {
				wantNames, wantOf = append(wantNames, want.name), append(wantOf, want.of)
			}
			require.Equal(t, wantNames, names, "%v from %d on", lists, first)
			require.Equal(t, wantOf, of, "%v from %d on", lists, first)
		}
	}
}

// A window of tasks in some order is that of all of them sorted; where they are the same in that,
// they stay as they were.
func TestAWindowIsThatOfAllSorted(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		keys := make([]int64, r.IntN(30))
		places := make([]int, len(keys))
		for i := range keys {
			keys[i], places[i] = r.Int64N(12), i
		}
		slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
		first := r.IntN(len(keys) + 1)
		last := first + r.IntN(len(keys)-first+1)
		sorted, at := inspect.SortWindow(keys, first, last)
		require.Len(t, at, last-first)
		for i, place := range places[first:last] {
			require.Equal(t, place, at[i])
			require.Equal(t, keys[place], sorted[i])
		}
	}
}
