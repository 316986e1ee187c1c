package ports_test

import (
	"context"
	"testing"
	"time"
)

// A compaction runs again at once while there is much to do, soon if it has found something, and
// rarely if not. One that fails comes again after a while, and so does one that panics.
const (
	soon         = 10 * time.Second
	rarely       = 10 * time.Minute
	afterTrouble = time.Minute
)

// wait returns the time until the next compaction, after one that has merged so many files.
func wait(merged int) time.Duration {
	switch {
	case merged >= 100:
		return 0
	case merged > 0:
		return soon
	}
	return rarely
}

// compaction merges files, and returns how many.
type compaction func(ctx context.Context) (merged int, err error)

func TestCompactionComesAgainAsItsResultSays(t *testing.T) {
	onBoth(t, portedCompaction, bareCompaction, func(t *testing.T, start func(compaction) service) {
		d := newDiary(t)
		s := start(func(ctx context.Context) (int, error) {
			switch d.run(ctx, time.Second) {
			case 1, 2:
				return 100, nil
			case 3:
				return 7, nil
			case 5:
				return 0, errDown
			case 6:
				panic("a file is broken")
			}
			return 0, nil
		})
		d.sleepUntil(1500 * time.Second)
		d.requireStarts("0 1 2 13 614 675 736 1337")
		d.requireStopped(s)
	})
}

func TestCompactionIsCutShortByTheEnd(t *testing.T) {
	onBoth(t, portedCompaction, bareCompaction, func(t *testing.T, start func(compaction) service) {
		d := newDiary(t)
		s := start(func(ctx context.Context) (int, error) { return d.run(ctx, time.Hour) * 100, nil })
		d.sleepUntil(time.Minute)
		d.requireStopped(s)
		d.requireStarts("0")
	})
}
