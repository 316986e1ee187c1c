package inspect_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	bounded "github.com/punctual-go/punctual/executor/queue"
)

// A pool that refuses tasks says so while it does, and shows how many there have been.
func TestRefusedTasksAreShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1, executor.Name("mail"), executor.Queue(bounded.Bounded(1)))
		defer p.Close()
		page := inspect.Handler(p)
		told := func() []string { v, _ := wrongAt(t, page, "/"); return v.told() }
		refuse := func() {
			t.Helper()
			require.ErrorIs(t, p.Execute(sleep(0)), executor.ErrSaturated)
		}
		require.NoError(t, p.Execute(sleep(8*time.Second)))
		synctest.Wait()
		require.NoError(t, p.Execute(sleep(0)))
		refuse()
		assert.Empty(t, told(), "nobody has looked before")
		since := time.Now()
		time.Sleep(time.Second)
		refuse()
		refuse()
		v, html := wrongAt(t, page, "/")
		assert.Equal(t, []string{"mail: refusing"}, v.told())
		assert.Equal(t, "2 submissions refused", v.Wrong.Shown[0].Reason)
		assert.True(t, since.Equal(v.Wrong.Shown[0].Since))
		assert.Equal(t, "refusing", v.Shows)
		assert.Contains(t, html, "<dt>refused</dt><dd>3")
		for range 10 {
			time.Sleep(time.Second)
			assert.Equal(t, []string{"mail: refusing"}, told())
		}
		time.Sleep(time.Second)
		assert.Empty(t, told(), "none for more than ten seconds")
		time.Sleep(time.Minute)
		require.NoError(t, p.Execute(sleep(time.Second)))
		synctest.Wait()
		require.NoError(t, p.Execute(sleep(0)))
		refuse()
		assert.Empty(t, told(), "nobody knows when it was")
	})
}

// A task that can't keep up misses periods without any failure.
func TestATaskThatCannotKeepUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(3, executor.Name("jobs"), executor.Watch(insight.Config{History: true}),
			executor.Logger(slog.New(slog.DiscardHandler)))
		defer p.Close()
		every := func(name string, body executor.Task) executor.Handle {
			f, err := p.Every(time.Second, body, executor.Name(name))
			require.NoError(t, err)
			return f.Handle
		}
		slow := every("export", sleep(3500*ms))
		runs := 0
		every("stalled once", func(ctx context.Context) error {
			if runs++; runs == 4 {
				return sleep(5 * time.Second)(ctx)
			}
			return nil
		})
		page := inspect.Handler(p)
		time.Sleep(9900 * ms) // two runs have ended that were late, and the stall
		v, _ := wrongAt(t, page, "/")
		assert.Empty(t, v.told())
		time.Sleep(10 * time.Second)
		v, html := wrongAt(t, page, "/")
		assert.Equal(t, []string{"jobs: behind export"}, v.told())
		assert.Regexp(t, `its runs take longer than its period of 1 s since .* or before; \d+ periods missed in all`,
			html)
		assert.Contains(t, html, `<span class="badge s-behind">worst: behind</span>`)
		slow.Pause()
		time.Sleep(5 * time.Second)
		v, _ = wrongAt(t, page, "/")
		assert.Empty(t, v.told(), "it is paused")
	})
}
