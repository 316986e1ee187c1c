package pairs

func (d *draft) anyEnding() *Feature {
	for {
		if f := allEndings[d.rng.IntN(len(allEndings))]; f.hosts&d.host != 0 {
			return f
		}
	}
}

// endDuring has the executor end while the task probably waits.
func (d *draft) endDuring(t *task) {
	switch {
	case d.about("HandOff"):
		d.ahead(t)
		d.endAt = min(d.endAt, t.at+t.delay+d.between(1, 10))
	case d.about("Gap"), d.about("Pace of a lane"): // whose lanes must have begun something
		d.endAt = min(d.endAt, t.at+t.delay+d.between(1, 12))
	case t.way.way&seriesWays == 0:
		d.crowdDuring(t)
		d.endAt = min(d.endAt, t.at+t.delay+d.between(0, 10))
	default:
		d.endAt = min(d.endAt, t.at+t.delay+d.between(0, 70))
	}
	d.calm = false
	if len(d.ends) == 0 {
		d.ends = append(d.ends, byName[d.oneOf("ShutdownNow", "Close", "CloseContext")])
	}
}

// endBy has the executor end in this way while the task lives.
func (d *draft) endBy(name string, t *task) {
	d.endAt = min(d.endAt, t.at+d.between(2, 60))
	if t.way.way&delayedWays != 0 && t.way.way&seriesWays == 0 {
		t.delay = d.endAt - t.at + d.between(0, 10)
	}
	d.calm = false
	d.ends = append([]*Feature{byName[name]}, d.ends...)
	for i, c := range d.commands {
		if c.at >= d.endAt {
			d.commands[i].at = d.endAt - ms
		}
	}
}
