package heap_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/heap"
)

// placed is a node that knows its index.
type placed struct {
	index int
	seq   uint64
}

func (p *placed) SetIndex(i int) { p.index = i }
func (p *placed) Seq() uint64    { return p.seq }

func TestEarlyCountsWhatIsNotLater(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		var h heap.Heap[*placed]
		times := map[*placed]int64{}
		for i := range n {
			p := &placed{seq: uint64(i)}
			times[p] = rng.Int64N(50) - 5
			h.Push(times[p], p)
		}
		for by := int64(-6); by < 46; by++ {
			want := 0
			for p, when := range times {
				require.Equal(t, when, h.When(p.index))
				if when <= by {
					want++
				}
			}
			require.Equal(t, want, h.Early(by))
		}
	}
}
