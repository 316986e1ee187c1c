package pairs

import (
	"fmt"
	"slices"
	"sync"
	"testing"
)

// filled says whether the lists have been filled.
var filled sync.Once

// ready fills the lists before their first use: importing the package does nothing.
func ready() { filled.Do(fill) }

// fill fills the lists. Features refer to each other, so the lists cannot be their own initial
// values.
func fill() {
	enter(anOption, poolOptions, watchOptions, runLogs, observerFields, queues, policies, laneOptions)
	enter(aTaskOption, taskOptions, seriesOptions)
	enter(aWay, waysIn, laneWaysIn, bulkWaysIn)
	enter(aBody, bodies)
	enter(aCommand, taskCommands, poolCommands, groupCommands)
	enter(aBehaviour, behaviours)
	enter(anEnding, endings)
	allPolicies, allEndings = features(policies), features(endings)
	allWays = features(slices.Concat(waysIn, laneWaysIn, bulkWaysIn))
	for _, f := range allFeatures {
		for _, h := range []hosts{plain, scheduled, loop} {
			if f.waysOf()&waysOn(h) == 0 {
				f.hosts &^= h
			}
		}
	}
	makePairs()
}

// enter adds features of a kind.
func enter(k kind, lists ...[]*definition) {
	for _, d := range slices.Concat(lists...) {
		d.kind, d.index = k, len(definitions)
		if d.hosts == 0 {
			d.hosts = anywhere
		}
		if d.ways == 0 {
			d.ways = everyWay
		}
		if byName[d.Name] != nil {
			panic("pairs: two features are called " + d.Name)
		}
		byName[d.Name] = &d.Feature
		definitions = append(definitions, d)
		allFeatures = append(allFeatures, &d.Feature)
	}
}

func features(list []*definition) (all []*Feature) {
	for _, d := range list {
		all = append(all, &d.Feature)
	}
	return all
}

// Features returns all features.
func Features() []*Feature {
	ready()
	return allFeatures
}

// Pairs returns the pairs that are drawn.
func Pairs() []Pair {
	ready()
	return allPairs
}

// Excluded returns the pairs that are not.
func Excluded() []Exclusion {
	ready()
	return leftOut
}

// ByName returns the counts that are not zero by the names of the pairs.
func (c Counts) ByName() map[string]int64 {
	ready()
	m := map[string]int64{}
	for i, n := range c {
		if n > 0 {
			m[allPairs[i].String()] = n
		}
	}
	return m
}

// Rarest returns the names of pairs that have not been effective in [Enough] lives, the rarest
// first, n at most.
func (c Counts) Rarest(n int) (names []string) {
	ready()
	for _, i := range c.order() {
		if c[i] >= Enough || len(names) == n {
			break
		}
		names = append(names, allPairs[i].String())
	}
	return names
}

// Named returns the pairs of these names. It ignores names that no pair has.
func Named(names []string) (all []Pair) {
	ready()
	byName := make(map[string]Pair, len(allPairs))
	for _, p := range allPairs {
		byName[p.String()] = p
	}
	for _, name := range names {
		if p, ok := byName[name]; ok {
			all = append(all, p)
		}
	}
	return all
}

// CountsOf is the reverse of ByName.
func CountsOf(byName map[string]int64) Counts {
	ready()
	c := make(Counts, len(allPairs))
	for i, p := range allPairs {
		c[i] = byName[p.String()]
	}
	return c
}

// Covered returns all exported names that are accounted for, and by what.
func Covered() map[string]string {
	ready()
	covered := map[string]string{}
	for _, f := range allFeatures {
		for _, name := range f.API {
			covered[name] = f.Name
		}
	}
	for reason, names := range noFeature {
		for _, name := range names {
			covered[name] = reason
		}
	}
	return covered
}

// Run runs the life of a seed, and returns what was wrong with it and which pairs were effective.
// It may only be called outside of bubbles. A fault does not fail the test: the caller decides. A
// life that is wrong is run again with ever less, and the shortest program that is still wrong is
// told.
//
// If pairs are given, the life is about one of these; the first are drawn more often than the last.
func Run(t *testing.T, seed uint64, about ...Pair) Report {
	ready()
	p := draw(seed, about)
	r := p.run(t)
	if r.Bad() > 0 {
		r.Faults = append(r.Faults, fmt.Sprintf("seed %d, as short as it gets:\n%v", seed,
			p.shrink(t, r)))
	}
	return r
}
