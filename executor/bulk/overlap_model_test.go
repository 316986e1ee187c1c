package bulk_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
)

// overlapModel is an Overlap in a few lines. Times are in seconds; runs take whole ones and a half,
// so that none ends when another is due.
type overlapModel struct {
	n       int
	full    bulk.WhenFull
	takes   []int
	ends    []float64 // of the runs in progress, the oldest first
	skipped int
	lines   []string // of each run, in turn
}

func (m *overlapModel) tick(at int) {
	m.ends = slices.DeleteFunc(m.ends, func(end float64) bool { return end < float64(at) })
	if len(m.ends) == m.n {
		if m.full == bulk.SkipNew {
			m.skipped++
			return
		}
		m.ends = m.ends[1:]
	}
	m.lines = append(m.lines, line(at, m.skipped))
	m.ends = append(m.ends, float64(at)+float64(m.takes[at%len(m.takes)])+.5)
	m.skipped = 0
}

func line(at, skipped int) string { return fmt.Sprintf("at %d, skipped %d", at, skipped) }

// However many may overlap, and however long they take: runs begin when the model says, and know
// how many were skipped.
func TestModelOfAnOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &overlapModel{
			n:     rapid.IntRange(1, 4).Draw(t, "n"),
			full:  rapid.SampledFrom([]bulk.WhenFull{bulk.SkipNew, bulk.CancelOldest}).Draw(t, "full"),
			takes: rapid.SliceOfN(rapid.IntRange(0, 9), 1, 7).Draw(t, "takes"),
		}
		ticks := rapid.IntRange(1, 30).Draw(t, "ticks")
		rapid.SyncTest(t, func(t *rapid.T) {
			p := executor.NewScheduledPool(6)
			begun := time.Now()
			var mu sync.Mutex
			var lines []string
			o, err := bulk.NewOverlap(p, m.n, m.full, func(ctx context.Context) error {
				at := int(time.Since(begun) / time.Second)
				due, _ := bulk.DueFrom(ctx)
				assert.EqualValues(t, at, due.Number)
				mu.Lock()
				lines = append(lines, line(at, int(due.Skipped)))
				mu.Unlock()
				select {
				case <-ctx.Done():
				case <-time.After(time.Duration(m.takes[at%len(m.takes)])*time.Second + 500*time.Millisecond):
				}
				return nil
			})
			require.NoError(t, err)
			_, err = p.Every(time.Second, o.Task, executor.MaxRuns(ticks))
			require.NoError(t, err)
			for at := 1; at <= ticks; at++ {
				time.Sleep(time.Second)
				synctest.Wait()
				m.tick(at)
				assert.Len(t, o.InFlight(), len(m.ends))
			}
			require.NoError(t, p.Close())
			assert.Equal(t, m.lines, lines)
			assert.EqualValues(t, ticks-len(lines), p.Stats().Skipped)
		})
	})
}
