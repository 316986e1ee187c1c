package state

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// disk is what the file needs of a file system.
type disk interface {
	// Read returns the content of a file; the error of a missing one is fs.ErrNotExist.
	Read(path string) ([]byte, error)
	// Write makes the content that of a file, and syncs it.
	Write(path string, content []byte) error
	// Rename gives a file another name, and replaces what had that.
	Rename(from, to string) error
	// SyncNames syncs the directory of a file.
	SyncNames(path string) error
	// Lock locks a file; free says that nobody else has.
	Lock(path string) (lock io.Closer, free bool, err error)
}

// system is the file system of the process.
type system struct{}

func (system) Read(path string) ([]byte, error) { return os.ReadFile(path) }

func (system) Rename(from, to string) error { return os.Rename(from, to) }

func (system) Write(path string, content []byte) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o640)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.Write(content); err != nil {
		return err
	}
	return f.Sync()
}

// SyncNames does nothing where a directory cannot be synced: the system, or the file system, has
// nothing better.
func (system) SyncNames(path string) error {
	switch runtime.GOOS {
	case "windows", "plan9", "js", "wasip1":
		return nil
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	err = dir.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, dir.Close())
}

func (system) Lock(path string) (lock io.Closer, free bool, err error) {
	f, free, err := tryLock(path)
	if f == nil {
		return unlocked{}, free, err
	}
	return f, free, err
}

// unlocked stands for the lock of a system that has none.
type unlocked struct{}

func (unlocked) Close() error { return nil }
