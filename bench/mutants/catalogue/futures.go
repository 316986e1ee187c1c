package catalogue

// The life of one task, and what those see who wait for it.
var futures = []Mutant{
	{
		ID:    "future-01",
		Fault: "who waits looks whether it is over before it says that it waits",
		File:  "internal/cell/extension.go",
		From: `e := c.extend()
	delay.At(delay.WaiterComes)
	e.mu.Lock()
	defer e.mu.Unlock()
	ch := field(e)
	switch {
	case *ch != nil:
	case holds(c.state.Load()):`,
		To: `s := c.state.Load()
	delay.At(delay.WaiterComes)
	e := c.extend()
	e.mu.Lock()
	defer e.mu.Unlock()
	ch := field(e)
	switch {
	case *ch != nil:
	case holds(s):`,
	},
	{
		ID:    "future-02",
		Fault: "a task that has been cancelled is begun all the same",
		File:  "internal/cell/cell.go",
		From:  "if phaseOf(s) != Pending { return false }\n next :=",
		To:    "if phaseOf(s) == Running { return false }\n next :=",
	},
	{
		ID:    "future-03",
		Fault: "a series that is cancelled during its run is pending again",
		File:  "internal/cell/cell.go",
		From:  "if phaseOf(s) != Running { return false }\n if c.state.CompareAndSwap(s, s&(seen|once)|uint32(Pending)) {",
		To:    "if c.state.CompareAndSwap(s, s&(seen|once)|uint32(Pending)) {",
	},
	{
		ID:    "future-04",
		Fault: "Cancel after Stop does not end the context of the body that Stop has left running",
		File:  "internal/cell/cell.go",
		From:  "if interrupt && before&body != 0 {",
		To:    "if ok && interrupt && before&body != 0 {",
	},
	{
		ID:    "future-05",
		Fault: "the host is told of a cancellation that came too late, and counts it",
		File:  "internal/cell/cell.go",
		From:  "if !settled {\n if phaseOf(before) == Failed {",
		To:    "if false {\n if phaseOf(before) == Failed {",
	},
	{
		ID:    "future-06",
		Fault: "a failed task is settled before its error is there",
		File:  "internal/cell/cell.go",
		From: `e.mu.Lock()
		if settled = c.state.leaveBody(Failed); settled {
			e.err = err
		}
		e.mu.Unlock()`,
		To: `if settled = c.state.leaveBody(Failed); settled {
			e.mu.Lock()
			e.err = err
			e.mu.Unlock()
		}`,
	},
	{
		ID:    "future-07",
		Fault: "Stopped is closed when the future is settled, though the body still runs",
		File:  "internal/cell/extension.go",
		From:  "if stopped(s) { closeOnce(e.stopped) }",
		To:    "if settled(s) { closeOnce(e.stopped) }",
	},
	{
		ID:    "future-08",
		Fault: "a call to be made at the end is forgotten if the end has been before",
		File:  "internal/cell/watch.go",
		From:  "if !pending { w.call().Notify() }",
		To:    "_ = pending",
	},
	{
		ID:    "future-09",
		Fault: "the next run of a series gets the context of the last, which has ended",
		File:  "internal/cell/context.go",
		From:  "if c.state.wasSeen() { carrier = c.shadow(parent); c.extend().handOver(carrier) }",
	},
	{
		ID:    "future-10",
		Fault: "a promise is settled before its value is there",
		File:  "future/promise.go",
		From:  "(*cell.Core[V])(&p.future).SetValue(v)\n c.Exit()\n return c.Finish(nil)",
		To:    "c.Exit(); done := c.Finish(nil); (*cell.Core[V])(&p.future).SetValue(v); return done",
	},
	{
		ID:    "future-11",
		Fault: "who leaves a loop over futures early leaves a call behind at each",
		File:  "future/combine.go",
		From:  "defer f.cell().Unwatch(w)",
		To:    "_ = w",
	},
	{
		ID:    "future-12",
		Fault: "who would wait for itself gets the values of futures that are not settled",
		File:  "future/combine.go",
		From:  "return Result[V]{Err: ErrSelfWait}",
		To:    "return Result[V]{}",
	},
}
