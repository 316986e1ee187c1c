// Package jobs has the files that README.md shows, each as it is there; executor/firstpage_test.go
// compares them. This file has what README.md does not show: what comes of them.
package jobs

import (
	"bytes"
	"context"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

// TestTheLogLineOfTheReadme has two imports hold both workers while a poll is due.
func TestTheLogLineOfTheReadme(t *testing.T) {
	var logged bytes.Buffer
	before := log.Writer()
	log.SetOutput(&logged)
	defer log.SetOutput(before)
	log.SetFlags(0)
	defer log.SetFlags(log.LstdFlags)

	synctest.Test(t, func(t *testing.T) {
		mux := http.NewServeMux()
		pool := NewPool(mux)
		defer pool.Close()
		_, err := pool.Every(5*time.Second, func(context.Context) error { return nil }, executor.Name("poll"))
		require.NoError(t, err)
		imports := func(name string, took time.Duration) {
			slow := func(context.Context) error { time.Sleep(took); return nil }
			require.NoError(t, pool.Execute(slow, executor.Name(name)))
		}
		time.Sleep(79 * time.Second)
		imports("import-1", 9200*time.Millisecond)
		time.Sleep(3 * time.Second)
		imports("import-2", 9*time.Second)
		time.Sleep(time.Minute)

		page := httptest.NewRecorder()
		mux.ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/punctual/", nil))
		require.Equal(t, http.StatusOK, page.Code)
	})
	readme, err := os.ReadFile("../../../README.md")
	require.NoError(t, err)
	require.NotEmpty(t, logged.String())
	require.Contains(t, string(readme), "\n"+logged.String())
}
