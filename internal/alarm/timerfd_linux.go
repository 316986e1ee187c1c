package alarm

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// timerfd is a Linux timer that the netpoller waits for: the waiting goroutine holds no thread.
type timerfd struct {
	file  *os.File
	fd    int     // the descriptor under file; file.Fd would make it blocking
	count [8]byte // of expirations, read and ignored
}

// newPrecise returns nil when the process may have no more descriptors.
func newPrecise() precise {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil
	}
	file := os.NewFile(uintptr(fd), "timerfd")
	if file.SetReadDeadline(time.Time{}) != nil { // the netpoller does not take it
		_ = file.Close()
		return nil
	}
	return &timerfd{file: file, fd: fd}
}

// farthest is the longest time set: on 32-bit systems a second count has 31 bits. An alarm that
// rings after half a century for nothing is within the contract of Wait.
const farthest = 50 * 365 * 24 * time.Hour

// set cannot fail: the descriptor is open and the time valid. The kernel takes zero as "disarm",
// so one nanosecond stands for "now".
func (t *timerfd) set(d time.Duration) {
	d = min(max(d, 1), farthest)
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
	_ = unix.TimerfdSettime(t.fd, 0, &spec, nil)
	_ = t.file.SetReadDeadline(time.Now().Add(d))
}

// ring lets the deadline pass, which resumes the reader without the kernel.
func (t *timerfd) ring() { _ = t.file.SetReadDeadline(time.Unix(1, 0)) }

func (t *timerfd) wait() { _, _ = t.file.Read(t.count[:]) }

func (t *timerfd) close() { _ = t.file.Close() }

// inBubble reports whether the calling goroutine lives in a testing/synctest bubble, where
// time.Now is virtual. Outside, time.Now lies between two readings of the system clock that
// enclose it; inside it does not, as the virtual clock starts in the year 2000. A clock that is
// set back between the readings is taken for a bubble only if that happens three times running,
// and then all that is lost is precision.
func inBubble() bool {
	for range 3 {
		before, after := systemTime(), int64(0)
		now := time.Now().UnixNano()
		after = systemTime()
		if before <= now && now <= after {
			return false
		}
	}
	return true
}

func systemTime() int64 {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_REALTIME, &ts) != nil {
		return 0
	}
	return ts.Nano()
}
