package main

// system is one that is asked.
type system struct {
	name  string
	about string // how it is used
	says  documents
	open  func(workers, bound int) (facility, error)
}

// systems returns those in Go.
func systems() []system {
	return []system{
		punctualPool(), goCron(), netresearchCron(), robfigCron(), antsPool(), pondPool(), afterFunc(),
	}
}
