package cron

import (
	"fmt"
	"strings"
)

// list joins texts with commas, and the last with "and".
func list(texts []string) string {
	last := len(texts) - 1
	if last <= 0 {
		return strings.Join(texts, "")
	}
	return strings.Join(texts[:last], ", ") + " and " + texts[last]
}

// ordinal returns 1st, 2nd and so on.
func ordinal(n int) string {
	suffix := "th"
	if n/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}

// progression returns the distance between ascending numbers, if it is always the same one.
func progression(ns []int) (step int, ok bool) {
	if len(ns) < 2 {
		return 0, false
	}
	step = ns[1] - ns[0]
	for i := range ns[1:] {
		if ns[i+1]-ns[i] != step {
			return 0, false
		}
	}
	return step, true
}

// stretch returns the first and the last of numbers without a hole. After size they begin anew.
func stretch(ns []int, size int) (from, to int, ok bool) {
	last := len(ns) - 1
	holes := 0
	from, to = ns[0], ns[last]
	for i := range last {
		if ns[i+1] != ns[i]+1 {
			from, to = ns[i+1], ns[i]
			holes++
		}
	}
	if holes == 1 && (ns[0]+size-1)%size != ns[last]%size {
		holes++ // it ends before the turn does
	}
	return from, to, holes == 0 || holes == 1
}
