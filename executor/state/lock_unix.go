//go:build unix && !solaris && !illumos && !aix

package state

import (
	"errors"
	"os"
	"syscall"
)

// tryLock opens a file, and locks it for this process; the system ends the lock with the process.
func tryLock(path string) (file *os.File, free bool, err error) {
	file, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o640)
	if err != nil {
		return nil, false, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) {
		return file, true, nil // some file systems have no locks
	}
	_ = file.Close() // it has nothing in it
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		err = nil
	}
	return nil, false, err
}
