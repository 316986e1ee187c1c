package main

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// usage is processor time, in the system and outside of it.
type usage struct {
	clients time.Duration // of this process and of others that work
	servers time.Duration
}

// measureUsage is what this process and others have used until now.
func measureUsage(servers, workers []*process) usage {
	table := processTable()
	u := usage{clients: ownUsage()}
	for _, p := range servers {
		u.servers += table.spent(p.cmd.Process.Pid)
	}
	for _, p := range workers {
		u.clients += table.spent(p.cmd.Process.Pid)
	}
	return u
}

// since is what has been used since an earlier measurement, for each task: in all, and of it by
// the servers, in microseconds. Where the server is in this process nobody can tell them apart.
func (u usage) since(earlier usage, tasks int) (all, servers float64) {
	each := func(d time.Duration) float64 {
		return float64(d) / float64(time.Microsecond) / float64(tasks)
	}
	all = each(u.clients + u.servers - earlier.clients - earlier.servers)
	if u.servers == 0 {
		return all, math.NaN()
	}
	return all, each(u.servers - earlier.servers)
}

func ownUsage() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// tick is the unit in which Linux tells the time that processes have used.
const tick = 10 * time.Millisecond

// processes are all of the machine, by their numbers. PostgreSQL has one for each connection.
type processes map[int]processEntry

type processEntry struct {
	parent int
	spent  time.Duration // by itself, and by children that have ended
}

func processTable() processes {
	table := processes{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // elsewhere there are none
	for _, file := range files {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		text, err2 := os.ReadFile(file) // it may have ended meanwhile
		if err != nil || err2 != nil {
			continue
		}
		if e, ok := parseStat(string(text)); ok {
			table[pid] = e
		}
	}
	return table
}

// parseStat reads a line of /proc/PID/stat. The name of the program may contain anything.
func parseStat(text string) (e processEntry, ok bool) {
	f := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(f) < 15 {
		return e, false
	}
	e.parent, _ = strconv.Atoi(f[1])
	for _, field := range f[11:15] { // user and system time, and the same of children
		ticks, err := strconv.Atoi(field)
		if err != nil {
			return e, false
		}
		e.spent += time.Duration(ticks) * tick
	}
	return e, true
}

// spent is what a process and all below it have used.
func (table processes) spent(pid int) time.Duration {
	sum := table[pid].spent
	for child, e := range table {
		if e.parent == pid {
			sum += table.spent(child)
		}
	}
	return sum
}
