package jobs

import (
	"net/http"
	"time"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// NewPool makes a pool that says why a run was late: in the log, and on a page.
func NewPool(mux *http.ServeMux) *executor.ScheduledPool {
	pool := executor.NewScheduledPool(2, executor.Name("jobs"), executor.Watch(insight.Config{
		ExplainLate: 100 * time.Millisecond, // what is later than this is logged
		History:     true,                   // ten minutes of it, for the page
	}))
	mux.Handle("/punctual/", inspect.Handler(pool))
	return pool
}
