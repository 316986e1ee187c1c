package control_test

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

// compared is a calendar that decides by a function what it is equal to.
type compared struct {
	byFunction
	equal func() bool
}

func (c *compared) Equal(*compared) bool { return c.equal() }

func TestAnEqualMethodOfACalendarDecides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		same := true
		read := func() executor.Job {
			return on(&compared{hours(1), func() bool {
				p.Stats() // it may call the pool
				return same
			}})
		}
		applied(t, p, read())
		assert.Equal(t, "unchanged", applied(t, p, read()))
		same = false
		assert.Equal(t, "changed", applied(t, p, read()))
	})
}

func TestAPanicOfACalendarIsAnErrorOfApply(t *testing.T) {
	broken := byFunction(func(time.Time) time.Time { panic("boom") })
	unequal := &compared{hours(1), func() bool { panic("boom") }}
	for name, c := range map[string]executor.Calendar{"Next": broken, "Equal": unequal} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1, executor.Name("jobs"))
				poll := executor.Job{Name: "poll", Rate: time.Minute, Task: pooltest.Nothing}
				_, err := p.Apply(poll, on(unequal))
				require.NoError(t, err)
				poll.Rate = time.Second
				changes, err := p.Apply(poll, on(c))
				assert.ErrorContains(t, err, `pool "jobs"`)
				assert.ErrorContains(t, err, `task "job"`)
				assert.ErrorAs(t, err, new(*future.PanicError))
				assert.Empty(t, changes)
				h, _ := p.Lookup("poll")
				assert.Equal(t, time.Minute, h.Period(), "nothing is done")
			})
		})
	}
}

func TestAnEqualMethodThatEndsItsGoroutineLeavesThePoolUsable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		read := func() executor.Job {
			return on(&compared{hours(1), func() bool { runtime.Goexit(); return true }})
		}
		applied(t, p, read())
		go func() { _, _ = p.Apply(read()) }()
		synctest.Wait()
		_, err := p.Apply()
		assert.NoError(t, err)
	})
}

// An Equal method that applies other jobs itself: the comparison is of jobs that are no more.
func TestJobsThatChangeWhileTheyAreComparedAreComparedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		asked := 0
		read := func() executor.Job {
			return on(&compared{hours(1), func() bool {
				if asked++; asked == 1 {
					_, err := p.Apply()
					assert.NoError(t, err)
				}
				return true
			}})
		}
		applied(t, p, read())
		assert.Equal(t, "added", applied(t, p, read()))
		assert.Equal(t, 1, asked)
	})
}

// An Equal method that applies another job of the name: what has been compared is no more.
func TestAJobThatIsReplacedWhileItIsComparedIsComparedWithItsSuccessor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		read := func(equal func() bool) executor.Job { return on(&compared{hours(1), equal}) }
		applied(t, p, read(nil))
		again := read(func() bool {
			assert.Equal(t, "changed", applied(t, p, on(hours(2))))
			return true
		})
		assert.Equal(t, "changed", applied(t, p, again))
	})
}

// remembers is a calendar with a memory, and a lock for it.
type remembers struct {
	mu   sync.Mutex
	seen map[int64]time.Time
}

func (m *remembers) Next(after time.Time) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	next, ok := m.seen[after.UnixNano()]
	if !ok {
		next = after.Truncate(time.Millisecond).Add(time.Millisecond)
		m.seen[after.UnixNano()] = next
	}
	return next
}

// The race detector, or the runtime, finds it if Apply reads what belongs to the calendar.
func TestApplyDoesNotReadTheMemoryOfACalendar(t *testing.T) {
	p := pooltest.NewScheduledPool(t, 2)
	read := func() executor.Job { return on(&remembers{seen: map[int64]time.Time{1: {}}}) }
	applied(t, p, read())
	for range 50 {
		for range 20 {
			assert.Equal(t, "unchanged", applied(t, p, read()))
		}
		time.Sleep(time.Millisecond)
	}
}
