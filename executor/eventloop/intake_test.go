package eventloop

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/cell"
)

func chain(n *link) (cells []*cell.Cell) {
	for ; n != nil; n = n.after {
		cells = append(cells, n.cell)
	}
	return cells
}

func TestIntakeGivesWhatHasComeInOrder(t *testing.T) {
	var in intake
	assert.True(t, in.empty())
	assert.Nil(t, in.take())
	var want []*cell.Cell
	for range 3 {
		n := &link{cell: new(cell.Cell)}
		require.True(t, in.push(n))
		want = append(want, n.cell)
	}
	assert.False(t, in.empty())
	assert.Equal(t, want, chain(in.take()))
	assert.True(t, in.empty())
	require.True(t, in.push(&link{cell: want[0]}))
	assert.Len(t, chain(in.close()), 1)
	assert.False(t, in.push(&link{cell: want[0]}), "it is closed")
	assert.True(t, in.empty())
	assert.Nil(t, in.take())
	assert.False(t, in.push(&link{cell: want[0]}), "and stays so")
	assert.Nil(t, in.close())
}

// Each of what is pushed is taken once, that of each pusher in order, and what comes after close is
// refused.
func TestIntakeLosesNothingBetweenPushersTakerAndClose(t *testing.T) {
	for round := range 200 {
		var in intake
		var pushers sync.WaitGroup
		const parties, each = 4, 100
		pushed := make([]int, parties)
		for p := range parties {
			pushers.Go(func() {
				for i := range each {
					if !in.push(&link{cell: &cell.Cell{Order: uint64(p), When: int64(i)}}) {
						return
					}
					pushed[p]++
				}
			})
		}
		taken := make([]int, parties)
		tally := func(n *link) {
			for _, c := range chain(n) {
				require.EqualValues(t, taken[c.Order], c.When)
				taken[c.Order]++
			}
		}
		for range round {
			tally(in.take())
			runtime.Gosched()
		}
		tally(in.close())
		pushers.Wait()
		require.Equal(t, pushed, taken)
	}
}
