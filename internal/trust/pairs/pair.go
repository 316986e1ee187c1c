package pairs

import "slices"

// Pair is two features that a program can have together.
type Pair struct{ A, B *Feature }

func (p Pair) String() string { return p.A.Name + " × " + p.B.Name }

// Exclusion is a pair that no program can show, with the reason.
type Exclusion struct {
	Pair
	Reason string
}

var (
	allPairs []Pair
	leftOut  []Exclusion
	harder   []Pair  // of which one feature is hard to show with others
	hardest  []Pair  // of which both are
	pairs    [][]int // the index in allPairs, by those of the features; -1 if excluded
)

// hard has the features that seldom have an effect beside that of another, because they come late
// in a life, or end it.
var hard = map[string]bool{
	"body closes the executor": true, "Group.Cancel": true, "WallClock": true, "CancelCause": true,
	"callback closes the executor": true, "callback gives a command": true, "callback panics": true,
	"callback calls Goexit": true, "SetContinuePeriodicAfterShutdown": true, "SlowDown": true,
	"CatchUp": true, "Priority": true, "MaxRuns": true, "WithContext": true, "Group.SetLimit": true,
	"Stop": true, "Pool.Drain": true, "Until": true, "SetExecuteDelayedAfterShutdown": true,
	"Group.Wait": true, "Slack": true, "Observer.Missed": true, "Observer.Rejected": true,
	"Observer.Expired": true, "Gap": true, "Pace of a lane": true, "HandOff": true,
}

// makePairs fills the lists above.
func makePairs() {
	pairs = make([][]int, len(allFeatures))
	for i := range allFeatures {
		pairs[i] = slices.Repeat([]int{-1}, len(allFeatures))
	}
	for i, a := range allFeatures {
		for j := i + 1; j < len(allFeatures); j++ {
			p := Pair{a, allFeatures[j]}
			if reason := p.excluded(); reason != "" {
				leftOut = append(leftOut, Exclusion{p, reason})
				continue
			}
			if hard[a.Name] || hard[p.B.Name] {
				harder = append(harder, p)
			}
			if hard[a.Name] && hard[p.B.Name] {
				hardest = append(hardest, p)
			}
			pairs[i][j], pairs[j][i] = len(allPairs), len(allPairs)
			allPairs = append(allPairs, p)
		}
	}
}

// excluded returns why no program can show a pair; "" if one can.
func (p Pair) excluded() string {
	for _, e := range exclusions {
		if e.holds(p.A, p.B) || e.holds(p.B, p.A) {
			return e.reason
		}
	}
	return ""
}

// exclusions are the reasons for which pairs are left out.
var exclusions = []struct {
	reason string
	holds  func(a, b *Feature) bool
}{
	{"no executor has both", func(a, b *Feature) bool { return a.hosts&b.hosts == 0 }},
	{"a pool has one queue", func(a, b *Feature) bool {
		return a.group == "queue" &&
			b.group == "queue"
	}},
	{"priorities mean something to a PriorityFIFO alone", func(a, b *Feature) bool {
		return a.Name == "Priority" && (b.Name == "FIFO" || b.Name == "BoundedFIFO" ||
			b.Name == "HandOff" ||
			b.Name == "CustomQueue")
	}},
	{"nothing waits under HandOff, so the pool cannot grow for it first", func(a, b *Feature) bool {
		return a.Name == "GrowFirst" && b.Name == "HandOff"
	}},
	{"documented to end the program", func(a, b *Feature) bool {
		return a.callback && b.kind == aBehaviour && !mayBehave(a, b)
	}},
}

// mayBehave reports whether a callback may behave so.
func mayBehave(callback, behaviour *Feature) bool {
	return !(callback.Name == "OnLate" && behaviour.Name == "callback panics")
}

// Counts has for each pair in how many lives it was effective, by its index in allPairs.
type Counts []int64

// Add adds other counts.
func (c *Counts) Add(o Counts) {
	if *c == nil && o != nil {
		*c = make(Counts, len(o))
	}
	for i, n := range o {
		(*c)[i] += n
	}
}

// beside reports whether no task can show the pair alone: because it would have to come in two
// ways, or to end in two, or to run although it was refused or withdrawn. Then the two features
// act on two tasks that are alive together.
func (p Pair) beside() bool {
	a, b := p.A, p.B
	return a.waysOf()&b.waysOf()&waysOn(a.hosts&b.hosts) == 0 || a.ends() && b.ends() ||
		a.neverRuns() || b.neverRuns() || p.apart()
}

// neverRuns reports whether the effect of the feature is on tasks that have not begun, and never
// do.
func (f *Feature) neverRuns() bool {
	switch f.Name {
	case "Withdraw", "Observer.Rejected", "Abort", "Discard":
		return true
	}
	return false
}

// ends reports whether the effect of the feature is that a task ends, without a run of its own.
func (f *Feature) ends() bool {
	return f.ender || f.kind == anEnding || f.Name == "Observer.Dropped" ||
		f.Name == "Observer.Cancelled"
}

// apart reports whether the features exclude each other on one task: its own option replaces the
// default one; and one that runs once, and has expired, or was dropped or drained, has never begun.
func (p Pair) apart() bool {
	return p.A.Name == "Defaults" && p.B.Name == "Timeout" ||
		p.A.beginsLate() && p.B.endsEarly() || p.B.beginsLate() && p.A.endsEarly()
}

// beginsLate reports whether the effect is on the beginning of a task that runs once.
func (f *Feature) beginsLate() bool { return f.Name == "Priority" || f.Name == "WallClock" }

// endsEarly reports whether the effect on a task that runs once is that it does not.
func (f *Feature) endsEarly() bool {
	return f.Name == "Observer.Expired" || f.Name == "Observer.Dropped" || f.Name == "Pool.Drain"
}

// direct reports whether a pair is a callback and how it behaves: then it is about that callback.
func direct(p Pair) bool {
	return p.A.callback && p.B.kind == aBehaviour || p.B.callback && p.A.kind == aBehaviour
}
