package alarm

import (
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/punctual-go/punctual/internal/clock"
)

// timerfd is a Linux timer on the clock of an owner.
type timerfd struct {
	fd    int
	ahead int64 // what CLOCK_MONOTONIC shows in excess of the owner's clock
}

// newTimerfd fails if the process cannot have another descriptor, or cannot read the clock.
func newTimerfd(c clock.Clock, flags int) (timerfd, error) {
	lead, err := ahead(c)
	if err != nil {
		return timerfd{}, err
	}
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|flags)
	return timerfd{fd: fd, ahead: lead}, err
}

// farthest is the longest time that is set: on 32-bit systems the seconds have 31 bits. An alarm
// that rings for nothing after half a century is within the contract of Wait.
const farthest = 50 * 365 * 24 * time.Hour

// set cannot fail, as the descriptor is open and the time is valid. The kernel takes a time of zero
// to mean "disarm".
func (t *timerfd) set(at, now int64) {
	at = min(at, now+int64(farthest))
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(max(at+t.ahead, 1))}
	_ = unix.TimerfdSettime(t.fd, unix.TFD_TIMER_ABSTIME, &spec, nil)
}

// ahead returns by how much the system's monotonic clock is ahead of c. Both run on the same clock,
// so that is constant. A measurement may be too high, by what passes between the two readings, but
// never too low. ahead returns the least of several; so no alarm is early.
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

// open makes a file of the descriptor, so that it is closed when it is forgotten, and not used
// after that.
func (t *timerfd) open() (*os.File, syscall.RawConn, error) {
	file := os.NewFile(uintptr(t.fd), "timerfd")
	raw, err := file.SyscallConn()
	if err != nil {
		_ = file.Close()
	}
	return file, raw, err
}

// threadMeans waits in a system call.
type threadMeans struct {
	timerfd
	file  *os.File
	raw   syscall.RawConn       // of file
	read  func(fd uintptr) bool // made once, as is clear, so that nothing is allocated
	clear func(fd uintptr)
	count [8]byte // number of expirations, read and ignored
}

func newThread(c clock.Clock) means {
	t, err := newTimerfd(c, 0)
	if err != nil {
		return nil
	}
	file, raw, err := t.open()
	if err != nil {
		return nil
	}
	m := &threadMeans{timerfd: t, file: file, raw: raw}
	m.read = func(fd uintptr) bool {
		_, _ = unix.Read(int(fd), m.count[:])
		return true
	}
	m.clear = func(uintptr) { m.set(-m.ahead, 0) }
	return m
}

// ring sets the time to the beginning of the clock. It does nothing after close.
func (t *threadMeans) ring() { _ = t.raw.Control(t.clear) }

// wait may return early, by a signal.
func (t *threadMeans) wait(<-chan struct{}) { _ = t.raw.Read(t.read) }

func (t *threadMeans) close() { _ = t.file.Close() }

// pollerMeans waits for the netpoller.
type pollerMeans struct {
	timerfd
	clock clock.Clock
	at    atomic.Int64 // when it is set to ring
	file  *os.File
	raw   syscall.RawConn       // of file; its errors are not allocated, unlike those of file.Read
	read  func(fd uintptr) bool // p.expired, made once so that wait allocates nothing
}

// A wait that is longer than longWait has its runtime timer a little later than the kernel's. The
// runtime waits for timers in whole milliseconds, rounded down, so for one of the same time it
// would wake up too early, and once more.
const (
	longWait = time.Millisecond
	behind   = time.Millisecond
)

// newPoller returns nil if there is no descriptor, or the netpoller does not accept it.
func newPoller(c clock.Clock) means {
	t, err := newTimerfd(c, unix.TFD_NONBLOCK)
	if err != nil {
		return nil
	}
	file, raw, err := t.open()
	if err != nil {
		return nil
	}
	if file.SetReadDeadline(time.Time{}) != nil {
		_ = file.Close()
		return nil
	}
	p := &pollerMeans{timerfd: t, clock: c, file: file, raw: raw}
	p.read = p.expired
	return p
}

func (p *pollerMeans) set(at, now int64) {
	p.at.Store(at)
	p.timerfd.set(at, now)
	if at-now > int64(longWait) {
		at += int64(behind)
	}
	_ = p.file.SetReadDeadline(p.clock.Time(min(at, now+int64(farthest))))
}

// ring puts the deadline into the past, which resumes the reader without a call of the kernel.
func (p *pollerMeans) ring() { _ = p.file.SetReadDeadline(time.Unix(1, 0)) }

// wait returns on either event; the deadline shows as an error, which does not matter.
func (p *pollerMeans) wait(<-chan struct{}) { _ = p.raw.Read(p.read) }

// expired reports whether the time has come. On false the netpoller goes on waiting. To read the
// clock is cheaper than to read the timer, which need not be: setting it again resets it, and the
// netpoller is told of each expiration.
func (p *pollerMeans) expired(uintptr) bool { return p.clock.Now() >= p.at.Load() }

func (p *pollerMeans) close() { _ = p.file.Close() }

// InBubble reports whether the calling goroutine is in a testing/synctest bubble, where time.Now is
// virtual. Outside, time.Now lies between two readings of the system clock that enclose it. Inside
// it does not: the virtual clock starts in the year 2000. A clock that is set back between the
// readings looks like a bubble only if that happens three times in a row, and then nothing but
// precision is lost.
func InBubble() bool {
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
