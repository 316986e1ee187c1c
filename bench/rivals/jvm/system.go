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

// A ScheduledThreadPoolExecutor has no bound, and a ForkJoinPool neither bound nor hooks.
var (
	delayed = []string{
		"schedule-cancel", "pairs", "timeouts", "soon", "due", "lateness", "mixed", "cancelled", "pending", "idle", "shutdown",
	}
	immediate = []string{"execute", "producers", "submit-get", "askers", "fan-out"}
	hooked    = []string{"service", "served"} // by a class of its own with afterExecute
)

const aboutScheduled = "two threads, setRemoveOnCancelPolicy; fan-out by invokeAll; afterExecute for failures and as a hook"

// Systems returns those that are there.
func (j *JVM) Systems() []System {
	all := []System{
		{
			"jdk-scheduled", "ScheduledThreadPoolExecutor: " + aboutScheduled,
			slices.Concat(delayed, immediate, hooked),
		},
		{
			"jdk-fixed", "ThreadPoolExecutor: two threads on a LinkedBlockingQueue; fan-out by invokeAll; " +
				"bounded by an ArrayBlockingQueue, with a handler that waits for room in it",
			append(slices.Clone(immediate), "bounded"),
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

// Systems25 returns those that are measured on the JDK of [Find25].
func (j *JVM) Systems25() []System {
	return []System{
		{
			"jdk25-stpe", "ScheduledThreadPoolExecutor of JDK 25: " + aboutScheduled,
			slices.Concat(delayed, immediate, hooked),
		},
		{
			"jdk25-forkjoin", "ForkJoinPool of JDK 25: two threads and one that keeps the times, in asynchronous mode; " +
				"fan-out by invokeAll",
			slices.Concat(delayed, immediate),
		},
	}
}

// Command returns the command that drives a system. It ends with ctx.
func (j *JVM) Command(ctx context.Context, system, kind string, params workload.Params) *exec.Cmd {
	args := []string{fmt.Sprintf("-Xmx%dm", j.heap), "-cp", j.classPath(), "Rivals", system, kind}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		args = append(args, fmt.Sprintf("%s=%d", name, params[name]))
	}
	return exec.CommandContext(ctx, j.java, args...)
}
