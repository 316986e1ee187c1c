package litmus

import "slices"

// Pairs returns all there are.
func Pairs() []Pair {
	return slices.Concat(promisePairs(), taskPairs(), takerPairs(), resetPairs(), closingPairs(),
		poolPairs(), seriesPairs(), waitPairs(), controlPairs())
}
