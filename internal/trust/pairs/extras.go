package pairs

import (
	"context"
	"sync"

	"github.com/punctual-go/punctual/executor"
)

// extras are tasks of the life's own, which do nothing and have no records.
type extras struct {
	mu    sync.Mutex // guards the rest; it is a leaf
	tasks int
	runs  int
}

// submit submits one.
func (e *extras) submit(to executor.Submitter) {
	if to.Execute(e.body, executor.Name("extra")) == nil {
		e.add(1)
	}
}

func (e *extras) body(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.runs++
	return nil
}

// add counts tasks that were accepted.
func (e *extras) add(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tasks += n
}

func (e *extras) count() (tasks, runs int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.tasks, e.runs
}
