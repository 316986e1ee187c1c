package wall

import (
	"errors"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// farthest is a time that does not come: as far away as the seconds of the system can say.
const farthest = 1<<31 - 1 + (strconv.IntSize-32)/32<<40

// watch watches with a timer that the kernel cancels when the wall clock is set. It fails if there
// is no descriptor, or the kernel does not know such timers.
func watch(parted func()) (stop func(), ok bool) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_REALTIME, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return nil, false
	}
	file := os.NewFile(uintptr(fd), "timerfd")
	// A descriptor that the netpoller does not take has no deadlines.
	if arm(fd) != nil || file.SetReadDeadline(time.Time{}) != nil {
		_ = file.Close()
		return nil, false
	}
	go func() {
		for count := make([]byte, 8); ; {
			_, err := file.Read(count)
			if err != nil && !errors.Is(err, unix.ECANCELED) {
				return // it is closed
			}
			if !rearm(file) {
				return
			}
			parted()
		}
	}()
	return func() { _ = file.Close() }, true
}

// arm fails with ECANCELED if the clock has been set since it was armed last, and has armed all the
// same.
func arm(fd int) error {
	spec := unix.ItimerSpec{Value: unix.Timespec{Sec: farthest}}
	return unix.TimerfdSettime(fd, unix.TFD_TIMER_ABSTIME|unix.TFD_TIMER_CANCEL_ON_SET, &spec, nil)
}

// rearm reports false if the file is closed.
func rearm(file *os.File) bool {
	raw, err := file.SyscallConn()
	if err != nil {
		return false
	}
	return raw.Control(func(fd uintptr) { _ = arm(int(fd)) }) == nil
}
