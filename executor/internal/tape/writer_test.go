package tape

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
)

// host is one to which the end of a settling means nothing.
type host struct{ run.Host }

func (host) Settled() {}

// A task may be cancelled just as its run ends, so that the end comes after what is the last that
// is told of the task.
func TestTheEndOfARunIsRecordedAfterItsTaskIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		var o run.Owner
		o.Make(run.Env{Clocks: run.Clocks{Clock: clock.New(0)}, Host: host{}, Lock: new(sync.Mutex)})
		w := NewWriter(&text, &o)
		var c cell.Cell
		w.Submitted(&c, &run.Plan{}, 0)
		w.Began(&c, run.Info{Number: 1, Attempt: 1}, 0)
		w.Told("cancelled", &c, true)
		assert.Len(t, w.tasks, 1)
		w.Ended(&c, run.Info{Number: 1, Attempt: 1}, run.Succeeded, false)
		assert.Empty(t, w.tasks, "nothing more is to come")
		time.Sleep(time.Minute)
		synctest.Wait()
		lines := strings.Split(strings.TrimSpace(text.String()), "\n")
		require.Len(t, lines, 5, "the header, submitted, began, cancelled, ended")
		assert.Contains(t, lines[4], `"`+Ended+`"`)
		assert.Contains(t, lines[4], `"last":true`)
	})
}
