package pairs

// audit checks what is recorded of a life: at each beginning of a body, at each sample, and at the
// end.
type audit struct {
	*program
	*clock
	found *findings

	// What it compares.
	journal   *journal
	host      *host
	course    *course
	extras    *extras
	callbacks *callbacks
	gauges    *gauges
}
