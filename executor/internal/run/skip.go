package run

// Skip says why a run that has been taken does not call its body.
type Skip uint8

const (
	noSkip Skip = iota
	tardy       // it begins too late to be of use
	beyond      // it was planned for after the end of the series
	early       // the wall clock, which has been set, does not show its time yet
	lost        // its calendar has failed
)
