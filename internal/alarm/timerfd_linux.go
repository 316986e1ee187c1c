package alarm

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/punctual-go/punctual/internal/clock"
)

// timerfd is a Linux timer that the netpoller waits for: the waiting goroutine holds no thread.
type timerfd struct {
	file  *os.File
	fd    int                   // the descriptor under file; file.Fd would make it blocking
	raw   syscall.RawConn       // of file: its errors cost no allocation, as those of file.Read do
	read  func(fd uintptr) bool // t.expired, made once
	count [8]byte               // of expirations, read and ignored

	clock clock.Clock
	ahead int64 // what the system's monotonic clock shows beyond it
}

// newPrecise returns nil when the process may have no more descriptors, or not ask for the time.
func newPrecise(c clock.Clock) precise {
	lead, err := ahead(c)
	if err != nil {
		return nil
	}
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil
	}
	file := os.NewFile(uintptr(fd), "timerfd")
	if file.SetReadDeadline(time.Time{}) != nil { // the netpoller does not take it
		_ = file.Close()
		return nil
	}
	raw, err := file.SyscallConn()
	if err != nil {
		_ = file.Close()
		return nil
	}
	t := &timerfd{file: file, fd: fd, raw: raw, clock: c, ahead: lead}
	t.read = t.expired
	return t
}

// farthest is the longest time set: on 32-bit systems a second count has 31 bits. An alarm that
// rings after half a century for nothing is within the contract of Wait.
const farthest = 50 * 365 * 24 * time.Hour

// set cannot fail: the descriptor is open and the time valid. The kernel takes zero as "disarm".
func (t *timerfd) set(at, now int64) {
	at = min(at, now+int64(farthest))
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(max(at+t.ahead, 1))}
	_ = unix.TimerfdSettime(t.fd, unix.TFD_TIMER_ABSTIME, &spec, nil)
	_ = t.file.SetReadDeadline(t.clock.Time(at))
}

// ahead returns how much more the system's monotonic clock shows than c, which is made of it: that
// does not change. It is the least of a few measurements that may be too high by what lies between
// the two readings, but never too low, so that no alarm is early.
func ahead(c clock.Clock) (least int64, err error) {
	least = clock.Never
	for range 10 {
		var ts unix.Timespec
		shown := c.Now()
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
			return 0, err
		}
		least = min(least, ts.Nano()-shown)
	}
	return least, nil
}

// ring lets the deadline pass, which resumes the reader without the kernel.
func (t *timerfd) ring() { _ = t.file.SetReadDeadline(time.Unix(1, 0)) }

// wait ends with an error if that is by the deadline.
func (t *timerfd) wait() { _ = t.raw.Read(t.read) }

// expired reads the timer, which takes the expiration back, and reports whether there was one.
func (t *timerfd) expired(fd uintptr) bool {
	_, err := unix.Read(int(fd), t.count[:])
	return err != unix.EAGAIN
}

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
