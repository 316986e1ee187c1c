package process

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// CanWatch returns nil if drivers can be looked at from outside.
func CanWatch() error { return nil }

func lookAt(pid int) (look, error) {
	dir := fmt.Sprintf("/proc/%d/task", pid)
	tasks, err := os.ReadDir(dir)
	if err != nil {
		return look{}, err
	}
	l := look{time.Now(), make(map[int]thread, len(tasks))}
	for _, t := range tasks {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		switch seen, err := lookAtThread(dir + "/" + t.Name()); {
		case err == nil:
			l.threads[id] = seen
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ESRCH): // it may have ended just now
			return look{}, err
		}
	}
	return l, nil
}

func lookAtThread(dir string) (t thread, err error) {
	status, err := os.ReadFile(dir + "/status")
	if err != nil {
		return thread{}, err
	}
	if t.switches, err = contextSwitches(status); err != nil {
		return thread{}, err
	}
	// The scheduler's own account is in nanoseconds. Where a kernel does not keep it, there are
	// ticks.
	if account, err := os.ReadFile(dir + "/schedstat"); err == nil {
		if first, _, ok := strings.Cut(string(account), " "); ok {
			ns, err := strconv.ParseInt(first, 10, 64)
			t.processor = time.Duration(ns)
			return t, err
		}
	}
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return thread{}, err
	}
	t.processor, err = ticks(stat)
	return t, err
}

// contextSwitches adds up those of either kind in /proc/*/status.
func contextSwitches(status []byte) (sum int64, err error) {
	found := 0
	for line := range bytes.Lines(status) {
		name, value, _ := strings.Cut(string(line), ":")
		if name != "voluntary_ctxt_switches" && name != "nonvoluntary_ctxt_switches" {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil {
			return 0, err
		}
		sum += n
		found++
	}
	if found != 2 {
		return 0, errors.New("the kernel does not tell context switches")
	}
	return sum, nil
}

// ticks adds up user and system time in /proc/*/stat: fields 14 and 15, in hundredths of a second.
// The second field is a name in brackets, in which there may be anything.
func ticks(stat []byte) (time.Duration, error) {
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 13 {
		return 0, errors.New("the kernel does not tell processor time")
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond, err
}
