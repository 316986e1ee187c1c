package simulate

import (
	"context"
	"runtime"
	"time"
)

// body is what a host runs, with a value.
func (j *job) body(ctx context.Context) (int, error) { return j.id, j.run(ctx) }

// run is what a host runs.
func (j *job) run(ctx context.Context) error {
	p := j.program
	g := p.threads.begin(j, ctx)
	defer p.threads.end(j, g) // also by Goexit
	time.Sleep(j.takes)
	for _, c := range j.calls {
		p.player.perform(c, j.scope())
	}
	time.Sleep(j.rest)
	switch j.ends {
	case fails:
		return p.callbacks.failure(j)
	case panics:
		panic(p.callbacks.failure(j))
	case exits:
		runtime.Goexit()
	}
	return nil
}
