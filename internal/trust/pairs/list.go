package pairs

import (
	"slices"
	"sync"
)

// filled says whether the lists have been filled.
var filled sync.Once

// ready fills the lists before their first use: importing the package does nothing.
func ready() { filled.Do(fill) }

// fill fills the lists. Features refer to each other, so the lists cannot be their own initial
// values.
func fill() {
	allFeatures = slices.Concat(
		poolOptions, observerFields, queues, policies, laneOptions, taskOptions, waysIn, bodies,
		taskCommands, poolCommands, groupCommands, behaviours, endings,
	)
	allWays, allPolicies, allEndings = waysIn, policies, endings
	for i, f := range allFeatures {
		f.index = i
		if f.hosts == 0 {
			f.hosts = anywhere
		}
		if f.ways == 0 {
			f.ways = everyWay
		}
		if byName[f.Name] != nil {
			panic("pairs: two features are called " + f.Name)
		}
		byName[f.Name] = f
	}
	for _, f := range allFeatures {
		for _, h := range []hosts{plain, scheduled, loop} {
			if f.waysOf()&waysOn(h) == 0 {
				f.hosts &^= h
			}
		}
	}
	makePairs()
}
