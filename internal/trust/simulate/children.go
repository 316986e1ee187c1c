package simulate

import "slices"

// drawChildren draws the tasks of a call, which may block its ancestors, and reports whether there
// are any, or none are needed.
func (e *generator) drawChildren(c *call, up []*job) bool {
	n := 1
	switch c.method {
	case onItself:
		c.children = nil
		return c.job != nil
	case terminating:
		c.host = e.hosts[e.rng.IntN(len(e.hosts))]
		return c.job != nil
	case getting, gettingFor, notWaiting:
	default:
		n += e.rng.IntN(3)
	}
	on := e.hosts[[...]int{0, 0, 0, 0, 0, 0, 1, 1, 2, 3}[e.rng.IntN(10)]]
	if on.submitter == nil && (c.method == taking || c.method.bulk()) {
		on = e.hosts[0]
	}
	for range n {
		j := e.drawJob(on, up)
		if j == nil {
			break
		}
		c.children = append(c.children, j)
		e.drawSubmission(c, j)
	}
	return len(c.children) > 0
}

// drawSubmission draws how j is submitted by c. A submitter that waits for room without a context
// might wait for room that it takes up itself, so only the goroutine of a run submits that way: it
// is not made to wait.
func (e *generator) drawSubmission(c *call, j *job) {
	h := j.on
	j.cancellable = c.cancels || c.method.bulk()
	j.bare = c.method == notWaiting && e.oneIn(2)
	j.waitsForRoom = h.submitter != nil && !j.bare && e.oneIn(3)
	if c.method.bulk() {
		j.interrupted, j.waitsForRoom, j.delay = true, false, 0
		return
	}
	if h.base.blocks && len(j.ancestors) > 1 && !c.onHostRun(h) {
		if c.method == taking {
			c.method = awaitingAll
		}
		j.bare, j.waitsForRoom = false, true
	}
	if j.bare || j.waitsForRoom || c.method == taking {
		j.delay = 0
	}
	if h.bounded && c.onHostRun(h) && e.oneIn(4) && !j.unnamed {
		j.onRejection = e.drawCallFrom(c.job, onRun)
	}
}

// parentsWaitBelow reports whether the run of a job above j cannot end before j has.
func (j *job) parentsWaitBelow(above *job) bool {
	i := slices.Index(j.ancestors, above)
	return !slices.ContainsFunc(j.ancestors[i+1:], func(j *job) bool { return !j.parentWaits })
}

// waitsForAll reports whether c cannot end before its tasks have.
func (c *call) waitsForAll() bool {
	if !c.blocks() || c.limit > 0 || c.method != getting && c.method != completing {
		return false
	}
	return c.origin == backgroundContext || c.origin == nilContext || c.origin == ownContext &&
		(c.detached || !c.job.cancellable)
}

// onHostRun reports whether c is made on the goroutine of a run of the host.
func (c *call) onHostRun(h *host) bool {
	return c.job != nil && c.onRunGoroutine() && c.job.on.base == h.base
}

// limitUnsafe limits a call that might wait for ever although the library is right: a program must
// never hang by its own fault.
func (e *generator) limitUnsafe(c *call, up []*job) {
	// A group waits for what runs after its end, too.
	if c.method == grouping && !e.safe(c, up, c.children[0].on) {
		c.method = invokingAll
	}
	switch {
	case c.limit > 0 && c.method != onItself:
		return
	case c.method == onItself && (c.onRunGoroutine() || len(up) == 0):
		return
	case c.method == onItself, c.method == terminating, !e.safe(c, up, c.children[0].on):
		c.limit = e.steps(40) + 10*grid
		if c.origin == nilContext {
			c.origin = backgroundContext
		}
	}
}

// safe reports whether the tasks of a call to the host run even though the ancestors may wait for
// it. A host knows for certain that a run waits on its own goroutine, and runs another task in its
// place. On other goroutines it goes by the context, and then helps beyond its size a limited
// number of times. It cannot know that a run waits for another host.
func (e *generator) safe(c *call, up []*job, to *host) bool {
	h := to.base
	is := func(test func(j *job) bool) bool { return slices.ContainsFunc(up, test) }
	switch {
	case len(up) == 0:
		return true
	case to.serialized && is(func(j *job) bool { return j.on.serialized }):
		return false
	case to.serialized && is(func(j *job) bool { return j.on.base.index > h.index }):
		return false // what holds the lane may wait for that host
	case c.onHostRun(h):
		return true
	case !is(func(j *job) bool { return j.on.base == h }):
		return !is(func(j *job) bool { return j.on.base.index > h.index })
	case h.exclusive, is(func(j *job) bool { return j.on.base != h }), to.uncertainWaits == 0,
		c.method == gettingFor:
		return false
	case c.origin == ownContext, c.origin == outerContext && c.above.on.base == h &&
		c.job.parentsWaitBelow(c.above):
		h.uncertainWaits--
		return h.uncertainWaits >= 0
	}
	return false
}
