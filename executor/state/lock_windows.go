package state

import (
	"errors"
	"os"
	"syscall"
)

const sharingViolation = syscall.Errno(32)

// tryLock opens the file for this process alone.
func tryLock(path string) (file *os.File, free bool, err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, false, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	switch {
	case errors.Is(err, sharingViolation):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	}
	return os.NewFile(uintptr(h), path), true, nil
}
