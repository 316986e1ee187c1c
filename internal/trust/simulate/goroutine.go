package simulate

// goroutine is what is known of a goroutine that executes runs, or submits. The lock of the
// simulation guards it.
type goroutine struct {
	id      uint64
	frames  []frame
	submits [4]int  // calls in progress, by the index of the host
	active  [4]bool // whether it counts as active there
	busy    [4]bool
}

// frame is one run on the stack of a goroutine: a run that waits may execute another.
type frame struct {
	job     *job
	hook    bool // its body is over, or has not begun
	caller  bool // the goroutine is not one of the host's
	waiting int  // for other tasks of the host
}

// innermost returns the innermost run of the host on g, or nil.
func (g *goroutine) innermost(h *host) *frame {
	for i := len(g.frames) - 1; i >= 0; i-- {
		if g.frames[i].job.on.base == h.base {
			return &g.frames[i]
		}
	}
	return nil
}
