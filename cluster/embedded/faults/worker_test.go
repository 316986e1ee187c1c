package faults

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/internal/wall"
	"github.com/punctual-go/punctual/executor/retry"
)

// workerConfig is what a worker process is told.
type workerConfig struct {
	Name    string
	URL     string // the servers', unless told
	Dir     string // of the journals
	Workers int    // four unless told
	Lease   time.Duration
	Grace   time.Duration // the package's unless told
	Wrong   time.Duration // of its clock
	Tasks   []string      // which it serves; all but the bomb if empty
	AtOnce  int           // of its work; no limit unless told
	Rate    int           // of its work in a second, for each life; no limit unless told

	// Series it declares, period each, when it starts.
	Series int
	Period time.Duration
	In     input

	// Calendars it declares, by the second, and their generation.
	Calendars  int
	Generation uint64

	Submit   int    // submit so many tasks, and wait to be killed
	AfterArm string // exit right after the next run of this series was stored, before the ack
	AfterLog string // exit right after the package has logged this
}

// input tells a run what to do.
type input struct {
	Sleep time.Duration
	Do    string // exit: kill the process; deaf: do not look at the context; fail: return an error;
	// mended: fail until the trial is mended; try: fail before attempt N;
	// second: kill the process in the second run of a series;
	// first: sleep at the first attempt of a series' second run only
	N    int
	Life int // of the series
}

// exitAsTold is the status of a worker that a task has killed.
const exitAsTold = 3

// tasks are those of all trials. They tell a journal what they do.
type tasks struct {
	work, tick, bomb, push cluster.Task[input, int]
}

// pushes are the waits of a task that is tried again. They do not vary, and are long enough for the
// server to have it meanwhile.
var pushes = retry.Backoff{Base: 800 * time.Millisecond, Factor: 1.2, Spread: retry.NoSpread}

// mostPushes is how often it may fail.
const mostPushes = 10

func makeTasks(j *journal, lease time.Duration, limits ...cluster.TaskOption) tasks {
	body := func(task string) func(context.Context, input) (int, error) {
		return func(ctx context.Context, in input) (int, error) {
			run, _ := cluster.RunFrom(ctx)
			e := event{Kind: "start", Task: task, ID: run.ID, Series: run.Series, Number: run.Number,
				Planned: run.Scheduled, Attempt: run.Attempt, Fence: run.Fence, Missed: run.Missed,
				Life: in.Life}
			j.write(e)
			if in.Do == "second" && run.Number == 2 {
				os.Exit(exitAsTold)
			}
			if in.Do == "first" && (run.Number != 2 || run.Attempt != 1) {
				in.Sleep = 0
			}
			err := in.act(ctx)
			if in.Do == "mended" && !j.mended() || in.Do == "try" && run.Attempt < in.N {
				err = errAsTold
			}
			e.Kind = "end"
			if cause := context.Cause(ctx); cause != nil {
				e.Text = cause.Error()
			}
			j.write(e)
			return in.N, err
		}
	}
	return tasks{
		work: cluster.Define("work", body("work"), append(limits, cluster.Lease(lease))...),
		tick: cluster.Define("tick", body("tick"), cluster.Lease(lease)),
		bomb: cluster.Define("bomb", body("bomb"), cluster.Lease(lease), cluster.Attempts(2)),
		push: cluster.Define("push", body("push"), cluster.Lease(lease),
			cluster.Retry(mostPushes, pushes)),
	}
}

func (in input) act(ctx context.Context) error {
	switch in.Do {
	case "exit":
		os.Exit(exitAsTold)
	case "fail":
		return errAsTold
	case "deaf":
		time.Sleep(in.Sleep)
		return nil
	}
	if in.Sleep > 0 {
		select {
		case <-time.After(in.Sleep):
		case <-ctx.Done():
		}
	}
	return nil
}

// work is the life of a worker process.
func work(c workerConfig) error {
	wall.Misset(c.Wrong)
	j, err := openJournal(c.Dir, c.Name)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	nc, err := connect(c.URL)
	if err != nil {
		return err
	}
	defer nc.Close()
	p, err := cluster.Join(ctx, nc, cluster.Workers(cmp.Or(c.Workers, 4)), cluster.Instance(c.Name),
		cluster.Grace(cmp.Or(c.Grace, 30*time.Second)),
		cluster.Logger(slog.New(&toJournal{journal: j, exitAfter: c.AfterArm, exitAt: c.AfterLog})))
	if err != nil {
		return err
	}
	if c.Submit > 0 {
		return submitAndHang(ctx, p, j, c.Submit)
	}
	all := makeTasks(j, c.Lease, c.limits()...)
	for i := range c.Series {
		if _, err := cluster.AtFixedRate(ctx, p, seriesName(i), c.Period, c.Period, all.tick, c.In); err != nil {
			return err
		}
	}
	for i := range c.Calendars {
		if _, err := declareCalendar(ctx, p, all.tick, i, c.Generation); err != nil {
			return err
		}
	}
	if len(c.Tasks) == 0 {
		c.Tasks = []string{all.work.Name(), all.tick.Name()}
	}
	var serve []cluster.Runnable
	for _, t := range []cluster.Task[input, int]{all.work, all.tick, all.bomb, all.push} {
		if slices.Contains(c.Tasks, t.Name()) {
			serve = append(serve, t)
		}
	}
	j.write(event{Kind: "ready"})
	return p.Serve(ctx, serve...)
}

// limits are those of its work.
func (c workerConfig) limits() (opts []cluster.TaskOption) {
	if c.AtOnce > 0 {
		opts = append(opts, cluster.AtOnce(c.AtOnce))
	}
	if c.Rate > 0 {
		opts = append(opts, cluster.Rate(c.Rate, time.Second,
			func(in input) string { return strconv.Itoa(in.Life) }))
	}
	return opts
}

// declareCalendar declares a series of a calendar as all of one release do.
func declareCalendar(
	ctx context.Context, p *cluster.Pool, tick cluster.Task[input, int], i int, generation uint64,
) (*cluster.Series[int], error) {
	return cluster.On(ctx, p, calendarName(i), named(time.Second), tick,
		input{Sleep: 50 * time.Millisecond, N: int(generation), Life: 1},
		cluster.Generation(generation))
}

func calendarName(i int) string { return fmt.Sprint("calendar-", i) }

func seriesName(i int) string { return "series " + string(rune('A'+i/26)) + string(rune('a'+i%26)) }

func connect(url string, opts ...nats.Option) (*nats.Conn, error) {
	return nats.Connect(url, append([]nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(50 * time.Millisecond),
		nats.ReconnectJitter(10*time.Millisecond, 10*time.Millisecond),
		nats.RetryOnFailedConnect(true), nats.Timeout(time.Second),
		nats.PingInterval(time.Second), nats.MaxPingsOutstanding(2),
	}, opts...)...)
}

// toJournal is a log handler that tells the journal what the package says.
type toJournal struct {
	journal   *journal
	exitAfter string
	exitAt    string
}

func (*toJournal) Enabled(context.Context, slog.Level) bool { return true }
func (h *toJournal) WithAttrs([]slog.Attr) slog.Handler     { return h }
func (h *toJournal) WithGroup(string) slog.Handler          { return h }

func (h *toJournal) Handle(_ context.Context, r slog.Record) error {
	e := event{Kind: "log", Text: r.Message}
	switch {
	case r.Message == "armed":
		e.Kind = "armed"
	case strings.Contains(r.Message, "refused"):
		e.Kind = "refused"
	case r.Message == "run left to another":
		e.Kind = "left"
	case r.Message == "stored anew":
		e.Kind = "retries"
	}
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "number":
			e.Number = a.Value.Uint64()
		case "attempt":
			e.Attempt = int(a.Value.Int64())
		case "due":
			e.Planned, _ = a.Value.Any().(time.Time)
		case "id":
			e.ID = a.Value.String()
		case "run":
			for _, b := range a.Value.Group() {
				if b.Key == "id" {
					e.ID = b.Value.String()
				}
			}
		case "error", "why":
			e.Text += ": " + a.Value.String()
		}
		return true
	})
	h.journal.write(e)
	if h.exitAfter != "" && e.Kind == "armed" && strings.Contains(e.ID, h.exitAfter) {
		os.Exit(4)
	}
	if h.exitAt != "" && strings.HasPrefix(r.Message, h.exitAt) {
		os.Exit(4)
	}
	return nil
}
