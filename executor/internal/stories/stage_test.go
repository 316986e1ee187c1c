package stories_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

// stage is what a story plays on: one pool, and the tasks that the story has named.
type stage struct {
	t         *testing.T
	trace     *trace
	pool      *executor.Pool
	scheduled *executor.ScheduledPool // the same one, if it knows times
	lanes     map[string]executor.Submitter
	keyed     *serial.Keyed[string]
	tasks     sync.Map // from names to the latest *task of that name
}

// newStage is called in a bubble.
func newStage(t *testing.T) *stage {
	return &stage{
		t: t, trace: newTrace(), lanes: map[string]executor.Submitter{},
	}
}

// perform does a command, and returns when all is at rest.
func (st *stage) perform(text string) error {
	clauses := strings.Split(text, ", ")
	c := &command{stage: st, text: clauses[0], clauses: clauses[1:]}
	if err := say(commands, clauses[0], c); err != nil {
		return err
	}
	if len(c.clauses) > 0 && c.err == nil {
		c.err = fmt.Errorf("%q has no clauses", c.text)
	}
	if c.err != nil {
		return c.err
	}
	synctest.Wait()
	return nil
}

// end ends the pool if the story has not, and checks that its figures agree.
func (st *stage) end() {
	require.NotNil(st.t, st.pool, "a story without a pool")
	st.pool.ShutdownNow()
	time.Sleep(1000 * time.Hour) // bodies that ignore their contexts
	require.NoError(st.t, st.pool.AwaitTermination(st.t.Context()))
	pooltest.NothingLost(st.t, st.pool.Stats())
	st.tasks.Range(func(name, t any) bool {
		if a := t.(*task).accepted.Load(); a != nil && a.future != nil {
			assert.True(st.t, isSettled(a.future), "the future of %s is not settled", name)
		}
		return true
	})
}

func isSettled(f *future.Future[struct{}]) bool {
	_, ok := f.Poll()
	return ok
}

// call calls the pool on a goroutine of its own, as the call may have to wait. What it returns is
// shown when it has returned, after the name of the command: at once only if there is something to
// say.
func (st *stage) call(name string, f func() string) {
	start := time.Now()
	go func() {
		done := st.trace.calling()
		said := f()
		switch {
		case said != "":
			done(name + " returns " + said)
		case time.Since(start) > 0:
			done(name + " returns")
		default:
			done("")
		}
	}()
}

// act calls the pool, which answers at once and says nothing.
func (st *stage) act(f func()) { st.call("", func() string { f(); return "" }) }

// task returns the latest task of that name that was submitted.
func (st *stage) task(name string) *task {
	t, ok := st.tasks.Load(name)
	require.True(st.t, ok, "no task %s has been submitted", name)
	return t.(*task)
}

// handed lists tasks that a pool shows or has handed back.
func handed(tasks []executor.Pending) string {
	if len(tasks) == 0 {
		return "nothing"
	}
	return strings.Join(pooltest.Names(tasks), " ")
}

// listed shows tasks that wait, with their times.
func (st *stage) listed(tasks []executor.Pending) string {
	var texts []string
	for _, p := range tasks {
		text := p.Name
		if !p.Scheduled.IsZero() {
			text += " (" + strings.TrimSpace(st.trace.shown(p.Scheduled)) + ")"
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		return "nothing"
	}
	return strings.Join(texts, " ")
}

// result is what a call returns that has only an error to return.
func result(err error) string { return strings.TrimPrefix(failure(err), ": ") }

// figures are the figures of a pool that are not zero.
func figures(s executor.Stats) string {
	now := []string{s.State}
	if s.Paused {
		now = append(now, "paused")
	}
	then := []string{}
	count := func(texts *[]string, name string, n int) {
		if n > 0 {
			*texts = append(*texts, fmt.Sprintf("%s %d", name, n))
		}
	}
	count(&now, "workers", s.Workers)
	count(&now, "busy", s.Busy)
	count(&now, "queued", s.Queued)
	count(&now, "blocked", s.Blocked)
	count(&now, "overrunning", s.Overrunning)
	count(&then, "accepted", int(s.Accepted))
	count(&then, "rejected", int(s.Rejected))
	count(&then, "completed", int(s.Completed))
	count(&then, "cancelled", int(s.Cancelled))
	count(&then, "returned", int(s.Returned))
	count(&then, "runs", int(s.Runs))
	count(&then, "failures", int(s.Failures))
	count(&then, "skipped", int(s.Skipped))
	count(&then, "retries", int(s.Retries))
	count(&then, "expired", int(s.Expired))
	count(&then, "timed out", int(s.TimedOut))
	return strings.Join(slices.Concat(now, then), ", ")
}
