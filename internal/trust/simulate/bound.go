package simulate

import "slices"

// drawChildren draws the tasks of a call, which may block those in up, and reports whether there are any, or none are
// needed.
func (p *program) drawChildren(c *call, up []*job) bool {
	n := 1
	switch c.way {
	case itself:
		c.children = nil
		return c.job != nil
	case terminating:
		c.host = p.hosts[p.rng.IntN(len(p.hosts))]
		return c.job != nil
	case getting, gettingFor, leaving:
	default:
		n += p.rng.IntN(3)
	}
	on := p.hosts[[...]int{0, 0, 0, 0, 0, 0, 1, 1, 2, 3}[p.rng.IntN(10)]]
	if on.submitter == nil && (c.way == taking || c.way.bulk()) {
		on = p.hosts[0]
	}
	for range n {
		j := p.drawJob(on, up)
		if j == nil {
			break
		}
		c.children = append(c.children, j)
		p.drawSubmission(c, j)
	}
	return len(c.children) > 0
}

// drawSubmission draws how j is submitted by c. Who waits for room without a context could wait for a place of his own:
// only a run itself may, as that does not wait.
func (p *program) drawSubmission(c *call, j *job) {
	h := j.on
	j.fragile = c.cancels || c.way.bulk()
	j.bare = c.way == leaving && p.oneIn(2)
	j.patient = h.submitter != nil && !j.bare && p.oneIn(3)
	if c.way.bulk() {
		j.broken, j.patient, j.delay = true, false, 0
		return
	}
	if h.base.blocks && len(j.up) > 1 && !c.certain(h) {
		if c.way == taking {
			c.way = awaitingAll
		}
		j.bare, j.patient = false, true
	}
	if j.bare || j.patient || c.way == taking {
		j.delay = 0
	}
	if h.limited && c.certain(h) && p.oneIn(4) && !j.plain {
		j.aside = p.drawCallFrom(c.job, onRun)
	}
}

// firmBelow reports whether the run of another, above j, does not end before j has.
func (j *job) firmBelow(above *job) bool {
	i := slices.Index(j.up, above)
	return !slices.ContainsFunc(j.up[i+1:], func(j *job) bool { return !j.firm })
}

// firm reports whether c does not end before its tasks have.
func (c *call) firm() bool {
	if !c.blocks() || c.limit > 0 || c.way != getting && c.way != completing {
		return false
	}
	return c.origin == backdrop || c.origin == none || c.origin == own && (c.detached || !c.job.fragile)
}

// certain reports whether c is made on the goroutine of a run of the host.
func (c *call) certain(h *host) bool {
	return c.job != nil && c.onGoroutine() && c.job.on.base == h.base
}

// bound limits a call that might wait in vain by no fault but that of the program.
func (p *program) bound(c *call, up []*job) {
	if c.way == grouping && !p.safe(c, up, c.children[0].on) { // it waits for what runs after its end, too
		c.way = invokingAll
	}
	switch {
	case c.limit > 0 && c.way != itself:
		return
	case c.way == itself && (c.onGoroutine() || len(up) == 0):
		return
	case c.way == itself, c.way == terminating, !p.safe(c, up, c.children[0].on):
		c.limit = p.steps(40) + 10*grid
		if c.origin == none {
			c.origin = backdrop
		}
	}
}

// safe reports whether the tasks of a call to the host run though those in up may wait for it. The host sees that a run
// waits: on its own goroutine for certain, and then another runs in its place; on others by the context, and then it
// helps beyond its size, so often. It does not see that a run waits for another host.
func (p *program) safe(c *call, up []*job, to *host) bool {
	h := to.base
	is := func(test func(j *job) bool) bool { return slices.ContainsFunc(up, test) }
	switch {
	case len(up) == 0:
		return true
	case to.serialized && is(func(j *job) bool { return j.on.serialized }):
		return false
	case c.certain(h):
		return true
	case !is(func(j *job) bool { return j.on.base == h }):
		return !is(func(j *job) bool { return j.on.base.index > h.index })
	case h.confines, is(func(j *job) bool { return j.on.base != h }), to.unsure == 0, c.way == gettingFor:
		return false
	case c.origin == own, c.origin == outer && c.above.on.base == h && c.job.firmBelow(c.above):
		h.unsure--
		return h.unsure >= 0
	}
	return false
}
