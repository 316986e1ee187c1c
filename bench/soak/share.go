package main

import (
	"slices"
	"time"

	"github.com/punctual-go/punctual/bench/soak/drill"
)

// weights are the shares of the time that the parts of a soak get if it goes by the time. Within a
// part all rows get the same.
var weights = map[section]float64{
	virtual: 3, pairs: 3, linear: 1, races: 1, unruly: 1, racing: 2, years: 0.5,
}

// pieces is into how many processes the time of a row is cut, about: the first ones tell how fast
// it is.
const pieces = 4

// The time for a process: it costs some hundredths of a second to start one, and a soak ends as
// soon as the last process does.
const (
	shortest = time.Second
	longest  = 30 * time.Second
)

// clock shares out the time of a soak.
type clock struct {
	began  time.Time
	length time.Duration
	now    func() time.Time
}

// left is how much time there is.
func (c *clock) left() time.Duration { return c.length - c.now().Sub(c.began) }

// behind returns the row that has had the least of its share; of several the first.
func behind(rows []*row) *row {
	return slices.MinFunc(rows, func(a, b *row) int {
		switch x, y := a.had(), b.had(); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
}

// had is how much time the row has had, and is about to have, for its weight.
func (r *row) had() float64 { return (r.spent + r.promised).Seconds() / r.weight }

// piece returns how many operations a process of the row is to do: as many as it can in its piece
// of the time, as far as is known; at first a few.
func (r *row) piece(c *clock, rows int) (ops int64, length time.Duration) {
	length = min(max(c.length/time.Duration(rows*pieces), shortest), longest, max(c.left(), shortest/10))
	if r.spent == 0 {
		return max(1, r.first), length
	}
	speed := float64(r.worked) / r.spent.Seconds()
	return max(1, int64(speed*length.Seconds())), length
}

// timed takes the next seeds, for a soak that goes by the time, and promises the row its piece of
// it.
func (r *row) timed(c *clock, rows int) (drill.Job, time.Duration) {
	ops, length := r.piece(c, rows)
	if r.part == drill.Years {
		ops = min(ops, r.target)
	}
	j := r.take(ops)
	if !r.single {
		j.Length = length
	}
	r.promised += length
	return j, length
}

// returned enters how long a process has taken that was to take about so long.
func (r *row) returned(promised, took time.Duration) {
	r.promised -= promised
	r.spent += took
}
