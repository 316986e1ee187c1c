package catalogue

// The event loop, the supervisor, and the classic timer.
var loops = []Mutant{
	{
		ID:    "loop-01",
		Fault: "a loop that goes to sleep looks at its intake before it says when it will wake",
		File:  "executor/eventloop/wake.go",
		From:  "r.next.Store(until)\n delay.At(delay.LoopSleepsLocked)\n if !l.waiting.intake.empty() && r.next.CompareAndSwap(until, awake) { return }",
		To:    "if !l.waiting.intake.empty() { return }\n delay.At(delay.LoopSleepsLocked)\n r.next.Store(until)",
	},
	{
		ID:    "loop-02",
		Fault: "a loop whose goroutine ends does not look at its intake once more",
		File:  "executor/eventloop/goroutine.go",
		From:  "l.rest.next.Store(absent)\n more := !l.waiting.intake.empty() || l.life.mayEndLocked()\n if more && l.rest.next.CompareAndSwap(absent, awake) { return false }",
		To:    "l.rest.next.Store(absent)",
	},
	{
		ID:    "loop-03",
		Fault: "an overdue task of a loop stands in line behind what came before, though its time is earlier",
		File:  "executor/eventloop/agenda.go",
		From:  "c.When <= now && (a.line.last == nil || a.line.last.cell.When <= c.When)",
		To:    "c.When <= now",
	},
	{
		ID:    "loop-04",
		Fault: "the labels that a task without a name has set stay on the goroutine of the loop",
		File:  "executor/eventloop/execution.go",
		From:  "defer pprof.SetGoroutineLabels(w.labels)",
		To:    "if planOf(w.exec.Task).Name != \"\" { defer pprof.SetGoroutineLabels(w.labels) }",
	},
	{
		ID:    "supervisor-01",
		Fault: "a run that has timed out ends the cycle of its successor",
		File:  "executor/supervisor/run.go",
		From:  "defer s.mu.Unlock()\n if s.current != r { return }\n shut = shut || r.cutOff",
		To:    "defer s.mu.Unlock()\n shut = shut || r.cutOff",
	},
	{
		ID:    "supervisor-02",
		Fault: "a supervisor that has been stopped during a run never tells that it is over",
		File:  "executor/supervisor/run.go",
		From:  "s.hurry()\n s.quit()",
		To:    "s.hurry()",
	},
	{
		ID:    "supervisor-03",
		Fault: "a supervisor that waits finds only at its next cycle that its pool is shut down",
		File:  "executor/supervisor/lifecycle.go",
		From:  "s.shut = true\n if s.current == nil { s.stop(executor.ErrShutdown) }",
		To:    "s.shut = true",
	},
	{
		ID:    "timer-01",
		Fault: "an earlier task does not wake the classic timer",
		File:  "timer/timer.go",
		From:  "case task.place == 1:\n t.ring()",
	},
	{
		ID:    "timer-02",
		Fault: "a series whose first run is over before its handle is known has no other",
		File:  "timer/series.go",
		From:  "if s.word.Or(bound)&owed != 0 { s.arm(s.due); return s, nil }",
		To:    "s.word.Or(bound)",
	},
	{
		ID:    "timer-03",
		Fault: "the classic timer runs a task that is cancelled in the last moment",
		File:  "timer/service.go",
		From:  "return k.state.CompareAndSwap(scheduled, executed)",
		To:    "k.state.CompareAndSwap(scheduled, executed); return true",
	},
}
