package cron_test

import (
	"slices"
	"time"
)

// The definition of what a line means is evaluated here as it is written, with nothing but package
// time: all instants are looked at in turn, and each is asked what the zone shows. It is slow.

const day = 24 * 60 * 60

// moment is an instant, and what the zone shows then as if it were UTC. Both are Unix seconds.
type moment struct{ at, shown int64 }

// jump is a gap: at the instant the zone shows to, and would have shown from.
type jump struct{ at, from, to int64 }

// walk is what a zone shows on a day of UTC: at each second at which it shows a whole minute, or at
// each second.
type walk struct {
	moments []moment
	jumps   []jump
}

// definition evaluates lines in one zone. It keeps the days that it has walked.
type definition struct {
	zone    *time.Location
	seconds bool
	days    map[int64]walk
}

func newDefinition(zone *time.Location, seconds bool) *definition {
	return &definition{zone: zone, seconds: seconds, days: map[int64]walk{}}
}

func (d *definition) offset(x int64) int64 {
	_, offset := time.Unix(x, 0).In(d.zone).Zone()
	return int64(offset)
}

// walk walks a day.
func (d *definition) walk(number int64) walk {
	if w, ok := d.days[number]; ok {
		return w
	}
	var w walk
	before := d.offset(number*day - 1)
	for minute := number * day; minute < (number+1)*day; minute += 60 {
		first, last := d.offset(minute), d.offset(minute+59)
		if !d.seconds && before == first && first == last && first%60 == 0 {
			w.moments = append(w.moments, moment{minute, minute + first})
			continue
		}
		for x := minute; x < minute+60; x++ {
			offset := d.offset(x)
			if offset > before {
				w.jumps = append(w.jumps, jump{x, x + before, x + offset})
			}
			if d.seconds || (x+offset)%60 == 0 {
				w.moments = append(w.moments, moment{x, x + offset})
			}
			before = offset
		}
	}
	d.days[number] = w
	return w
}

// policy says what becomes of the times of a fixed line.
type policy struct {
	gap    string // After or Skip
	repeat string // First, Last or Both
}

// margin is how many days may lie between two instants that show the same time, and then some.
const margin = 3

// runs returns the first runs of a line after an instant, and until when it has looked: at most so
// many days, and not for many more runs than are asked for.
func (d *definition) runs(
	l *line, p policy, after, days int64, enough int,
) (runs []int64, until int64) {
	begin := floor(after, day)
	last := begin + days + margin
	var moments []moment
	var jumps []jump
	for number := begin - margin; number <= last; number++ {
		if !l.near(number) {
			continue
		}
		w := d.walk(number)
		for _, m := range w.moments {
			if l.matches(m.shown) {
				moments = append(moments, m)
			}
		}
		jumps = append(jumps, w.jumps...)
		if len(moments) > 0 && number > begin && moments[max(0, len(moments)-enough)].at > after {
			last = min(last, number+margin+1)
		}
	}
	until = (last - margin) * day
	for _, x := range l.chosen(p, moments, jumps) {
		if x > after && x < until {
			runs = append(runs, x)
		}
	}
	slices.Sort(runs)
	return slices.Compact(runs), until
}

// chosen returns the runs among moments that match, and at the ends of gaps.
func (l *line) chosen(p policy, moments []moment, jumps []jump) (runs []int64) {
	instants := map[int64][]int64{}
	for _, m := range moments {
		instants[m.shown] = append(instants[m.shown], m.at)
	}
	for _, all := range instants {
		switch {
		case l.interval() || p.repeat == "Both":
			runs = append(runs, all...)
		case p.repeat == "First":
			runs = append(runs, slices.Min(all))
		default:
			runs = append(runs, slices.Max(all))
		}
	}
	if l.interval() || p.gap == "Skip" {
		return runs
	}
	for _, j := range jumps {
		for shown := j.from; shown < j.to; shown++ {
			if l.matches(shown) && len(instants[shown]) == 0 {
				runs = append(runs, j.at)
				break
			}
		}
	}
	return runs
}

// near reports whether a line has times within two days of a day.
func (l *line) near(number int64) bool {
	for n := number - 2; n <= number+2; n++ {
		if l.hasDay(n) {
			return true
		}
	}
	return false
}

// floor divides, and rounds down.
func floor(a, b int64) int64 {
	if a < 0 {
		return (a+1)/b - 1
	}
	return a / b
}
