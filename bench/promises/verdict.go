package main

import "fmt"

// verdict is what became of a promise.
type verdict struct {
	kind kind
	seen string // what was seen, or why there is nothing to see
}

type kind string

const (
	kept       kind = "kept"
	broken     kind = "broken"
	impossible kind = "n/a"
)

func keeps() verdict { return verdict{kind: kept} }

func breaks(format string, args ...any) verdict {
	return verdict{broken, fmt.Sprintf(format, args...)}
}

func cannot(why string) verdict { return verdict{impossible, why} }
