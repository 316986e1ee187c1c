package workload

import "fmt"

var (
	perPair = each("pair")
	perTask = each("task")
	perOp   = each("op")
	late    = []Figure{
		{Name: "p50_us", Unit: "µs", Title: "late p50"},
		{Name: "p99_us", Unit: "µs", Title: "late p99"},
		{Name: "p999_us", Unit: "µs", Title: "late p99.9"},
		{Name: "cpu", Unit: "s/s", Title: "processor time"},
	}
)

// All returns the workloads, in the order in which they are measured and shown.
func All() []Workload {
	return []Workload{
		scheduleCancel("1k", 1_000, 800_000, 0),
		scheduleCancel("100k", 100_000, 800_000, 0),
		scheduleCancel("1M", 1_000_000, 800_000, 0),
		scheduleCancel("10M", 10_000_000, 800_000, 3),
		pairs("1k", 1_000, 1), pairs("1k", 1_000, 2), pairs("1k", 1_000, 8), pairs("1k", 1_000, 64),
		pairs("1M", 1_000_000, 1), pairs("1M", 1_000_000, 2), pairs("1M", 1_000_000, 8), pairs("1M", 1_000_000, 64),
		timeouts(1), timeouts(8), timeouts(64),
		{
			Name: "soon", Kind: "soon", Title: "schedule 0 to 1 ms ahead, run",
			Params: Params{"n": 300_000}, Quick: Params{"n": 50_000}, Figures: perTask,
		},
		{
			Name: "due-1M", Kind: "due", Title: "1,000,000 due at one instant",
			Params: Params{"n": 1_000_000, "lead_ms": 3000}, Quick: Params{"n": 50_000, "lead_ms": 150},
			Figures: perTask,
		},
		{
			Name: "execute", Kind: "execute", Title: "execute an empty task",
			Params: Params{"batch": 100_000, "batches": 8}, Quick: Params{"batch": 100_000, "batches": 2},
			Figures: perTask,
		},
		{
			Name: "producers", Kind: "producers", Title: "the same from 8 producers",
			Params: Params{"batch": 100_000, "batches": 8, "producers": 8},
			Quick:  Params{"batch": 100_000, "batches": 2, "producers": 8}, Figures: perTask,
		},
		{
			Name: "submit-get", Kind: "submit-get", Title: "submit, wait for the result",
			Params: Params{"ops": 100_000}, Quick: Params{"ops": 20_000}, Figures: perOp,
		},
		{
			Name: "submit-get-8", Kind: "askers", Title: "the same by 8 at once",
			Params: Params{"ops": 100_000, "askers": 8}, Quick: Params{"ops": 20_000, "askers": 8}, Figures: perOp,
		},
		{
			Name: "fan-out", Kind: "fan-out", Title: "fan out to 1,000, join",
			Params: Params{"ops": 300, "width": 1000}, Quick: Params{"ops": 50, "width": 1000}, Figures: perTask,
		},
		bounded("10", 10), bounded("1k", 1_000),
		{
			Name: "service", Kind: "service", Title: "execute beside 1,000 series, with a handler and a hook",
			Params: Params{"batch": 100_000, "batches": 8, "series": 1000},
			Quick:  Params{"batch": 100_000, "batches": 2, "series": 1000}, Figures: perTask,
		},
		density("10", 10, 1_000_000),
		density("100", 100, 1_000_000),
		density("1k", 100, 100_000),
		{
			Name: "lateness", Kind: "lateness", Title: "1,000 tasks at a rate of 10 ms",
			Params: Params{"n": 1000, "period_us": 10_000, "for_ms": 2000},
			Quick:  Params{"n": 1000, "period_us": 10_000, "for_ms": 200}, Figures: late,
		},
		{
			Name: "mixed", Kind: "mixed", Title: "100,000 tasks at rates of 0.5 to 5 s",
			Params: Params{"n": 100_000, "period_us": 500_000, "for_ms": 3000},
			Quick:  Params{"n": 20_000, "period_us": 500_000, "for_ms": 200}, Figures: late, Rounds: 3,
		},
		{
			Name: "served", Kind: "served", Title: "1,000 tasks at a rate of 10 ms, with a handler and a hook",
			Params: Params{"n": 1000, "period_us": 10_000, "for_ms": 2000},
			Quick:  Params{"n": 1000, "period_us": 10_000, "for_ms": 200}, Figures: late,
		},
		busy(4),
		busy(16),
		cancelled("90 %", 900),
		cancelled("99.9 %", 999),
		{
			Name: "pending", Kind: "pending", Title: "memory of a pending task",
			Params: Params{"n": 1_000_000}, Quick: Params{"n": 50_000},
			Figures: []Figure{
				{Name: "bytes", Unit: "B", Title: "bytes"},
				{Name: "allocs", Unit: "", Title: "allocations"},
			},
		},
		{
			Name: "allocations", Kind: "allocations", Title: "allocations of a task",
			Params: Params{"n": 100_000}, Quick: Params{"n": 10_000},
			Figures: []Figure{
				{Name: "cancelled", Title: "scheduled, cancelled"},
				{Name: "run", Title: "scheduled, run"},
				{Name: "periodic", Title: "periodic run"},
			},
			Rounds: 3,
		},
		{
			Name: "idle-1M", Kind: "idle", Title: "idle with 1,000,000 pending",
			Params: Params{"n": 1_000_000, "settle_ms": 2000, "for_ms": 3000},
			Quick:  Params{"n": 50_000, "settle_ms": 100, "for_ms": 300},
			Figures: []Figure{
				{Name: "switches", Unit: "/s", Title: "context switches"},
				{Name: "cpu_ms", Unit: "ms/s", Title: "processor time"},
			},
			Rounds: 3,
		},
		{
			Name: "pools-100", Kind: "pools", Title: "100 idle ones, each with a task far away",
			Params: Params{"pools": 100}, Quick: Params{"pools": 10},
			Figures: []Figure{
				{Name: "threads", Title: "more threads"},
				{Name: "descriptors", Title: "descriptors of each"},
				{Name: "bytes", Unit: "B", Title: "bytes of each"},
			},
			Rounds: 3,
		},
		{
			Name: "shutdown-1M", Kind: "shutdown", Title: "shut down with 1,000,000 pending",
			Params: Params{"n": 1_000_000}, Quick: Params{"n": 50_000},
			Figures: []Figure{
				{Name: "ms", Unit: "ms"},
				{Name: "cpu_ms", Unit: "ms", Title: "processor time"},
			},
		},
	}
}

func scheduleCancel(size string, pending, ops int64, rounds int) Workload {
	w := Workload{
		Name: "schedule-cancel-" + size, Kind: "schedule-cancel",
		Title:   fmt.Sprintf("schedule and cancel, %s pending", size),
		Params:  Params{"pending": pending, "ops": ops},
		Figures: perPair, Rounds: rounds,
	}
	if pending <= 100_000 {
		w.Quick = Params{"pending": pending, "ops": ops / 40}
	}
	return w
}

func pairs(size string, pending, goroutines int64) Workload {
	who := fmt.Sprintf("%d goroutines, half of it for a partner", goroutines)
	if goroutines == 1 {
		who = "one goroutine"
	}
	return Workload{
		Name: fmt.Sprintf("pairs-%s-%d", size, goroutines), Kind: "pairs",
		Title:   fmt.Sprintf("schedule and cancel by %s, %s pending", who, size),
		Params:  Params{"pending": pending, "ops": 1_000_000, "goroutines": goroutines},
		Quick:   Params{"pending": min(pending, 50_000), "ops": 50_000, "goroutines": goroutines},
		Figures: perPair,
	}
}

func timeouts(servers int64) Workload {
	return Workload{
		Name: fmt.Sprintf("timeouts-%d", servers), Kind: "timeouts",
		Title:   fmt.Sprintf("a timeout of 30 s for each request: %d servers, cancelled by others", servers),
		Params:  Params{"ops": 1_000_000, "servers": servers},
		Quick:   Params{"ops": 50_000, "servers": servers},
		Figures: each("request"),
	}
}

func bounded(size string, capacity int64) Workload {
	return Workload{
		Name: "bounded-" + size, Kind: "bounded",
		Title:   fmt.Sprintf("execute from 8 producers, at a bound of %s waiting tasks", size),
		Params:  Params{"batch": 100_000, "batches": 4, "producers": 8, "capacity": capacity},
		Quick:   Params{"batch": 20_000, "batches": 2, "producers": 8, "capacity": capacity},
		Figures: perTask,
	}
}

func density(moments string, n, period int64) Workload {
	return Workload{
		Name: "density-" + moments, Kind: "lateness",
		Title:   fmt.Sprintf("%s moments a second: %d tasks at a rate of %d ms", moments, n, period/1000),
		Params:  Params{"n": n, "period_us": period, "for_ms": 4000},
		Figures: late, Rounds: 3,
	}
}

func busy(goroutines int64) Workload {
	return Workload{
		Name: fmt.Sprintf("busy-%d", goroutines), Kind: "busy",
		Title:   fmt.Sprintf("100 tasks at a rate of 10 ms beside %d busy goroutines", goroutines),
		Params:  Params{"n": 100, "period_us": 10_000, "for_ms": 2000, "busy": goroutines},
		Quick:   Params{"n": 100, "period_us": 10_000, "for_ms": 200, "busy": goroutines},
		Figures: late[:3],
	}
}

func cancelled(share string, permille int64) Workload {
	return Workload{
		Name: fmt.Sprintf("cancelled-%d", permille), Kind: "cancelled",
		Title:   share + " cancelled before they are due",
		Params:  Params{"n": 300_000, "permille": permille, "lead_ms": 400},
		Quick:   Params{"n": 50_000, "permille": permille, "lead_ms": 80},
		Figures: []Figure{{Name: "cpu_ns", Unit: "processor ns/task"}},
	}
}

// each are the figures of work of which there is much: by the clock, and of the processors.
func each(what string) []Figure {
	return []Figure{
		{Name: "ns", Unit: "ns/" + what},
		{Name: "cpu_ns", Unit: "ns/" + what, Title: "processor time"},
	}
}
