// Package heap is an indexed 4-ary min-heap of things that have a time.
//
// An entry holds its time beside the pointer to its node, so a comparison of different times
// touches no node, and the four children of an entry lie in one cache line. Entries of equal time
// leave in the order of their sequence numbers, so the order is total. A node is told its index
// whenever it moves; that makes Remove and Update of a given node O(log n). Four children instead
// of two halve the depth, and with it the cache misses in a large heap. The Go runtime's timer heap
// and the delay scheduler of JDK 25 have the same layout.
//
// A Heap does no locking.
package heap

import (
	"cmp"
	"fmt"
	"iter"
	"math/bits"
	"slices"
)

// Node is what a heap needs of its elements: a pointer type that stores an index for it. Seq breaks
// ties, and must not change while the node is in a heap.
type Node interface {
	comparable
	SetIndex(i int) // -1 when the node leaves the heap
	Seq() uint64
}

// arity is the number of children of an entry. Those of entry i are the arity entries from
// arity*i+1 on.
const arity = 4

// minCap is the capacity at which an emptying heap keeps its array.
const minCap = 1024

type entry[N Node] struct {
	when int64
	node N
}

// Heap orders nodes by time, then by sequence number. The zero value is empty.
//
// No entry precedes its parent. Every node has been told the index of its entry, or -1 when it
// left.
type Heap[N Node] struct {
	entries []entry[N]
}

// Len returns the number of nodes.
func (h *Heap[N]) Len() int { return len(h.entries) }

// Min returns the earliest node and its time; the heap must not be empty.
func (h *Heap[N]) Min() (when int64, node N) {
	return h.entries[0].when, h.entries[0].node
}

// Holds reports whether node is at index i. Any i may be asked for.
func (h *Heap[N]) Holds(i int, node N) bool {
	return i >= 0 && i < len(h.entries) && h.entries[i].node == node
}

// Push inserts node. O(log n), or O(1) if its time is later than all others.
func (h *Heap[N]) Push(when int64, node N) {
	h.entries = append(h.entries, entry[N]{})
	h.up(len(h.entries)-1, entry[N]{when, node})
}

// Pop removes and returns the earliest node; the heap must not be empty. O(log n).
func (h *Heap[N]) Pop() N {
	node := h.entries[0].node
	h.Remove(0)
	return node
}

// Remove takes out the node at index i. O(log n).
func (h *Heap[N]) Remove(i int) {
	removed := h.entries[i].node
	n := len(h.entries) - 1
	last := h.entries[n]
	h.entries[n] = entry[N]{} // the array must not keep the node in memory
	h.entries = h.entries[:n]
	h.shrink()
	if i < n {
		h.fix(i, last)
	}
	removed.SetIndex(-1)
}

// Update gives the node at index i a new time. O(log n).
func (h *Heap[N]) Update(i int, when int64) {
	h.fix(i, entry[N]{when, h.entries[i].node})
}

// Filter keeps the nodes that keep accepts, and returns the others in order. O(n + k log k) for k
// removed.
func (h *Heap[N]) Filter(keep func(when int64, node N) bool) []N {
	return nodesOf(h.part(func(e entry[N]) bool { return keep(e.when, e.node) }))
}

// Absorb takes over the nodes of another heap that are not later than by. O(n), of both.
func (h *Heap[N]) Absorb(other *Heap[N], by int64) {
	h.entries = append(h.entries, other.part(func(e entry[N]) bool { return e.when > by })...)
	h.heapify()
}

// part keeps the entries that keep accepts and returns the others. It allocates for those it
// returns, not for those it keeps.
func (h *Heap[N]) part(keep func(entry[N]) bool) (out []entry[N]) {
	kept := 0
	// Those to keep are exchanged to the front, which leaves the others behind them.
	for i, e := range h.entries {
		if keep(e) {
			h.entries[i], h.entries[kept] = h.entries[kept], e
			kept++
		}
	}
	switch kept {
	case len(h.entries):
		return nil
	case 0: // the caller gets the array itself
		out, h.entries = h.entries, nil
		return out
	}
	out = slices.Clone(h.entries[kept:])
	clear(h.entries[kept:])
	h.entries = h.entries[:kept]
	h.shrink()
	h.heapify()
	return out
}

// Mostly reports whether about half of the nodes or more are not later than by, judging by a small
// sample. The heap must not be empty.
func (h *Heap[N]) Mostly(by int64) bool {
	const sample = 32
	n, early := len(h.entries), 0
	for i := range sample {
		if h.entries[i*n/sample].when <= by {
			early++
		}
	}
	return early >= sample/2
}

// All yields the nodes with their times, in no order.
func (h *Heap[N]) All() iter.Seq2[int64, N] {
	return func(yield func(int64, N) bool) {
		for _, e := range h.entries {
			if !yield(e.when, e.node) {
				return
			}
		}
	}
}

// Sorted returns the nodes in order with their times. O(n log n).
func (h *Heap[N]) Sorted() ([]int64, []N) {
	s := slices.Clone(h.entries)
	slices.SortFunc(s, compare)
	whens, nodes := make([]int64, len(s)), make([]N, len(s))
	for i, e := range s {
		whens[i], nodes[i] = e.when, e.node
	}
	return whens, nodes
}

// First returns the nodes that come first, at most n of them, in order. It looks only at these and
// their children: O(n log n), however many nodes there are.
func (h *Heap[N]) First(n int) []N {
	n = min(n, len(h.entries))
	if n <= 0 {
		return nil
	}
	first := make([]N, 0, n)
	open := candidates[N]{h: h, at: make([]int, 1, n*(arity-1)+1)} // the root
	for len(first) < n {
		i := open.pop()
		first = append(first, h.entries[i].node)
		for c := i*arity + 1; c <= i*arity+arity && c < len(h.entries); c++ {
			open.push(c)
		}
	}
	return first
}

// candidates are the indices of entries that may come next, as a binary heap.
type candidates[N Node] struct {
	h  *Heap[N]
	at []int
}

func (c *candidates[N]) less(i, j int) bool {
	return less(c.h.entries[c.at[i]], c.h.entries[c.at[j]])
}

func (c *candidates[N]) push(index int) {
	c.at = append(c.at, index)
	for i := len(c.at) - 1; i > 0 && c.less(i, (i-1)/2); i = (i - 1) / 2 {
		c.at[i], c.at[(i-1)/2] = c.at[(i-1)/2], c.at[i]
	}
}

func (c *candidates[N]) pop() int {
	top, last := c.at[0], len(c.at)-1
	c.at[0] = c.at[last]
	c.at = c.at[:last]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if c.less(child, least) {
				least = child
			}
		}
		if least == i {
			return top
		}
		c.at[i], c.at[least] = c.at[least], c.at[i]
		i = least
	}
}

// shrink gives up half of the array when three quarters of it are idle, so that a burst does not
// keep its memory for ever.
func (h *Heap[N]) shrink() {
	if n, c := len(h.entries), cap(h.entries); c > minCap && n < c/4 {
		h.entries = append(make([]entry[N], 0, max(2*n, minCap)), h.entries...)
	}
}

// fix puts e into the hole at i. The entry may come from another subtree, so it may have to rise as
// well as sink.
func (h *Heap[N]) fix(i int, e entry[N]) {
	if i > 0 && less(e, h.entries[(i-1)/arity]) {
		h.up(i, e)
		return
	}
	h.down(i, e)
}

// up moves the hole at i towards the root until e fits into it: one write for each level, not a
// swap.
func (h *Heap[N]) up(i int, e entry[N]) {
	for i > 0 {
		parent := (i - 1) / arity
		p := h.entries[parent]
		if !less(e, p) {
			break
		}
		h.place(i, p)
		i = parent
	}
	h.place(i, e)
}

// down moves the hole at i towards the leaves until e fits into it.
func (h *Heap[N]) down(i int, e entry[N]) {
	near := len(h.entries) <= nearby
	for {
		first := i*arity + 1
		if first >= len(h.entries) {
			break
		}
		children := h.entries[first:min(first+arity, len(h.entries))]
		least := 0
		if near && len(children) == arity {
			least = leastOf((*[arity]entry[N])(children))
		} else {
			for c := 1; c < len(children); c++ {
				if less(children[c], children[least]) {
					least = c
				}
			}
		}
		if !less(children[least], e) {
			break
		}
		h.place(i, children[least])
		i = first + least
	}
	h.place(i, e)
}

// nearby is the size up to which a heap lies in the caches of one processor. There, mispredicted
// branches cost most, and half of these are mispredicted; so down does without them. In a larger
// heap they pay: the processor goes on with its guess, and fetches the next level while it waits
// for this one.
const nearby = 1 << 14

// leastOf returns the index of the least of four, nearly without branches.
func leastOf[N Node](c *[arity]entry[N]) int {
	a, b := before(&c[1], &c[0]), 2+before(&c[3], &c[2])
	return a ^ (a^b)&-before(&c[b&3], &c[a&3])
}

// before is less as a number, 1 or 0. It is the borrow of an unsigned subtraction; flipping the
// sign bits puts negative times first.
func before[N Node](a, b *entry[N]) int {
	if a.when == b.when && a.node.Seq() < b.node.Seq() {
		return 1
	}
	const sign = 1 << 63
	_, borrow := bits.Sub64(uint64(a.when)^sign, uint64(b.when)^sign, 0)
	return int(borrow)
}

// place puts e at index i, and tells its node.
func (h *Heap[N]) place(i int, e entry[N]) {
	h.entries[i] = e
	e.node.SetIndex(i)
}

// heapify makes a heap of entries in any order, bottom up. O(n).
func (h *Heap[N]) heapify() {
	// Every node first: down tells only those that it moves.
	for i, e := range h.entries {
		e.node.SetIndex(i)
	}
	for i := (len(h.entries) - 2) / arity; i >= 0 && len(h.entries) > 1; i-- {
		h.down(i, h.entries[i])
	}
}

func less[N Node](a, b entry[N]) bool {
	if a.when != b.when {
		return a.when < b.when
	}
	return a.node.Seq() < b.node.Seq()
}

func compare[N Node](a, b entry[N]) int {
	if c := cmp.Compare(a.when, b.when); c != 0 {
		return c
	}
	return cmp.Compare(a.node.Seq(), b.node.Seq())
}

// Validate checks the order of the heap, and that every node knows its index, as index returns it.
// It is for tests.
func (h *Heap[N]) Validate(index func(N) int) error {
	for i, e := range h.entries {
		if got := index(e.node); got != i {
			return fmt.Errorf("heap: node at %d believes it is at %d", i, got)
		}
		if i > 0 && less(e, h.entries[(i-1)/arity]) {
			return fmt.Errorf("heap: entry %d is earlier than its parent", i)
		}
	}
	return nil
}
