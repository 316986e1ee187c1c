package jvm

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"slices"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// System is one that the driver in Java knows.
type System struct {
	Name  string // for the driver
	Title string // for people, and how it is used
	kinds []string
}

// Kinds returns the kinds of work that it can do. Nobody counts objects here, so allocations are
// not among them.
func (s System) Kinds() []string { return slices.Clone(s.kinds) }

var (
	delayed = []string{
		"schedule-cancel", "soon", "due", "lateness", "mixed", "cancelled", "pending", "idle", "shutdown",
	}
	immediate = []string{"execute", "producers", "submit-get", "fan-out"}
)

// Systems returns those that are there.
func (j *JVM) Systems() []System {
	all := []System{
		{
			"jdk-scheduled", "ScheduledThreadPoolExecutor: two threads, setRemoveOnCancelPolicy; fan-out by invokeAll",
			slices.Concat(delayed, immediate),
		},
		{
			"jdk-fixed", "ThreadPoolExecutor: two threads on a LinkedBlockingQueue; fan-out by invokeAll",
			immediate,
		},
		{
			"jdk-timer", "java.util.Timer: one thread; purged after each 100,000 that are cancelled",
			delayed,
		},
	}
	if j.netty != "" {
		all = append(all, System{
			"netty", "Netty HashedWheelTimer: a tick of 1 ms, 65,536 slots; one thread, which runs the tasks",
			delayed,
		})
	}
	return all
}

// Command returns the command that drives a system. It ends with ctx.
func (j *JVM) Command(ctx context.Context, system, kind string, params workload.Params) *exec.Cmd {
	args := []string{fmt.Sprintf("-Xmx%dm", j.heap), "-cp", j.classPath(), "Rivals", system, kind}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		args = append(args, fmt.Sprintf("%s=%d", name, params[name]))
	}
	return exec.CommandContext(ctx, j.java, args...)
}
