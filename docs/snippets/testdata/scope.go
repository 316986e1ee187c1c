// Package scope declares the names that the tables about Java use, so that what they say can be
// checked. A function with the name of a section declares what has another type there.
package scope

import (
	"context"
	"log/slog"
	"math"
	"runtime"
	"time"

	"github.com/punctual-go/punctual/delayqueue"
	. "github.com/punctual-go/punctual/executor"
	executor "github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/fallback"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/executor/supervisor"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/cron"
	"github.com/punctual-go/punctual/timer/hashedwheel"
	"github.com/punctual-go/punctual/timer/hierarchical"
	"github.com/punctual-go/punctual/timer/revolver"
)

type (
	V = int
	K = string
)

var (
	ctx  context.Context
	err  error
	on   bool
	n    int
	core int
	max  int
	line string
	at   time.Time
	zone *time.Location

	d, initial, period, delay, quiet, timeout time.Duration

	pool     *ScheduledPool
	other    *Pool
	task     Task
	fn       future.Func[V]
	fns      []future.Func[V]
	hook     func()
	before   func(context.Context, Run)
	after    func(context.Context, Run, error)
	wrap     func(Task) Task
	next     func(LastRun) (time.Duration, bool)
	waiting  queue.Queue
	policy   rejection.Policy
	backoff  retry.Backoff
	calendar Calendar
	f        *ScheduledFuture[V]
	r        *rejection.Task
	s        *bulk.CompletionService[V]

	v     V
	p     *future.Promise[V]
	a, b  *future.Future[V]
	fs    []*future.Future[V]
	apply func(V) (string, error)

	q    *delayqueue.Queue[string]
	e    string
	item *delayqueue.Item[string]

	t     *timer.Timer
	tick  func()
	wheel *hashedwheel.Wheel
	loop  *eventloop.Loop
)

func everywhere() {}

func Future(f *future.Future[V]) {}

func FutureTask(task *future.Task[V], f *future.Future[V], settled func(future.Result[V])) {}

func CompletableFuture(f *future.Future[V], settled func(future.Result[V])) {}

func Timer(task *timer.Task) {}

func TimerTask(task *timer.Task) {}

var (
	_ = slog.Default
	_ = math.MaxInt
	_ = runtime.GOMAXPROCS
	_ = executor.Submit[V]
	_ = fallback.New[V]
	_ = serial.New
	_ = supervisor.New
	_ = cron.Parse
	_ = hierarchical.New
	_ = revolver.New
)
