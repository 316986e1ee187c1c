package heap_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/internal/heap"
)

// node is a thing with a time, as the heap sees it.
type node struct {
	seq   uint64
	index int
	when  int64 // what the heap should think
}

func (n *node) SetIndex(i int) { n.index = i }
func (n *node) Seq() uint64    { return n.seq }

func index(n *node) int { return n.index }

func before(a, b *node) int {
	if c := cmp.Compare(a.when, b.when); c != 0 {
		return c
	}
	return cmp.Compare(a.seq, b.seq)
}

// model drives a heap and a sorted slice side by side. Every step ends with a check of both.
type model struct {
	heap   heap.Heap[*node]
	sorted []*node
	seq    uint64
}

func (m *model) push(when int64) *node {
	m.seq++
	n := &node{seq: m.seq, when: when, index: -1}
	m.heap.Push(when, n)
	at, _ := slices.BinarySearchFunc(m.sorted, n, before)
	m.sorted = slices.Insert(m.sorted, at, n)
	return n
}

func (m *model) pop() error {
	want := m.sorted[0]
	m.sorted = m.sorted[1:]
	if got := m.heap.Pop(); got != want {
		return fmt.Errorf("popped %d/%d, want %d/%d", got.when, got.seq, want.when, want.seq)
	}
	return gone(want)
}

func (m *model) remove(i int) error {
	n := m.sorted[i]
	m.sorted = slices.Delete(m.sorted, i, i+1)
	m.heap.Remove(n.index)
	return gone(n)
}

func (m *model) update(i int, when int64) {
	n := m.sorted[i]
	n.when = when
	m.heap.Update(n.index, when)
	slices.SortFunc(m.sorted, before)
}

func (m *model) filter(keep func(n *node) bool) error {
	var out []*node
	kept := m.sorted[:0:0]
	for _, n := range m.sorted {
		if keep(n) {
			kept = append(kept, n)
		} else {
			out = append(out, n)
		}
	}
	m.sorted = kept
	got := m.heap.Filter(func(when int64, n *node) bool { return when == n.when && keep(n) })
	if !slices.Equal(got, out) {
		return fmt.Errorf("filter returned %d nodes, want these %d in order", len(got), len(out))
	}
	for _, n := range out {
		if err := gone(n); err != nil {
			return err
		}
	}
	return nil
}

// cut cuts the heap, and draws all of it, while some are removed and others come.
func (m *model) cut(by int64, step int) error {
	at, _ := slices.BinarySearchFunc(m.sorted, by, func(n *node, by int64) int {
		if n.when <= by {
			return -1
		}
		return 1
	})
	want := slices.Clone(m.sorted[:at])
	m.sorted = slices.Clone(m.sorted[at:])
	steps, all := heap.MostPieces, m.heap.Len()
	c := heap.Cut(by, step, &m.heap)
	var got []*node
	for i := 0; c.Len() > 0; i++ {
		if err := c.Validate(index); err != nil {
			return err
		}
		if c.Len()+m.heap.Len()+len(got) != all {
			return fmt.Errorf("%d nodes of %d are left", c.Len()+m.heap.Len()+len(got), all)
		}
		if len(want) > len(got) && i%3 == 0 { // one of those to come
			k := len(got) + i*7919%(len(want)-len(got))
			if n := want[k]; c.Holds(n.index, n) {
				c.Remove(n.index, n)
				want = slices.Delete(want, k, k+1)
				all--
				if err := gone(n); err != nil {
					return err
				}
			}
			continue
		}
		if c.Dealing() {
			if steps--; steps < 0 {
				return fmt.Errorf("more steps than were told")
			}
			c.Deal()
			continue
		}
		got = slices.AppendSeq(got, c.Draw())
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("drew %d nodes, want these %d in order", len(got), len(want))
	}
	for _, n := range want {
		if err := gone(n); err != nil {
			return err
		}
	}
	return nil
}

// spreads are those of the times of a burst: what leaves the heap together is sorted in a way that
// depends on it.
var spreads = []int64{1, 10, 1 << 11, 1 << 31, 1 << 50, math.MaxInt64}

// burst pushes many at once, the latest of which are the first perhaps.
func (m *model) burst(n int, spread int64) {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(spread)))
	for i := range n {
		when := rng.Int64N(spread)
		if i%7 == 0 {
			when = -when
		}
		m.seq++
		added := &node{seq: m.seq, when: when, index: -1}
		m.heap.Push(when, added)
		m.sorted = append(m.sorted, added)
	}
	slices.SortFunc(m.sorted, before)
}

func gone(n *node) error {
	if n.index != -1 {
		return fmt.Errorf("node %d left the heap but believes it is at %d", n.seq, n.index)
	}
	return nil
}

// check compares everything the heap tells with the sorted slice.
func (m *model) check() error {
	if err := m.heap.Validate(index); err != nil {
		return err
	}
	if got, want := m.heap.Len(), len(m.sorted); got != want {
		return fmt.Errorf("Len() = %d, want %d", got, want)
	}
	if len(m.sorted) > 0 {
		if when, n := m.heap.Min(); n != m.sorted[0] || when != n.when {
			return fmt.Errorf("Min() = %d/%d, want %d/%d", when, n.seq, m.sorted[0].when, m.sorted[0].seq)
		}
	}
	if err := m.checkMostly(); err != nil {
		return err
	}
	for _, n := range m.sorted {
		if !m.heap.Holds(n.index, n) || m.heap.When(n.index) != n.when {
			return fmt.Errorf("node %d is not at its index %d with its time %d", n.seq, n.index, n.when)
		}
	}
	for _, n := range []int{-1, 0, 1, len(m.sorted) / 2, len(m.sorted), len(m.sorted) + 1} {
		if want := m.sorted[:min(max(n, 0), len(m.sorted))]; !slices.Equal(m.heap.First(n), want) {
			return fmt.Errorf("First(%d) is not %v", n, want)
		}
	}
	whens, nodes := m.heap.Sorted()
	if !slices.Equal(nodes, m.sorted) {
		return fmt.Errorf("Sorted() is out of order")
	}
	for i, n := range nodes {
		if whens[i] != n.when {
			return fmt.Errorf("Sorted() gives node %d the time %d, want %d", n.seq, whens[i], n.when)
		}
	}
	return nil
}

// checkMostly asks for a share of which the answer does not depend on a sample: none, or all.
func (m *model) checkMostly() error {
	if len(m.sorted) == 0 {
		return nil
	}
	first, last := m.sorted[0].when, m.sorted[len(m.sorted)-1].when
	if !m.heap.Mostly(last) {
		return fmt.Errorf("all are not later than %d, which is not most", last)
	}
	if first > math.MinInt64 && m.heap.Mostly(first-1) {
		return fmt.Errorf("all are later than %d, and most are not", first-1)
	}
	return nil
}

var steps = rapid.SampledFrom([]int{1, 2, 3, 10, 100, 1 << 20})

// coarse times collide often; the ends of the range would break a comparison by subtraction.
var times = rapid.OneOf(
	rapid.Int64Range(0, 9),
	rapid.SampledFrom([]int64{math.MinInt64, math.MinInt64 + 1, -1, math.MaxInt64 - 1, math.MaxInt64}),
)

func TestHeapAgreesWithASortedSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m model
		ok := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		which := func() int {
			if len(m.sorted) == 0 {
				t.Skip("empty")
			}
			return rapid.IntRange(0, len(m.sorted)-1).Draw(t, "which")
		}
		push := func(t *rapid.T) { m.push(times.Draw(t, "when")) }
		t.Repeat(map[string]func(*rapid.T){
			"push":       push,
			"push more":  push,
			"push again": push,
			"pop": func(t *rapid.T) {
				which()
				ok(m.pop())
			},
			"remove": func(t *rapid.T) { ok(m.remove(which())) },
			"update": func(t *rapid.T) { m.update(which(), times.Draw(t, "when")) },
			"filter": func(t *rapid.T) {
				k := rapid.Uint64Range(1, 4).Draw(t, "every")
				ok(m.filter(func(n *node) bool { return n.seq%k != 0 }))
			},
			"cut": func(t *rapid.T) { ok(m.cut(times.Draw(t, "by"), steps.Draw(t, "step"))) },
			"cut some": func(t *rapid.T) {
				ok(m.cut(m.sorted[which()].when, steps.Draw(t, "step")))
			},
			"burst": func(t *rapid.T) {
				if len(m.sorted) > most {
					t.Skip("enough")
				}
				m.burst(rapid.IntRange(1, 300).Draw(t, "nodes"), rapid.SampledFrom(spreads).Draw(t, "spread"))
			},
			"": func(t *rapid.T) { ok(m.check()) },
		})
	})
}

func TestEqualTimesLeaveInSequence(t *testing.T) {
	var m model
	for range 100 {
		m.push(7)
	}
	for want := uint64(1); want <= 100; want++ {
		require.Equal(t, want, m.heap.Pop().seq)
	}
}

// The last entry fills the hole of a removed one. If it comes from another subtree it may be
// earlier than the hole's parent, and must rise.
func TestRemoveFromTheMiddleLetsTheLastRise(t *testing.T) {
	var m model
	for _, when := range []int64{0, 100, 10, 20, 30, 101, 102, 103, 104, 11} {
		m.push(when)
	}
	hole := slices.IndexFunc(m.sorted, func(n *node) bool { return n.when == 101 })
	last := m.sorted[slices.IndexFunc(m.sorted, func(n *node) bool { return n.when == 11 })]
	require.Equal(t, 9, last.index, "11 stands last")
	require.Equal(t, 5, m.sorted[hole].index, "101 stands under 100")

	require.NoError(t, m.remove(hole))
	require.NoError(t, m.check())
	require.Equal(t, 1, last.index, "11 has risen over 100")
}

func TestRemoveOfEveryIndexKeepsTheOrder(t *testing.T) {
	for size := 1; size <= 30; size++ {
		for i := range size {
			var m model
			rng := rand.New(rand.NewPCG(uint64(size), uint64(i)))
			for range size {
				m.push(rng.Int64N(10))
			}
			require.NoError(t, m.remove(i))
			require.NoError(t, m.check())
			for len(m.sorted) > 0 {
				require.NoError(t, m.pop())
			}
		}
	}
}

func TestUpdateMovesANodeBothWays(t *testing.T) {
	var m model
	for when := range int64(30) {
		m.push(when)
	}
	m.update(29, -1)
	require.NoError(t, m.check())
	m.update(0, 100)
	require.NoError(t, m.check())
	m.update(15, m.sorted[15].when)
	require.NoError(t, m.check())
}

func TestFilterReturnsTheOthersInOrder(t *testing.T) {
	for size := range 30 {
		for _, keep := range []func(n *node) bool{
			func(*node) bool { return true },
			func(*node) bool { return false },
			func(n *node) bool { return n.seq%2 == 0 },
			func(n *node) bool { return n.when > 4 },
		} {
			var m model
			rng := rand.New(rand.NewPCG(uint64(size), 1))
			for range size {
				m.push(rng.Int64N(10))
			}
			require.NoError(t, m.filter(keep))
			require.NoError(t, m.check())
			m.push(5)
			require.NoError(t, m.check())
		}
	}
}

// On its way down a heap of this size is both larger and smaller than the caches of a processor.
func TestALargeHeapIsInOrder(t *testing.T) {
	for name, times := range map[string]func(*rand.Rand) int64{
		"equal":      func(*rand.Rand) int64 { return 1 },
		"few times":  func(rng *rand.Rand) int64 { return rng.Int64N(100) },
		"many times": func(rng *rand.Rand) int64 { return rng.Int64N(1 << 40) },
		"crowds first and last": func(rng *rand.Rand) int64 {
			return rng.Int64N(3)<<40 + rng.Int64N(5_000)
		},
		"all times": func(rng *rand.Rand) int64 { return int64(rng.Uint64()) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, way := range []string{"pop", "filter", "cut"} {
				nodes, h := pushed(40_000, times)
				slices.SortFunc(nodes, before)
				var got []*node
				switch way {
				case "pop":
					for h.Len() > 0 {
						got = append(got, h.Pop())
					}
				case "filter":
					got = h.Filter(func(int64, *node) bool { return false })
				case "cut":
					c := heap.Cut(math.MaxInt64, 1000, &h)
					for c.Dealing() {
						c.Deal()
					}
					for c.Len() > 0 {
						row := slices.Collect(c.Draw())
						require.Less(t, len(row), 5000, "rows are of one kind")
						got = append(got, row...)
					}
				}
				require.True(t, slices.Equal(nodes, got), way)
				require.Zero(t, h.Len())
			}
		})
	}
}

// pushed returns a heap of n nodes with the given times.
func pushed(n int, times func(*rand.Rand) int64) (nodes []*node, h heap.Heap[*node]) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		when := times(rng)
		nodes = append(nodes, &node{seq: uint64(i), when: when})
		h.Push(when, nodes[i])
	}
	return nodes, h
}

func TestMostlyTellsAHalf(t *testing.T) {
	const n = 10_000
	var h heap.Heap[*node]
	for i := range n {
		h.Push(int64(i*7919%n), &node{seq: uint64(i)})
	}
	assert.False(t, h.Mostly(-1))
	assert.False(t, h.Mostly(n/4), "a quarter")
	assert.True(t, h.Mostly(n*3/4), "three quarters")
	assert.True(t, h.Mostly(n))
}

// The array shrinks several times on the way down from 5,000.
func TestShrinkKeepsTheElements(t *testing.T) {
	var m model
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		m.push(rng.Int64N(1000))
	}
	for n := len(m.sorted); n > 0; n-- {
		require.NoError(t, m.pop())
		if n%97 == 0 || n < 20 {
			require.NoError(t, m.check())
		}
	}
	m.push(1)
	require.NoError(t, m.check())
}

func TestAnEmptiedHeapGivesItsArrayBack(t *testing.T) {
	const many = 1 << 18
	var h heap.Heap[*node]
	nodes := make([]node, many)
	empty := liveBytes()
	for i := range nodes {
		nodes[i].seq = uint64(i)
		h.Push(int64(i), &nodes[i])
	}
	full := liveBytes()
	for range many - 10 {
		h.Pop()
	}
	drained := liveBytes()
	runtime.KeepAlive(nodes)
	require.Equal(t, 10, h.Len())
	require.Greater(t, full, empty+8*many, "the array is part of the measure")
	assert.Less(t, drained, empty+many, "the array has been given back")
}

func liveBytes() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// What has left the heap can be collected, though the array that held it lives on.
func TestLeavingNodesAreForgotten(t *testing.T) {
	ways := map[string]func(h *heap.Heap[*node], n *node){
		"pop":    func(h *heap.Heap[*node], n *node) { h.Pop() },
		"remove": func(h *heap.Heap[*node], n *node) { h.Remove(n.index) },
		"filter": func(h *heap.Heap[*node], n *node) {
			h.Filter(func(_ int64, other *node) bool { return other != n })
		},
		"cut": func(h *heap.Heap[*node], n *node) {
			c := heap.Cut(n.when, 2, h)
			for c.Len() > 0 && c.Dealing() {
				c.Deal()
			}
			for c.Len() > 0 {
				for range c.Draw() {
				}
			}
		},
		"removed from a cutting": func(h *heap.Heap[*node], n *node) {
			c := heap.Cut(n.when, 2, h)
			c.Remove(n.index, n)
			for c.Len() > 0 {
				c.Deal()
			}
		},
		"sorted, then pop": func(h *heap.Heap[*node], n *node) {
			h.Sorted()
			h.Pop()
		},
	}
	for name, leave := range ways {
		for _, others := range []int{0, 1, 7} {
			t.Run(fmt.Sprintf("%s of %d", name, others+1), func(t *testing.T) {
				var h heap.Heap[*node]
				left := pushAndLeave(&h, others, leave)
				runtime.GC()
				assert.Nil(t, left.Value())
				assert.Equal(t, others, h.Len())
				runtime.KeepAlive(&h)
			})
		}
	}
}

// pushAndLeave has a frame of its own, so that the test's holds no node.
//
//go:noinline
func pushAndLeave(h *heap.Heap[*node], others int, leave func(*heap.Heap[*node], *node)) weak.Pointer[node] {
	first := &node{}
	h.Push(0, first)
	for i := range others {
		h.Push(int64(i)+1, &node{seq: uint64(i) + 1})
	}
	leave(h, first)
	return weak.Make(first)
}

func TestHoldsKnowsStrangersAndBadIndexes(t *testing.T) {
	var m model
	n := m.push(1)
	other := m.push(2)
	assert.True(t, m.heap.Holds(0, n))
	assert.False(t, m.heap.Holds(0, other))
	assert.False(t, m.heap.Holds(-1, n))
	assert.False(t, m.heap.Holds(2, n))
	assert.False(t, m.heap.Holds(0, &node{}))
}

// The other tests trust Validate, so it must see a wrong index, a wrong order, and a wrong order
// among equal times.
func TestValidateSeesABrokenHeap(t *testing.T) {
	broken := map[string]func(m *model){
		"index":       func(m *model) { m.sorted[5].index = 3 },
		"equal times": func(m *model) { m.sorted[0].seq, m.sorted[1].seq = m.sorted[1].seq, m.sorted[0].seq },
	}
	for name, damage := range broken {
		t.Run(name, func(t *testing.T) {
			var m model
			for range 10 {
				m.push(7)
			}
			require.NoError(t, m.heap.Validate(index))
			damage(&m)
			require.Error(t, m.heap.Validate(index))
		})
	}
}

// What is due in several heaps is drawn in one order, whether it is all there is in a heap or not,
// and can be removed meanwhile.
func TestACuttingOfSeveralHeapsIsInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, by := range []int64{-1, 30, 60, 99} {
		var heaps [3]heap.Heap[*node]
		var want []*node
		left := 0
		for i := range 3000 {
			n := &node{seq: uint64(i), when: rng.Int64N(100), index: -1}
			h := i % 3
			if h == 2 {
				n.when %= 50 // all of it is due before the rest
			}
			heaps[h].Push(n.when, n)
			if n.when <= by {
				want = append(want, n)
			} else {
				left++
			}
		}
		slices.SortFunc(want, before)
		c := heap.Cut(by, 64, &heaps[0], &heaps[1], &heaps[2])
		require.Equal(t, len(want), c.Len())
		require.NoError(t, c.Validate(index))
		for i := 0; i < len(want); i += 7 {
			require.True(t, c.Holds(want[i].index, want[i]))
			c.Remove(want[i].index, want[i])
			require.NoError(t, gone(want[i]))
			want = slices.Delete(want, i, i+1)
		}
		var got []*node
		for c.Len() > 0 {
			if c.Dealing() {
				c.Deal()
				require.NoError(t, c.Validate(index))
				continue
			}
			got = slices.AppendSeq(got, c.Draw())
		}
		require.Equal(t, len(want), len(got))
		require.True(t, slices.Equal(want, got))
		for i := range heaps {
			require.NoError(t, heaps[i].Validate(index))
			left -= heaps[i].Len()
		}
		require.Zero(t, left)
	}
}
