package trials

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/rights"
	"github.com/punctual-go/punctual/contrib/inspectcluster"
)

// together sends a request several times at once, and counts the answers by their codes.
func (v *viewer) together(r *http.Request, times int) map[int]int {
	v.t.Helper()
	body, err := io.ReadAll(r.Body)
	require.NoError(v.t, err)
	client := *v.client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	var all sync.WaitGroup
	var mu sync.Mutex
	codes := map[int]int{}
	for range times {
		again := r.Clone(v.t.Context())
		again.Body = io.NopCloser(bytes.NewReader(body))
		all.Go(func() {
			answer, err := client.Do(again)
			if !assert.NoError(v.t, err) {
				return
			}
			_ = answer.Body.Close()
			mu.Lock()
			defer mu.Unlock()
			codes[answer.StatusCode]++
		})
	}
	all.Wait()
	return codes
}

// A button that many press at once, in as many tabs, runs a task again once, one by one and all of
// a name alike.
func TestAButtonThatManyPress(t *testing.T) {
	s := newShop(t)
	pool := join(t, s.address, rights.Operator, cluster.Instance("page"))
	v := look(t, pool, inspectcluster.Options{})
	v.until("panel/tasks/failed", "3 in all")
	page, err := pool.Failed(t.Context(), cluster.FailedFilter{}, 0, 0)
	require.NoError(t, err)
	s.failing.Store(false)
	at := detailOf(page.Rows[0])
	codes := v.together(v.button(at, at, "redrive"), 6)
	assert.Equal(t, 6, codes[http.StatusSeeOther], "who is late is told that nothing was done: %v", codes)
	require.Eventually(t, func() bool { return s.mailed.Load() == 1 }, time.Minute, 10*time.Millisecond)

	name := "panel/tasks/name/mail"
	v.until(name, "version=2")
	codes = v.together(v.button(name, name, "redrive"), 6)
	assert.Equal(t, 6, codes[http.StatusSeeOther]+codes[http.StatusConflict], "%v", codes)
	require.Eventually(t, func() bool { return s.mailed.Load() == 3 }, time.Minute, 10*time.Millisecond)
	f, err := cluster.Submit(t.Context(), pool, s.mail, "the last one")
	require.NoError(t, err)
	_, err = f.Get(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 4, s.mailed.Load(), "nothing ran twice")
}
