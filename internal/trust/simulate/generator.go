package simulate

import "fmt"

// drawCall draws a call of j, or of the driver if that is nil; or returns nil if there are enough
// tasks.
func (e *generator) drawCall(j *job) *call {
	from := onRun
	switch {
	case j == nil:
		from = onDetached
	case e.oneIn(2):
		from = callSite(e.rng.IntN(int(callSites)))
	}
	return e.drawCallFrom(j, from)
}

func (e *generator) drawCallFrom(j *job, from callSite) *call {
	c := &call{job: j, site: from, pick: e.rng.IntN(1 << 20)}
	c.method = waitMethod(e.rng.IntN(int(waitMethods)))
	c.origin = contextOrigin(e.rng.IntN(int(contextOrigins)))
	if e.oneIn(2) {
		c.origin = ownContext
	}
	if j != nil {
		c.above = j.ancestors[e.rng.IntN(len(j.ancestors))]
	} else if c.origin == outerContext {
		c.origin = backgroundContext
	}
	c.detached, c.wrapped, c.derived = e.oneIn(5), e.oneIn(8), e.oneIn(4)
	if e.oneIn(4) {
		c.limit = e.steps(25) + grid
	}
	c.pause = e.steps(5)
	c.cancels = e.oneIn(12)
	var up []*job
	if j != nil && c.blocks() {
		up = j.ancestors
	}
	if !e.drawChildren(c, up) {
		return nil
	}
	e.limitUnsafe(c, up)
	for _, j := range c.children {
		j.parentWaits = c.job != nil && c.waitsForAll()
	}
	return c
}

// drawJob makes a job on which the ancestors may wait.
func (e *generator) drawJob(on *host, up []*job) *job {
	if len(e.jobs) >= e.maxJobs {
		return nil
	}
	j := &job{program: e.program, id: len(e.jobs)}
	e.jobs = append(e.jobs, j)
	j.name = fmt.Sprint("j", j.id)
	e.byName[j.name] = j
	j.on = on
	j.ancestors = append(up[:len(up):len(up)], j)
	j.depth = len(j.ancestors)
	j.unnamed = e.oneIn(4)
	j.takes, j.rest = e.steps(6), e.steps(4)
	if e.oneIn(8) {
		j.takes = e.steps(60) + 10*grid
	}
	if e.oneIn(12) {
		j.ends = bodyEnd(e.rng.IntN(4))
	}
	if j.ends == exits && e.hosts[0].callerRuns {
		j.ends = fails
	}
	if j.on.scheduler != nil && !j.on.serialized && e.oneIn(4) {
		j.delay = e.steps(10)
	}
	for range e.rng.IntN(4) {
		if j.depth > 4 {
			break
		}
		if c := e.drawCall(j); c != nil {
			j.calls = append(j.calls, c)
		}
	}
	if e.callbacks.hooked && !j.unnamed && j.on.base.index == 0 && e.oneIn(6) {
		c := e.drawCallFrom(j, onRun)
		if e.oneIn(2) {
			j.afterRun = c
		} else {
			j.beforeRun = c
		}
	}
	return j
}
