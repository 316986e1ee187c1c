package state

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"path/filepath"
	"sync"
)

var (
	// ErrCorrupt says that a file is not what was written: it was damaged, cut off or edited.
	ErrCorrupt = errors.New("state: the file is damaged")
	// ErrLocked says that another process, or another book of this one, has the file.
	ErrLocked = errors.New("state: another process has the file")

	errClosed = errors.New("state: the file is closed")
)

// The names of the other files begin with the name of the file.
const (
	oldSuffix  = ".old"  // the file before
	newSuffix  = ".new"  // the next one, while it is written
	badSuffix  = ".bad"  // a damaged one
	lockSuffix = ".lock" // stays, as to remove it would let two have the lock of two files
)

// Open returns a book on a file, which need not exist yet, in a directory that does. It returns
// [ErrLocked] if another process has it, and [ErrCorrupt] if it is damaged and there is none before
// it; to begin with nothing known, remove it then.
func Open(path string, c Config) (*Book, error) { return open(system{}, path, c) }

func open(d disk, path string, c Config) (*Book, error) {
	path, err := filepath.Abs(path) // the process may change its directory
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	lock, free, err := d.Lock(path + lockSuffix)
	switch {
	case err != nil:
		return nil, fmt.Errorf("state: %w", err)
	case !free:
		return nil, fmt.Errorf("%w: %s", ErrLocked, path)
	}
	f := &file{disk: d, path: path, lock: lock, next: newTurn()}
	f.free.L = &f.mu
	damage, err := f.load()
	if err == nil { // a process that was killed may not have come to that
		err = d.SyncNames(path)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	if damage != nil {
		cmp.Or(c.Logger, slog.Default()).Error("the last runs are older ones", "err", damage)
	}
	return New(f, c), nil
}

// file is a [Store] in a file. What comes while it is written waits for the next turn:
//
//	waiting -> writing  one of those that wait writes for all of them
//	writing -> over     the file is replaced, or the turn has failed
type file struct {
	disk disk
	path string

	mu      sync.Mutex // guards these; it is not held while the file is written
	runs    map[string]Run
	next    *turn
	writing bool
	free    sync.Cond // nobody writes any more
	lock    io.Closer // nil once the file is closed
}

// turn is what is written at once.
type turn struct {
	changes map[string]*Run // nil for one that is forgotten
	over    bool
	err     error
}

func newTurn() *turn { return &turn{changes: map[string]*Run{}} }

// Last is that of [Store].
func (f *file) Last(_ context.Context, name string) (Run, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lock == nil {
		return Run{}, errClosed
	}
	return f.runs[name], nil
}

// Record is that of [Store].
func (f *file) Record(_ context.Context, name string, r Run) error { return f.change(name, &r) }

// Forget is that of [Store].
func (f *file) Forget(_ context.Context, name string) error { return f.change(name, nil) }

// Close lets the file go when what is being written has been.
func (f *file) Close() error {
	f.mu.Lock()
	for f.writing {
		f.free.Wait()
	}
	lock := f.lock
	f.lock = nil
	f.mu.Unlock()
	if lock == nil {
		return nil
	}
	return lock.Close()
}

// change writes a change, together with what else waits.
func (f *file) change(name string, to *Run) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.next
	t.changes[name] = to
	for f.writing && !t.over {
		f.free.Wait()
	}
	if !t.over {
		f.writeLocked(t)
	}
	return t.err
}

// writeLocked writes a turn, and lets go of the lock meanwhile. If it fails, nothing has changed as
// far as the next turn is concerned.
func (f *file) writeLocked(t *turn) {
	f.next = newTurn()
	runs := maps.Clone(f.runs)
	for name, r := range t.changes {
		if r == nil {
			delete(runs, name)
		} else {
			runs[name] = *r
		}
	}
	f.writing, t.err = true, errClosed
	if f.lock != nil {
		f.mu.Unlock()
		err := f.replace(encode(runs))
		f.mu.Lock()
		if t.err = err; err == nil {
			f.runs = runs
		}
	}
	f.writing, t.over = false, true
	f.free.Broadcast()
}

// replace replaces the file. Wherever it is stopped, the file or the one before it is whole: a new
// one gets its name only after it has been synced.
func (f *file) replace(content []byte) error {
	err := f.disk.Write(f.path+newSuffix, content)
	if err == nil {
		err = f.disk.Rename(f.path, f.path+oldSuffix)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) { // the first one has none before it
		err = f.disk.Rename(f.path+newSuffix, f.path)
	}
	if err == nil {
		err = f.disk.SyncNames(f.path)
	}
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	return nil
}

// load reads the file. If it is damaged, the one before it is used, and damage says so.
func (f *file) load() (damage, err error) {
	f.runs, err = f.read(f.path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err == nil || !missing && !errors.Is(err, ErrCorrupt) {
		return nil, err
	}
	damage = err
	f.runs, err = f.read(f.path + oldSuffix)
	switch {
	case missing && err == nil: // a crash between two names, before the next record was complete
		return nil, nil
	case missing && errors.Is(err, fs.ErrNotExist): // there never was one
		f.runs = map[string]Run{}
		return nil, nil
	case err != nil:
		return nil, errors.Join(damage, err)
	}
	if err := f.disk.Rename(f.path, f.path+badSuffix); err != nil {
		return nil, fmt.Errorf("state: %w", errors.Join(damage, err))
	}
	return fmt.Errorf("%w; it is put aside as %s, and %s is used", damage, f.path+badSuffix,
		f.path+oldSuffix), nil
}

// read returns the runs of one file.
func (f *file) read(path string) (map[string]Run, error) {
	content, err := f.disk.Read(path)
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	runs, err := decode(content)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, path)
	}
	return runs, nil
}
