package embedded

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Two servers on one directory overwrite each other's data, and what either has accepted is lost in
// silence. So a server has a lock on its directory, which the system takes back when the process
// dies.
//
//	free -> held    before the server starts
//	held -> free    after it has shut down, or with the process
//
// A server of another kind, as one that was started by hand, knows nothing of the lock.
const lockName = "punctual.lock"

// lock is a file that this process has locked.
type lock struct{ file *os.File }

// lockDir takes the lock of a directory, and waits for it: a process that is being replaced may
// need its time to end.
func lockDir(ctx context.Context, dir string) (*lock, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, lockName)
	for begun := time.Now(); ; {
		file, free, err := tryLock(path)
		switch {
		case err != nil:
			return nil, err
		case free:
			return &lock{file}, nil
		case time.Since(begun) > startWithin:
			return nil, fmt.Errorf("another server uses the directory: %s is locked", path)
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return nil, fmt.Errorf("another server uses the directory: %s is locked: %w", path,
				context.Cause(ctx))
		}
	}
}

// release ends the lock. The file stays: to remove it would let two have the lock of two files.
func (l *lock) release() {
	if l.file != nil {
		_ = l.file.Close() // it has nothing in it
	}
}
