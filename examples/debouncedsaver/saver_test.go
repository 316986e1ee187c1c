package main

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// journal notes the milliseconds at which a document was saved.
type journal struct {
	begun time.Time
	saved []int64
	takes time.Duration
	fails int
}

func (j *journal) save(context.Context) error {
	j.saved = append(j.saved, time.Since(j.begun).Milliseconds())
	time.Sleep(j.takes)
	if j.fails > 0 {
		j.fails--
		return errors.New("disk full")
	}
	return nil
}

// change tells the saver of changes at these milliseconds.
func (j *journal) change(t *testing.T, s *Saver, milliseconds ...int) {
	t.Helper()
	for _, at := range milliseconds {
		time.Sleep(time.Until(j.begun.Add(time.Duration(at) * time.Millisecond)))
		require.NoError(t, s.Changed())
	}
}

func try(t *testing.T, test func(t *testing.T, j *journal, s *Saver)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		j := &journal{begun: time.Now()}
		s, err := NewSaver(j.save, time.Second, 10*time.Second)
		require.NoError(t, err)
		test(t, j, s)
	})
}

func TestOneSaveForManyChanges(t *testing.T) {
	try(t, func(t *testing.T, j *journal, s *Saver) {
		j.change(t, s, 0, 500, 1000, 1900, 5000)
		time.Sleep(time.Minute)
		require.NoError(t, s.Close(t.Context()))
		require.Equal(t, []int64{2900, 6000}, j.saved)
	})
}

// Somebody types for half a minute without a pause.
func TestTypingWithoutAPause(t *testing.T) {
	try(t, func(t *testing.T, j *journal, s *Saver) {
		for at := 0; at < 30_000; at += 300 {
			j.change(t, s, at)
		}
		time.Sleep(time.Minute)
		require.NoError(t, s.Close(t.Context()))
		require.Equal(t, []int64{10_000, 20_200, 30_400}, j.saved)
	})
}

// A change during a save is not lost: it is saved after that one.
func TestAChangeDuringASave(t *testing.T) {
	try(t, func(t *testing.T, j *journal, s *Saver) {
		j.takes = 5 * time.Second
		j.change(t, s, 0, 3000)
		time.Sleep(time.Minute)
		require.NoError(t, s.Close(t.Context()))
		require.Equal(t, []int64{1000, 6000}, j.saved)
	})
}

// Close saves what is left, at once, and nothing if there is nothing.
func TestClose(t *testing.T) {
	try(t, func(t *testing.T, j *journal, s *Saver) {
		j.change(t, s, 0, 500)
		require.NoError(t, s.Close(t.Context()))
		require.Equal(t, []int64{500}, j.saved)
	})
	try(t, func(t *testing.T, j *journal, s *Saver) {
		require.NoError(t, s.Close(t.Context()))
		require.Empty(t, j.saved)
	})
}

// A save that fails is tried again, and a change meanwhile does no harm.
func TestASaveThatFails(t *testing.T) {
	try(t, func(t *testing.T, j *journal, s *Saver) {
		j.fails = 3
		j.change(t, s, 0)
		time.Sleep(time.Hour)
		require.NoError(t, s.Close(t.Context()))
		require.Len(t, j.saved, 4)
	})
}

// The disk stays full until all attempts have failed. What is not saved by then is saved by Close.
func TestADiskThatIsFullForLong(t *testing.T) {
	try(t, func(t *testing.T, j *journal, s *Saver) {
		j.fails = 10
		j.change(t, s, 0)
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		require.Len(t, j.saved, 10)
		require.NoError(t, s.Close(t.Context()))
		require.Len(t, j.saved, 11)
	})
	try(t, func(t *testing.T, j *journal, s *Saver) {
		j.fails = math.MaxInt
		j.change(t, s, 0)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		require.EqualError(t, s.Close(ctx), "disk full")
		require.Len(t, j.saved, 10, "the attempts of Close")
	})
}

// A change while an attempt is awaited is saved with what was not, once.
func TestAChangeBetweenTwoAttempts(t *testing.T) {
	try(t, func(t *testing.T, j *journal, s *Saver) {
		j.fails = 1
		j.change(t, s, 0, 1001)
		time.Sleep(time.Hour)
		require.NoError(t, s.Close(t.Context()))
		require.Len(t, j.saved, 2)
	})
}
