package pairs

// include adds a feature, and what it needs to have an effect on the task.
func (d *draft) include(f *Feature, t *task) {
	if f.hosts&d.host == 0 || d.depth > 3 {
		return
	}
	u := &use{f, d.rng.Uint64()}
	switch f.kind {
	case anOption:
		if d.has(f.Name) {
			return
		}
		if f.group != "" && d.hasOf(f.group) {
			if f.group == "policy" {
				d.commands = append(d.commands, command{use: policyCommand(f, u.n), at: t.at - ms})
			}
			return
		}
		d.uses = append(d.uses, u)
	case aTaskOption:
		if t.using(f) != nil || f.ways&t.way.way == 0 {
			return
		}
		t.options = append(t.options, u)
	case aBody:
		if f.ways&t.way.way == 0 {
			return
		}
		d.addBody(t, f.Name)
	case aCommand:
		c := command{use: u, at: t.at + d.between(1, 50)}
		if d.rng.IntN(2) == 0 {
			c.at = t.at + t.delay + d.between(1, 8)
		}
		if f.ofTask {
			c.task = t
		}
		d.commands = append(d.commands, c)
	case aBehaviour:
		d.lapse(f, t)
	case anEnding:
		d.ends = append(d.ends, f)
		if d.rng.IntN(2) == 0 {
			d.addBody(t, d.oneOf("body blocks", "body is deaf"))
		}
		d.endAt = min(d.endAt, t.at+d.between(0, 50))
		d.calm = false
	}
	if shape := definitionOf(f).shape; shape != nil {
		d.depth++
		shape(d, t, u)
		d.depth--
	}
}

// includeAny includes a feature at random, seldom one after which nothing more happens.
func (d *draft) includeAny(t *task) {
	for range 20 {
		f := allFeatures[d.rng.IntN(len(allFeatures))]
		abrupt := f.Name == "body closes the executor" || f.kind == aBehaviour
		if f.hosts&d.host == 0 || f.ways&t.way.way == 0 || f.kind == anEnding || f.way != 0 ||
			abrupt && d.rng.IntN(6) > 0 {
			continue
		}
		d.include(f, t)
		return
	}
}

// lapse has a callback behave so: the one that the program is about, or another that there is.
func (d *draft) lapse(behaviour *Feature, t *task) {
	var callback *Feature
	for _, f := range d.focus {
		if f.callback && mayBehave(f, behaviour) {
			callback = f
		}
	}
	if callback == nil && (d.about("SetContinuePeriodicAfterShutdown") || d.rng.IntN(3) == 0) {
		callback = byName[d.oneOf("AfterRun", "Observer.Began", "Observer.Ended")] // of every run
		if callback.hosts&d.host == 0 {
			callback = byName["Observer.Began"]
		}
		d.include(callback, t)
	}
	for callback == nil {
		f := allFeatures[d.rng.IntN(len(allFeatures))]
		if f.callback && f.hosts&d.host != 0 && f.ways&t.way.way != 0 && mayBehave(f, behaviour) {
			callback = f
			if f.way == 0 {
				d.include(f, t)
			}
		}
	}
	d.lapses = append(d.lapses, lapse{callback, behaviour, t, d.rng.IntN(3) / 2 * d.rng.IntN(3)})
}

// policyCommand sets the given policy.
func policyCommand(f *Feature, n uint64) *use {
	u := &use{byName["SetRejectionPolicy"], n}
	for allPolicies[u.pick(0, len(allPolicies))] != f {
		u.n++
	}
	return u
}
