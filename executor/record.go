package executor

import (
	"io"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/sight"
	"github.com/punctual-go/punctual/executor/internal/tape"
)

// Record has a pool or event loop write down what becomes of its tasks: a JSON object a line for
// each submission, each beginning and end of a run, and whatever else an [Observer] is told.
// Package executor/replay turns that into a test. Of a task it has the name and the options about
// times; of a failure, that it was one. Bodies, errors and values are not recorded.
//
// An event takes about fifty bytes and a microsecond, so a run of a microsecond takes about twice
// as long. It is written by a goroutine of its own, in blocks, or after a second. If w is slow, up
// to 4 MiB wait for it, and what is beyond is left out and counted. A recording ends at 64 MiB. An
// error of w, a panic, or a Goexit, is reported like the panic of a hook, and ends it too. The rest
// is written before the executor has terminated, so that waits for w: a w that waits for that gets
// [future.ErrSelfWait]. Record panics if w is nil; an option with one w is for one executor.
func Record(w io.Writer) CommonOption {
	if w == nil {
		panic("executor: nil writer")
	}
	return forLoops(func(s *run.Settings) {
		c := sight.ConfigOf(s)
		c.Observed = true
		c.Record = func(o *run.Owner) sight.Recorder { return tape.NewWriter(w, o) }
	})
}
