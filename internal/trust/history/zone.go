package history

import (
	"math"
	"slices"
	"time"
)

// zone is a difference-bound matrix, as it is used for timed automata: what is known of elements
// that are put in with a delay and leave when they are due: the elements, in the order in which
// they were put in, and for each two of its variables an upper bound on their difference. The
// variables are the zero of the clock, the present, and the deadlines. The bounds are as tight as
// they imply each other.
//
// Who puts in an element does not see which clock the queue has read, but only that it was between
// call and return; so does who takes one out. An answer is legal if the inequalities that it
// implies can be added. No tolerance is needed, and no clock but a monotonic one.
type zone struct {
	ids   []int
	bound [][]int64 // bound[i][j] >= x[i] - x[j]
}

const (
	zero    = 0
	present = 1
	first   = 2 // the variable of ids[0]

	unbounded = math.MaxInt64 / 4
)

func emptyZone() zone {
	return zone{bound: [][]int64{{0, unbounded}, {0, 0}}}
}

func (z zone) clone() zone {
	n := len(z.bound)
	cells := make([]int64, n*n) // one piece for all rows
	rows := make([][]int64, n)
	for i, row := range z.bound {
		rows[i] = cells[i*n : (i+1)*n : (i+1)*n]
		copy(rows[i], row)
	}
	return zone{slices.Clone(z.ids), rows}
}

func (z zone) equal(o zone) bool {
	return slices.Equal(z.ids, o.ids) && slices.EqualFunc(z.bound, o.bound, slices.Equal[[]int64])
}

// constrain adds x[i] - x[j] <= c and reports whether that is possible.
func (z zone) constrain(i, j int, c time.Duration) bool {
	b := int64(c)
	if z.bound[j][i]+b < 0 {
		return false
	}
	if b >= z.bound[i][j] {
		return true
	}
	after := z.bound[j]
	for _, row := range z.bound {
		through := row[i] + b
		if through >= row[j] {
			continue // nor is it shorter to go on from j
		}
		for q := range row {
			row[q] = min(row[q], through+after[q])
		}
	}
	return true
}

// elapse moves the present to some later instant within from..to.
func (z zone) elapse(from, to time.Duration) bool {
	for j := range z.bound {
		if j != present {
			z.bound[present][j] = unbounded
		}
	}
	return z.constrain(zero, present, -from) && z.constrain(present, zero, to)
}

// past reports whether the present is after t for sure.
func (z zone) past(t time.Duration) bool { return -z.bound[zero][present] > int64(t) }

// put adds an element that is due after delay, counted from the present.
func (z *zone) put(id int, delay time.Duration) {
	z.ids = append(z.ids, id)
	var row []int64
	for i := range z.bound {
		row = append(row, z.bound[present][i]+int64(delay))
		z.bound[i] = append(z.bound[i], z.bound[i][present]-int64(delay))
	}
	z.bound = append(z.bound, append(row, 0))
}

// putSince adds an element that is due after delay, counted from some instant since the given one.
func (z *zone) putSince(id int, since, delay time.Duration) bool {
	z.ids = append(z.ids, id)
	row := make([]int64, 0, len(z.bound)+1)
	for i := range z.bound {
		row = append(row, min(z.bound[present][i]+int64(delay), unbounded))
		z.bound[i] = append(z.bound[i], unbounded)
	}
	z.bound = append(z.bound, append(row, 0))
	return z.constrain(zero, first+len(z.ids)-1, -since-delay)
}

// putAt adds an element that is due at the given time, or at some instant within from..to, when it
// is put in, if that is later.
func (z *zone) putAt(id int, at, from, to time.Duration) bool {
	z.ids = append(z.ids, id)
	row := make([]int64, 0, len(z.bound)+1)
	for i := range z.bound {
		row = append(row, unbounded)
		z.bound[i] = append(z.bound[i], unbounded)
	}
	z.bound = append(z.bound, append(row, 0))
	last := len(z.bound) - 1
	return z.constrain(zero, last, -max(at, from)) && z.constrain(last, zero, max(at, to)) &&
		(from < at || z.constrain(last, present, 0))
}

func (z *zone) drop(id int) bool {
	i := slices.Index(z.ids, id)
	if i < 0 {
		return false
	}
	z.ids = slices.Delete(z.ids, i, i+1)
	z.bound = slices.Delete(z.bound, first+i, first+i+1)
	for j := range z.bound {
		z.bound[j] = slices.Delete(z.bound[j], first+i, first+i+1)
	}
	return true
}

// before demands that the element a comes out before b: it is due earlier, or at the same time and
// was put in earlier.
func (z zone) before(a, b int) bool {
	i, j := slices.Index(z.ids, a), slices.Index(z.ids, b)
	if i < 0 || j < 0 {
		return false
	}
	later := time.Duration(0)
	if j < i {
		later = 1
	}
	return z.constrain(first+i, first+j, -later)
}

// head demands that id is the first to be due.
func (z zone) head(id int) bool {
	for _, other := range z.ids {
		if other != id && !z.before(id, other) {
			return false
		}
	}
	return slices.Contains(z.ids, id)
}

// ordered demands that the elements come out in this order.
func (z zone) ordered(ids []int) bool {
	for i := 1; i < len(ids); i++ {
		if !z.before(ids[i-1], ids[i]) {
			return false
		}
	}
	return true
}

// pop demands that id is the head and due, and takes it out.
func (z *zone) pop(id int) bool {
	return z.head(id) && z.constrain(first+slices.Index(z.ids, id), present, 0) && z.drop(id)
}

// mayPop refuses most of what pop would at an instant until t, without a change to z.
func (z zone) mayPop(id int, t time.Duration) bool {
	h := slices.Index(z.ids, id)
	if h < 0 || z.past(t) || -z.bound[zero][first+h] > int64(t) {
		return false
	}
	for i := range z.ids {
		if z.bound[first+i][first+h] < 0 { // it is due later than that one for sure
			return false
		}
	}
	return true
}

// nothingDue demands just that.
func (z zone) nothingDue() bool {
	for i := range z.ids {
		if !z.constrain(present, first+i, -1) {
			return false
		}
	}
	return true
}
