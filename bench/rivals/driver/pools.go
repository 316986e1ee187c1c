package driver

import (
	"os"
	"runtime"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// pools finds out what it costs to have many systems that do nothing: each has one task, far away.
func pools(w work) (workload.Figures, error) {
	n := w.count("pools")
	sessions := make([]session, n)
	before := inUse()
	for i := range sessions {
		sessions[i] = w.open()
		defer sessions[i].shutdown(nil)
		sessions[i].after(func() {})(time.Hour)
	}
	if err := w.sleep(20 * time.Millisecond); err != nil { // until they have settled
		return nil, err
	}
	after := inUse()
	figures := workload.Figures{"bytes": max(0, after.memory-before.memory) / float64(n)}
	if after.threads > 0 { // this system tells
		figures["threads"] = max(0, after.threads-before.threads)
		figures["descriptors"] = max(0, after.descriptors-before.descriptors) / float64(n)
	}
	return figures, nil
}

// resources are what a process has of the system.
type resources struct{ threads, descriptors, memory float64 }

// inUse counts threads and descriptors where the system shows them as files.
func inUse() resources {
	count := func(dir string) float64 {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return 0
		}
		return float64(len(entries))
	}
	m := memory()
	runtime.Gosched()
	return resources{count("/proc/self/task"), count("/proc/self/fd"), float64(m.HeapAlloc + m.StackInuse)}
}
