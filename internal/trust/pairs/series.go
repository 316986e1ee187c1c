package pairs

// onWallClock reports whether a run shows the time that its calendar says, without its jitter.
func (t *task) onWallClock() bool {
	return t.way.way == wOn || t.using(byName["WallClock"]) != nil
}

// ticks reports whether a series is one of Every, whose first run comes after one period.
func (t *task) ticks() bool {
	return t.way.way == wEvery || t.way.way == wApply && t.way.pick(2, 3) == 0
}

// irregular reports whether a series has options that change when its runs come.
func (t *task) irregular() bool {
	for _, name := range []string{"From", "Jitter", "SlowDown", "DelayBy", "CatchUp", "Since", "SinceLast"} {
		if t.using(byName[name]) != nil {
			return true
		}
	}
	return t.asksForNext()
}

// asksForNext reports whether a body of the task calls NextIn.
func (t *task) asksForNext() bool {
	for _, f := range t.bodies {
		if f.Name == "NextIn" {
			return true
		}
	}
	return false
}
