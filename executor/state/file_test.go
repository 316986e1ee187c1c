package state_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/state"
)

// job lets a series run in real time until it has been recorded, and returns its last run.
func job(t *testing.T, book *state.Book) state.Run {
	t.Helper()
	p := executor.NewScheduledPool(1, quiet())
	f, err := p.Every(time.Millisecond, func(context.Context) error { return nil },
		executor.Name("job"), executor.MaxRuns(1), book.SinceLast(time.Hour))
	require.NoError(t, err)
	_, err = f.Get(t.Context())
	require.NoError(t, err)
	require.NoError(t, p.Close())
	r, err := book.Last(t.Context(), "job")
	require.NoError(t, err)
	require.False(t, r.Ended.IsZero())
	return r
}

func TestAFileOutlivesItsProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs")
	book, err := state.Open(path, state.Config{})
	require.NoError(t, err)
	r := job(t, book)
	require.NoError(t, book.Close())
	require.NoError(t, book.Close())

	book, err = state.Open(path, state.Config{})
	require.NoError(t, err)
	again, err := book.Last(t.Context(), "job")
	require.NoError(t, err)
	assert.True(t, r.Slot.Equal(again.Slot) && r.Began.Equal(again.Began) && r.Ended.Equal(again.Ended))
	require.NoError(t, book.Forget(t.Context(), "job"))
	require.NoError(t, book.Forget(t.Context(), "job"))
	again, err = book.Last(t.Context(), "job")
	require.NoError(t, err)
	assert.Zero(t, again)
	require.NoError(t, book.Close())
}

func TestAFileIsUsedByOneBookAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs")
	book, err := state.Open(path, state.Config{})
	require.NoError(t, err)
	_, err = state.Open(path, state.Config{})
	require.ErrorIs(t, err, state.ErrLocked)
	require.ErrorContains(t, err, path)
	require.NoError(t, book.Close())
	book, err = state.Open(path, state.Config{})
	require.NoError(t, err)
	require.NoError(t, book.Close())
}

func TestAClosedFileSaysSo(t *testing.T) {
	book, err := state.Open(filepath.Join(t.TempDir(), "runs"), state.Config{})
	require.NoError(t, err)
	require.NoError(t, book.Close())
	_, err = book.Last(t.Context(), "job")
	require.ErrorContains(t, err, "closed")
	require.ErrorContains(t, book.Forget(t.Context(), "job"), "closed")
	p := executor.NewScheduledPool(1)
	defer p.Close()
	_, err = p.Every(time.Second, func(context.Context) error { return nil },
		executor.Name("job"), book.SinceLast(0))
	require.ErrorContains(t, err, "closed")
}

func TestADirectoryThatIsNotThere(t *testing.T) {
	_, err := state.Open(filepath.Join(t.TempDir(), "none", "runs"), state.Config{})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// Whatever has become of the file: it is told, and the one before it is used; or nothing is.
func TestADamagedFile(t *testing.T) {
	for what, damage := range map[string]func([]byte) []byte{
		"cut off":     func(b []byte) []byte { return b[:len(b)/2] },
		"empty":       func([]byte) []byte { return nil },
		"a bit":       func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"grown":       func(b []byte) []byte { return append(b, '\n') },
		"all zeros":   func(b []byte) []byte { return make([]byte, len(b)) },
		"other words": func([]byte) []byte { return []byte("hello\n") },
	} {
		t.Run(what, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "runs")
			book, err := state.Open(path, state.Config{})
			require.NoError(t, err)
			job(t, book)
			require.NoError(t, book.Close())
			bad, err := os.ReadFile(path)
			require.NoError(t, err)
			bad = damage(bad)
			require.NoError(t, os.WriteFile(path, bad, 0o600))

			var logged bytes.Buffer
			book, err = state.Open(path, state.Config{Logger: slog.New(slog.NewTextHandler(&logged, nil))})
			require.NoError(t, err)
			require.Contains(t, logged.String(), state.ErrCorrupt.Error())
			require.Contains(t, logged.String(), path+".bad")
			r, err := book.Last(t.Context(), "job")
			require.NoError(t, err)
			assert.False(t, r.Slot.IsZero(), "the begin of the series was the record before")
			assert.True(t, r.Ended.IsZero())
			require.NoError(t, book.Close())
			aside, err := os.ReadFile(path + ".bad")
			require.NoError(t, err)
			assert.True(t, bytes.Equal(bad, aside))

			require.NoError(t, os.WriteFile(path, bad, 0o600))
			require.NoError(t, os.WriteFile(path+".old", bad, 0o600))
			_, err = state.Open(path, state.Config{})
			require.ErrorIs(t, err, state.ErrCorrupt)
			require.ErrorContains(t, err, path+".old")
			require.NoError(t, os.Remove(path+".old"))
			_, err = state.Open(path, state.Config{})
			require.ErrorIs(t, err, state.ErrCorrupt)
			require.NoError(t, os.Remove(path))
			book, err = state.Open(path, state.Config{})
			require.NoError(t, err)
			require.NoError(t, book.Close())
		})
	}
}

// slow is a disk whose writes take a second.
type slow struct {
	*machine
	mu     sync.Mutex
	writes int
	err    error
}

func (s *slow) Write(path string, content []byte) error {
	time.Sleep(time.Second)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	if s.err != nil {
		return s.err
	}
	return s.machine.Write(path, content)
}

func newSlow() *slow {
	s := &slow{machine: newMachine(rand.New(rand.NewPCG(1, 1)))}
	s.steps = -1
	return s
}

// Records that come while one is written share the next write; nothing waits for a lock meanwhile.
func TestRecordsShareAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := newSlow()
		book, err := state.OpenOn(disk, "/runs", state.Config{})
		require.NoError(t, err)
		begun := time.Now()
		var wg sync.WaitGroup
		for i := range 100 {
			wg.Go(func() { assert.NoError(t, book.Forget(t.Context(), strings.Repeat("x", i))) })
		}
		time.Sleep(500 * time.Millisecond)
		_, err = book.Last(t.Context(), "x")
		require.NoError(t, err)
		assert.Equal(t, 500*time.Millisecond, time.Since(begun), "to ask does not wait for a write")
		wg.Wait()
		assert.Equal(t, 2, disk.writes)
		assert.Equal(t, 2*time.Second, time.Since(begun))
		require.NoError(t, book.Close())
	})
}

// A write that fails has changed nothing, and the next one is another try.
func TestAWriteThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := newSlow()
		book, err := state.OpenOn(disk, "/runs", state.Config{})
		require.NoError(t, err)
		r := job(t, book)
		disk.err = errors.New("no space left")
		require.ErrorContains(t, book.Forget(t.Context(), "job"), "no space left")
		again, err := book.Last(t.Context(), "job")
		require.NoError(t, err)
		assert.Equal(t, r, again)
		disk.err = nil
		require.NoError(t, book.Forget(t.Context(), "job"))
		require.NoError(t, book.Close())
	})
}

// Close waits for what is being written.
func TestCloseWaitsForAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := newSlow()
		book, err := state.OpenOn(disk, "/runs", state.Config{})
		require.NoError(t, err)
		go func() { assert.NoError(t, book.Forget(context.Background(), "job")) }()
		synctest.Wait()
		begun := time.Now()
		require.NoError(t, book.Close())
		assert.Equal(t, time.Second, time.Since(begun))
	})
}

// What a process reads that was killed between two steps of a write stays, also if the power fails
// then.
func TestWhatWasReadOutlivesThePower(t *testing.T) {
	for seed := range uint64(8) {
		for steps := range 20 {
			synctest.Test(t, func(t *testing.T) {
				m := newMachine(rand.New(rand.NewPCG(seed, uint64(steps))))
				last := func() state.Run {
					book, err := state.OpenOn(m, "/runs", state.Config{})
					require.NoError(t, err)
					r, err := book.Last(t.Context(), "job")
					require.NoError(t, err)
					return r
				}
				m.restart(false)
				book, err := state.OpenOn(m, "/runs", state.Config{})
				require.NoError(t, err)
				m.steps = steps
				p := executor.NewScheduledPool(1)
				_, _ = p.Every(time.Second, func(context.Context) error { return nil },
					executor.Name("job"), book.SinceLast(0)) // it may have stopped
				m.stop()
				require.NoError(t, p.Close())

				m.restart(false)
				read := last()
				m.stop()
				m.restart(true)
				require.Equal(t, read, last(), "seed %d, %d steps", seed, steps)
			})
		}
	}
}

// Names may be any string, and times any that a file can have.
func TestWhatIsWrittenIsRead(t *testing.T) {
	runs := map[string]state.Run{
		"": {Slot: startOfBubbles}, "a b": {}, "\"\n\\\xff\x00": {Ended: startOfBubbles.Add(1)},
		"ü":                 {Slot: startOfBubbles, Began: startOfBubbles.Add(-1), Ended: startOfBubbles},
		"crc32c 00000000\n": {Slot: time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC)},
	}
	read, err := state.Decode(state.Encode(runs))
	require.NoError(t, err)
	assert.True(t, maps.Equal(runs, read), "%v", read)
}

func FuzzFile(f *testing.F) {
	f.Add([]byte("punctual runs 1\ncrc32c 5f6b9a2d\n"))
	f.Add([]byte(""))
	f.Add(state.Encode(nil))
	f.Add(state.Encode(map[string]state.Run{"job": {Slot: startOfBubbles, Began: startOfBubbles}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		runs, err := state.Decode(data)
		if err != nil {
			require.ErrorIs(t, err, state.ErrCorrupt)
			// With the right checksum it may be one after all.
			runs, err = state.Decode(state.Sealed(data))
		}
		if err != nil {
			require.ErrorIs(t, err, state.ErrCorrupt)
			return
		}
		again, err := state.Decode(state.Encode(runs))
		require.NoError(t, err)
		require.True(t, maps.Equal(runs, again))
	})
}

func BenchmarkRecord(b *testing.B) {
	book, err := state.Open(filepath.Join(b.TempDir(), "runs"), state.Config{})
	require.NoError(b, err)
	defer book.Close()
	for b.Loop() {
		require.NoError(b, book.Forget(b.Context(), "job"))
	}
}

// BenchmarkRecordTogether is a record of one of 64 series that record at the same time.
func BenchmarkRecordTogether(b *testing.B) {
	book, err := state.Open(filepath.Join(b.TempDir(), "runs"), state.Config{})
	require.NoError(b, err)
	defer book.Close()
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := book.Forget(context.Background(), "job"); err != nil {
				b.Error(err)
			}
		}
	})
}
