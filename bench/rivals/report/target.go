package report

// target is a promise about how two figures of one run compare: left is at most, less than, or at
// least so many times right. Without a right side it is a promise about left alone.
type target struct {
	left, right place
	op          string // "≤", "<" or "≥"
	bound       float64
	step        float64 // the figures are rounded to multiples of it first; 0 for not at all
}

// place is where a figure is found.
type place struct{ system, workload, figure string }

// targets returns all of them.
func targets() (ts []target) {
	// within: the pool's figure is at most so many times that of a rival.
	within := func(workload, figure string, bound float64, rival string) {
		ts = append(ts, target{
			left: place{"pool", workload, figure}, op: "≤", bound: bound, right: place{rival, workload, figure},
		})
	}
	// times: that of a rival is at least so many times the pool's.
	times := func(workload, figure string, bound float64, rival string) {
		ts = append(ts, target{
			left: place{rival, workload, figure}, op: "≥", bound: bound, right: place{"pool", workload, figure},
		})
	}
	alone := func(workload, figure string, bound, step float64) {
		ts = append(ts, target{left: place{"pool", workload, figure}, op: "≤", bound: bound, step: step})
	}

	// rival: a figure of any system is at most so many times that of another.
	rival := func(workload, figure, left string, bound float64, right string) {
		ts = append(ts, target{
			left: place{left, workload, figure}, op: "≤", bound: bound, right: place{right, workload, figure},
		})
	}

	for _, w := range []string{"schedule-cancel-1k", "schedule-cancel-100k", "schedule-cancel-1M"} {
		within(w, "ns", 0.8, "afterfunc")
		within(w, "ns", 1.1, "jdk-scheduled")
	}
	ts = append(ts, target{
		left: place{"pool", "schedule-cancel-10M", "ns"}, op: "≤", bound: 2, right: place{"pool", "schedule-cancel-1k", "ns"},
	})
	times("soon", "ns", 2, "jdk-scheduled")
	times("soon", "ns", 2.5, "afterfunc")
	times("due-1M", "ns", 3, "jdk-scheduled")
	times("due-1M", "ns", 2, "afterfunc")
	within("cancelled-900", "cpu_ns", 1.2, "afterfunc")

	fixed := place{"fixed", "execute", "ns"}
	ts = append(ts, target{left: fixed, op: "≤", bound: 1.5, right: place{"channel", "execute", "ns"}})
	for _, rival := range []string{"ants", "pond", "workerpool", "conc", "errgroup"} {
		ts = append(ts, target{left: fixed, op: "<", bound: 1, right: place{rival, "execute", "ns"}})
	}
	times("execute", "ns", 5, "jdk-scheduled")
	within("submit-get", "ns", 3, "channel")

	within("lateness", "p50_us", 1.2, "jdk-scheduled")
	within("lateness", "p99_us", 0.2, "afterfunc")
	within("lateness", "cpu", 1.2, "afterfunc")
	within("lateness", "cpu", 1.5, "jdk-scheduled")
	rival("lateness", "cpu", "relaxed", 0.7, "afterfunc")
	within("density-100", "p50_us", 0.2, "afterfunc")
	within("density-100", "cpu", 1.3, "afterfunc")
	within("mixed", "cpu", 1.2, "afterfunc")
	for _, w := range []string{"busy-4", "busy-16"} {
		within(w, "p50_us", 2, "afterfunc")
		within(w, "p99_us", 3, "afterfunc")
	}

	within("pending", "bytes", 1, "jdk-scheduled")
	within("pending", "bytes", 1, "afterfunc")
	// The promise is none per second. The process has a runtime of its own, which may wake a thread
	// of its own once in a while, so that whole switches count: less than one in two seconds is
	// none.
	alone("idle-1M", "switches", 0, 1)
	// Likewise whole tenths: the runtime allocates once in a while, too.
	alone("allocations", "run", 1, 0.1)
	alone("allocations", "cancelled", 1, 0.1)
	alone("allocations", "periodic", 0, 0.1)
	within("shutdown-1M", "ms", 3, "afterfunc")
	alone("pools-100", "threads", 2, 1)
	return ts
}
