package run

import (
	"fmt"
	"runtime/trace"

	"github.com/punctual-go/punctual/future"
)

// callTraced calls the body as a task of the execution tracer, in a region of its own, both named
// after the task. It does not return if the body calls Goexit.
func (x *Execution) callTraced() {
	name := x.Plan.Name
	if name == "" {
		name = "unnamed"
	}
	ctx, task := trace.NewTask(x.Ctx, name)
	defer task.End()
	x.Ctx = ctx
	trace.Log(ctx, "punctual.run", fmt.Sprintf("%s#%d", x.Owner.Subject(name), x.Number()))
	if x.Remark != "" {
		trace.Log(ctx, "punctual.late", x.Remark)
	}
	defer trace.StartRegion(ctx, name).End()
	x.Abrupt = !future.Invoke(ctx, x.Task.Body, &x.Err)
}
