package catalogue

// The end of pools and loops.
var shutdown = []Mutant{
	{
		ID:    "shutdown-01",
		Fault: "submitters who wait for room are not told of a shutdown",
		File:  "executor/lifecycle.go",
		From:  "p.entrants.dismiss()",
	},
	{
		ID:    "shutdown-02",
		Fault: "idle workers are not told that nothing is left to do",
		File:  "executor/lifecycle.go",
		From:  "if len(p.workers) > 0 { p.lot.CallAll() }",
	},
	{
		ID:    "shutdown-03",
		Fault: "ShutdownNow forgets what waits outside of the queue",
		File:  "executor/lifecycle.go",
		From:  "swept := merge(p.queue.Filter(func(*cell.Cell) bool { return false }), p.emptyAside())",
		To:    "swept := merge(p.queue.Filter(func(*cell.Cell) bool { return false }), nil)",
	},
	{
		ID:    "shutdown-04",
		Fault: "ShutdownNow forgets the tasks that have been dealt",
		File:  "executor/lifecycle.go",
		From:  "p.recallLocked()\n swept :=",
		To:    "swept :=",
	},
	{
		ID:    "shutdown-05",
		Fault: "a pool ends before the futures of what it drops are settled",
		File:  "executor/lifecycle.go",
		From: `p.settling++
	p.mu.Unlock()
	delay.At(delay.TasksSwept)
	for _, c := range active {
		c.Interrupt(ErrShutdown)
	}
	dropped := make([]Pending, 0, len(swept))
	for _, c := range swept {
		if c.Drop() {
			dropped = append(dropped, p.pendingOf(c))
		}
		c.Body = nil
	}
	p.mu.Lock()
	p.settling--`,
		To: `p.mu.Unlock()
	delay.At(delay.TasksSwept)
	for _, c := range active {
		c.Interrupt(ErrShutdown)
	}
	dropped := make([]Pending, 0, len(swept))
	for _, c := range swept {
		if c.Drop() {
			dropped = append(dropped, p.pendingOf(c))
		}
		c.Body = nil
	}
	p.mu.Lock()`,
	},
	{
		ID:    "shutdown-06",
		Fault: "tasks are handed back, but their futures never end",
		File:  "executor/lifecycle.go",
		From:  "if c.Drop() { dropped = append(dropped, p.pendingOf(c)) }",
		To:    "dropped = append(dropped, p.pendingOf(c))",
	},
	{
		ID:    "shutdown-07",
		Fault: "ShutdownNow does not end the contexts of tasks that their submitters run",
		File:  "executor/lifecycle.go",
		From:  "for x := range p.executions() {",
		To:    "for x := range p.workers {",
	},
	{
		ID:    "shutdown-08",
		Fault: "Close drops what is due at this very moment",
		File:  "executor/lifecycle.go",
		From:  "return !p.dropDelayed || c.When <= now",
		To:    "return !p.dropDelayed || c.When < now",
	},
	{
		ID:    "shutdown-09",
		Fault: "a pool ends while a submitter still runs a task of it",
		File:  "executor/lifecycle.go",
		From:  "if len(p.workers)+len(p.guests) > 0 {",
		To:    "if len(p.workers) > 0 {",
	},
	{
		ID:    "shutdown-10",
		Fault: "a series that runs during a shutdown is queued again",
		File:  "executor/execution.go",
		From:  "if x.again && !pl.returned && p.mayRepeat() && c.Reset() {",
		To:    "if x.again && !pl.returned && c.Reset() {",
	},
	{
		ID:    "shutdown-11",
		Fault: "a loop that is shut down abandons what is on its intake",
		File:  "executor/eventloop/shutdown.go",
		From:  "l.admit(l.intake.close())",
		To:    "l.intake.close()",
	},
	{
		ID:    "shutdown-12",
		Fault: "the quiet time of a loop is counted from the shutdown, not from its last run",
		File:  "executor/eventloop/execution.go",
		From:  "if l.stage == quieting { l.calm.from = l.clock.Now() }",
	},
	{
		ID:    "shutdown-13",
		Fault: "a loop ends while somebody still settles what it drops",
		File:  "executor/eventloop/goroutine.go",
		From:  "if l.stage >= draining && l.settling == 0 {",
		To:    "if l.stage >= draining {",
	},
	{
		ID:    "shutdown-14",
		Fault: "a series in a run is in the list of everybody who shuts the pool down",
		File:  "executor/handback.go",
		From:  "pl.returned || pl.Last()",
		To:    "pl.Last()",
	},
	{
		ID:    "shutdown-15",
		Fault: "a series that Close has handed back out of a run goes on if the policy is changed after that",
		File:  "executor/execution.go",
		From:  "if x.again && !pl.returned && p.mayRepeat() && c.Reset() {",
		To:    "if x.again && p.mayRepeat() && c.Reset() {",
	},
	{
		ID:    "shutdown-16",
		Fault: "a series that was handed back out of a run counts once more if that run fails",
		File:  "executor/execution.go",
		From:  "if x.done && !pl.returned {",
		To:    "if x.done {",
	},
	{
		ID:    "shutdown-17",
		Fault: "a report leaves out the tasks that end as soon as their contexts do",
		File:  "executor/lifecycle.go",
		From:  "report = Report{joined(report.Dropped, rest.Dropped), rest.Running}",
		To:    "report = Report{joined(report.Dropped, rest.Dropped), p.Running()}",
	},
	{
		ID:    "shutdown-18",
		Fault: "a series of a loop in its last run is handed back",
		File:  "executor/eventloop/handback.go",
		From:  "!pl.Periodic() || pl.Last()",
		To:    "!pl.Periodic()",
	},
}
