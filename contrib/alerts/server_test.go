package alerts_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/alerts"
	"github.com/punctual-go/punctual/executor"
)

// A real server: one answer has no end, one leads elsewhere with the secret, one is as it should be.
func TestRealServers(t *testing.T) {
	var elsewhere, pings atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	endless := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/endless":
			block := make([]byte, 1<<20)
			for range 1 << 10 {
				if _, err := w.Write(block); err != nil {
					endless <- err
					return
				}
			}
			endless <- nil
		case "/leads":
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		case "/fine":
			pings.Add(1)
		}
	}))
	defer server.Close()
	a, err := alerts.New(alerts.Config{AllowHTTP: true, Heartbeats: map[string]string{
		"endless": server.URL + "/endless", "leads": server.URL + "/leads", "fine": server.URL + "/fine?k=v",
	}})
	require.NoError(t, err)
	p := executor.NewPool(1, executor.Observe(a.Observer()))
	for _, name := range []string{"endless", "leads", "fine", "unknown"} {
		require.NoError(t, p.Execute(nothing, executor.Name(name)))
	}
	require.NoError(t, p.Close())
	require.NoError(t, a.Close(t.Context()))
	require.Error(t, <-endless, "a gigabyte was not read")
	assert.Zero(t, elsewhere.Load())
	assert.EqualValues(t, 1, pings.Load())
	assert.Equal(t, alerts.Stats{Sent: 2, Dropped: 1}, a.Stats())
}
