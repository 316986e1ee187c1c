package simulate

import "time"

// pass shadows that of the gauge. While time passes nothing can run: whoever waits for certain, for something that could
// be run in his place, has it run; and a worker that is free runs what is due.
func (p *program) pass() time.Duration {
	last, asleep := p.last, p.asleep
	now := p.gauge.pass()
	if now == last || asleep > 0 || !p.exact() || p.vague {
		return now
	}
	for _, w := range p.waits {
		p.judgeStretch(w, last, now)
	}
	for _, j := range p.jobs[p.checked:] {
		h := j.on.base
		if j.mayBegin(last) && !j.on.serialized && h.runs < h.core && !h.ended && !j.told {
			j.told = true
			p.fault(&p.report.Late, "task %v has been there since %v, beside %d runs of %d", j, j.thereAt, h.runs, h.core)
		}
	}
	return now
}

// mayBegin reports whether j has been in the queue since then, and due, and is still.
func (j *job) mayBegin(since time.Duration) bool {
	return j.there && j.thereAt <= since && j.begun == 0 && !j.seized && !j.broken && !j.settled()
}

// judgeStretch judges that w has gone on from last to now.
func (p *program) judgeStretch(w *wait, last, now time.Duration) {
	h := w.host
	waits, runs, begins := false, false, false // that is, anew
	for _, j := range w.targets {
		waits = waits || j.mayBegin(last) && !j.on.serialized && j.delay == 0
		runs = runs || j.inBody || j.seized && !j.ended
		begins = begins || j.ended
	}
	certainly, _ := w.scope.helped(h)
	switch {
	case !waits, runs, h.ended, h.loop != nil, w.told, !h.mayHelp(w.certain), !w.certain && (!certainly || begins):
		w.help = -1
	case w.certain:
		w.told = true
		p.fault(&p.report.Late, "%v is not helped from %v on: %d active of %d", w.call, last, h.active, h.size)
	case w.help < 0:
		w.help = last
		fallthrough
	default:
		if end := w.from + 2*(w.help-w.from) + tries; now > end {
			w.told = true
			p.fault(&p.report.Late, "%v, which waits since %v, is not helped by %v: %d active of %d",
				w.call, w.from, end, h.active, h.size)
		}
	}
}
