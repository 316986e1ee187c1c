package catalogue

// The wheels: what they have in common, and how each finds its next tick.
var wheels = []Mutant{
	{
		ID:    "wheel-01",
		Fault: "a wheel that rests looks at its intake before it says when it will wake",
		File:  "internal/wheel/turn.go",
		From: `w.wake.Store(at)
	delay.At(delay.WheelRestsLocked)
	if !w.intake.empty() {
		w.wake.Store(awake)
		return false
	}`,
		To: `if !w.intake.empty() {
		return false
	}
	delay.At(delay.WheelRestsLocked)
	w.wake.Store(at)`,
	},
	{
		ID:    "wheel-02",
		Fault: "who arms a timer looks when the wheel will wake before it pushes the timer",
		File:  "internal/wheel/wheel.go",
		From: `depth := w.intake.push(t)
	delay.At(delay.TimerPushed)
	if w.closed.Load() {
		_, refused := t.disarm(stopped)
		return t, !refused
	}
	if at < w.wake.Load() || depth%backlog == 0 {`,
		To: `wake := w.wake.Load()
	delay.At(delay.TimerPushed)
	depth := w.intake.push(t)
	if w.closed.Load() {
		_, refused := t.disarm(stopped)
		return t, !refused
	}
	if at < wake || depth%backlog == 0 {`,
	},
	{
		ID:    "wheel-03",
		Fault: "a deadline is rounded down to its tick",
		File:  "internal/wheel/wheel.go",
		From:  "return (when-1)/w.tick + 1",
		To:    "return when / w.tick",
	},
	{
		ID:    "wheel-04",
		Fault: "a deadline on a tick belongs to the next",
		File:  "internal/wheel/wheel.go",
		From:  "return (when-1)/w.tick + 1",
		To:    "return when/w.tick + 1",
	},
	{
		ID:    "wheel-05",
		Fault: "who arms a timer moves the hand over what is due, and has not been taken out yet",
		File:  "internal/wheel/turn.go",
		From:  "if !w.turning && w.timeOf(w.first) > now {",
		To:    "if !w.turning {",
	},
	{
		ID:    "wheel-06",
		Fault: "Stop takes a timer out that has been armed again meanwhile",
		File:  "internal/wheel/turn.go",
		From:  "if t.linked && !state(t.state.Load()).armed() {",
		To:    "if t.linked {",
	},
	{
		ID:    "wheel-07",
		Fault: "a timer that the executor refuses counts as ended even if it has been stopped or called",
		File:  "internal/wheel/turn.go",
		From:  "if a.timer.seq == a.seq && a.timer.move(due, rejected) { w.pending.Add(-1) }",
		To:    "if a.timer.seq == a.seq { a.timer.move(due, rejected); w.pending.Add(-1) }",
	},
	{
		ID:    "wheel-08",
		Fault: "an executor that ends the goroutine of a turn ends the wheel",
		File:  "internal/wheel/turn.go",
		From:  "if !over { go w.turn() }",
		To:    "_ = over",
	},
	{
		ID:    "wheel-09",
		Fault: "a full wheel takes one timer more",
		File:  "internal/wheel/wheel.go",
		From:  "if n >= w.limit {",
		To:    "if n > w.limit {",
	},
	{
		ID:    "wheel-10",
		Fault: "a timer that is armed while the wheel is stopped is neither refused nor returned",
		File:  "internal/wheel/wheel.go",
		From:  "if w.closed.Load() {\n _, refused := t.disarm(stopped)\n return t, !refused\n }",
	},
	{
		ID:    "wheel-11",
		Fault: "timers leave the intake last in, first out",
		File:  "internal/wheel/intake.go",
		From:  "for t != nil {\n t.next, oldest, t = oldest, t, t.next\n }\n return oldest",
		To:    "return t",
	},
	{
		ID:    "wheel-12",
		Fault: "the hashed wheel forgets the earlier of two timers in a slot",
		File:  "timer/hashedwheel/dial.go",
		From:  "s.first = min(s.first, t.Tick())\n s.timers.Add(t)",
		To:    "s.timers.Add(t)",
	},
	{
		ID:    "wheel-13",
		Fault: "the hashed wheel does not look into the slot that its hand stands on",
		File:  "timer/hashedwheel/dial.go",
		From:  "distance := int64(1); distance <= n",
		To:    "distance := int64(1); distance < n",
	},
	{
		ID:    "wheel-14",
		Fault: "the hashed wheel jumps over slots behind an empty word of its bitmap",
		File:  "timer/hashedwheel/dial.go",
		From:  "return min(bits.TrailingZeros64(d.occupied[i/64]>>(i%64)), left)",
		To:    "_ = left; return bits.TrailingZeros64(d.occupied[i/64]>>(i%64))",
	},
	{
		ID:    "wheel-15",
		Fault: "removing the timer that the hashed wheel would look at next leaves it there",
		File:  "timer/hashedwheel/dial.go",
		From:  "if t == d.cursor { d.cursor = t.Next() }",
	},
	{
		ID:    "wheel-16",
		Fault: "the revolver does not tell an entry that fills a hole its new place",
		File:  "timer/revolver/dial.go",
		From:  "s.entries[i].timer.Place = int32(i)",
	},
	{
		ID:    "wheel-17",
		Fault: "the revolver takes the last of the later turns for the earliest",
		File:  "timer/revolver/dial.go",
		From:  "tick = min(tick, s.first)",
		To:    "tick = s.first",
	},
	{
		ID:    "wheel-18",
		Fault: "an earlier timer in a slot of the hierarchical wheel does not bring the slot forward",
		File:  "timer/hierarchical/dial.go",
		From:  "if empty || t.Tick() < s.first {",
		To:    "if empty {",
	},
	{
		ID:    "wheel-19",
		Fault: "a refusal by the executor also ends the arming that came meanwhile",
		File:  "internal/wheel/turn.go",
		From:  "a.timer.seq == a.seq && a.timer.move(due, rejected)",
		To:    "a.timer.move(due, rejected)",
	},
	{
		ID:    "wheel-20",
		Fault: "a panic(nil) that recover tells nothing of is none",
		File:  "internal/gate/gate.go",
		From:  "end.Value = new(runtime.PanicNilError)",
		To:    "_ = new(runtime.PanicNilError); return true",
	},
	{
		ID:    "wheel-21",
		Fault: "a timer whose executor panics is neither called nor refused",
		File:  "internal/wheel/turn.go",
		From:  "accepted := false",
		To:    "accepted := true",
	},
}
