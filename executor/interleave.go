package executor

// interleave puts two lists, each in order, into one. Those of the second come before those of the
// first that they are before.
func interleave[T any](first, second []T, before func(second, first T) bool) []T {
	if len(second) == 0 {
		return first
	}
	if len(first) == 0 {
		return second
	}
	all := make([]T, 0, len(first)+len(second))
	for _, t := range first {
		for len(second) > 0 && before(second[0], t) {
			all = append(all, second[0])
			second = second[1:]
		}
		all = append(all, t)
	}
	return append(all, second...)
}
