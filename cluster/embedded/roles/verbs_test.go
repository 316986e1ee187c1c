package roles

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/rights"
	"github.com/punctual-go/punctual/timer/cron"
)

// Who may do what: the roles of package rights.
var (
	mayMake    = []rights.Role{rights.Admin}
	mayServe   = []rights.Role{rights.Admin, rights.Worker}
	mayOperate = []rights.Role{rights.Admin, rights.Operator}
	mayDrop    = []rights.Role{rights.Admin, rights.Worker, rights.Operator}
	mayInspect = []rights.Role{rights.Admin, rights.Operator, rights.Viewer}
	mayObserve = []rights.Role{rights.Admin, rights.Worker, rights.Operator, rights.Viewer}
	maySubmit  = []rights.Role{rights.Admin, rights.Worker, rights.Operator, rights.Submitter}
	mayLook    = append(maySubmit[:4:4], rights.Viewer)
)

// verb is something that a process does with a pool, and who may. It returns the error of the verb;
// what it takes to get there is done by the administrator.
type verb struct {
	name string
	by   []rights.Role
	do   func(*visit) error
}

// visit is a process that tries verbs, beside one of the administrator.
type visit struct {
	t    *testing.T
	ctx  context.Context
	conn *nats.Conn
	pool *cluster.Pool

	admin     *cluster.Pool
	adminConn *nats.Conn
}

var visits atomic.Int64

func newVisit(g *guarded) *visit {
	v := &visit{t: g.t, ctx: within(g.t, 2*time.Minute)}
	v.adminConn, v.admin = g.join("admin")
	return v
}

// become makes it the process of a connection.
func (v *visit) become(conn *nats.Conn) {
	v.conn = conn
	var err error
	v.pool, err = cluster.Join(v.ctx, conn)
	require.NoError(v.t, err)
}

// name is one that no other visit uses.
func (v *visit) name(what string) string { return fmt.Sprint(what, visits.Add(1)) }

// echo is a task of a name that nobody serves yet.
func (v *visit) echo() cluster.Task[string, string] {
	return cluster.Define(v.name("echo"), echo, cluster.Lease(time.Second))
}

func echo(_ context.Context, in string) (string, error) { return in, nil }

// served runs a task on a process for as long as do takes.
func (v *visit) served(p *cluster.Pool, task cluster.Runnable, do func() error) error {
	ctx, stop := context.WithCancel(v.ctx)
	served := make(chan error, 1)
	go func() { served <- p.Serve(ctx, task) }()
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-served:
		stop()
		return err
	case err := <-done:
		stop()
		return errors.Join(err, <-served)
	}
}

// adminServed is served by the administrator, in a process of its own.
func (v *visit) adminServed(task cluster.Runnable, do func() error) error {
	return v.served(v.admin, task, do)
}

// waiting is a task that the administrator has submitted for later.
func (v *visit) waiting(task cluster.Task[string, string]) *cluster.Future[string] {
	f, err := cluster.Schedule(v.ctx, v.admin, time.Hour, task, "later")
	require.NoError(v.t, err)
	return f
}

// series is one that the administrator has declared.
func (v *visit) series() *cluster.Series[string] {
	task, name := v.echo(), v.name("series")
	_, err := cluster.AtFixedRate(v.ctx, v.admin, name, time.Hour, time.Hour, task, "in")
	require.NoError(v.t, err)
	s, err := cluster.AttachSeries(v.pool, task, name)
	require.NoError(v.t, err)
	return s
}

func fails(context.Context, string) (string, error) { return "", errors.New("as told") }

// failed is a task in the failed set, and the ID of its only one.
func (v *visit) failed(
	task cluster.Task[string, string], opts ...cluster.SubmitOption,
) (cluster.FailedFilter, string) {
	f, err := cluster.Submit(v.ctx, v.admin, task, "in", opts...)
	require.NoError(v.t, err)
	require.NoError(v.t, v.adminServed(task, func() error {
		_, err := f.Get(v.ctx)
		require.ErrorContains(v.t, err, "as told")
		return nil
	}))
	return cluster.FailedFilter{Task: task.Name()}, f.ID()
}

// submitted is a verb that submits.
func submitted(name string, submit func(*visit, cluster.Task[string, string]) (*cluster.Future[string], error)) verb {
	return verb{name, maySubmit, func(v *visit) error {
		task := v.echo()
		f, err := submit(v, task)
		if err != nil {
			return err
		}
		return v.adminServed(task, func() error {
			_, err := f.Get(v.ctx)
			return err
		})
	}}
}

// declared is a verb that declares a series.
func declared(name string, declare func(*visit, cluster.Task[string, string]) error) verb {
	return verb{name, maySubmit, func(v *visit) error { return declare(v, v.echo()) }}
}

// commanded is a verb about a series.
func commanded(name string, by []rights.Role, command func(context.Context, *cluster.Series[string]) error) verb {
	return verb{name, by, func(v *visit) error { return command(v.ctx, v.series()) }}
}

// verbs are all that a process can do with a pool once it has joined. A new one gets a line here.
var verbs = []verb{
	{"Join, of a pool that is not there", mayMake, func(v *visit) error {
		_, err := cluster.Join(v.ctx, v.conn, cluster.Name("fresh"))
		return err
	}},
	{"Join", mayLook, func(v *visit) error {
		p, err := cluster.Join(v.ctx, v.conn)
		if err == nil {
			p.Close()
		}
		return err
	}},
	submitted("Submit", func(v *visit, t cluster.Task[string, string]) (*cluster.Future[string], error) {
		return cluster.Submit(v.ctx, v.pool, t, "in")
	}),
	submitted("Once", func(v *visit, t cluster.Task[string, string]) (*cluster.Future[string], error) {
		return cluster.Submit(v.ctx, v.pool, t, "in", cluster.Once("key"))
	}),
	submitted("OnceUnlessFailed", func(v *visit, t cluster.Task[string, string]) (*cluster.Future[string], error) {
		return cluster.Submit(v.ctx, v.pool, t, "in", cluster.OnceUnlessFailed("key"))
	}),
	submitted("Schedule", func(v *visit, t cluster.Task[string, string]) (*cluster.Future[string], error) {
		return cluster.Schedule(v.ctx, v.pool, time.Second, t, "in")
	}),
	submitted("ScheduleAt", func(v *visit, t cluster.Task[string, string]) (*cluster.Future[string], error) {
		return cluster.ScheduleAt(v.ctx, v.pool, time.Now().Add(time.Second), t, "in")
	}),
	{"Get of another's outcome", mayLook, func(v *visit) error {
		task := v.echo()
		f, err := cluster.Schedule(v.ctx, v.admin, time.Second, task, "in")
		require.NoError(v.t, err)
		return v.adminServed(task, func() error {
			_, err := cluster.Attach(v.pool, task, f.ID()).Get(v.ctx) // it waits for it
			if err == nil {
				_, err = cluster.Attach(v.pool, task, f.ID()).Get(v.ctx) // it is recorded
			}
			return err
		})
	}},
	{"Cancel of another's task", maySubmit, func(v *visit) error {
		task := v.echo()
		prevented, err := cluster.Attach(v.pool, task, v.waiting(task).ID()).Cancel(v.ctx)
		if err == nil {
			require.True(v.t, prevented)
		}
		return err
	}},
	declared("AtFixedRate", func(v *visit, t cluster.Task[string, string]) error {
		_, err := cluster.AtFixedRate(v.ctx, v.pool, "rate", 0, time.Hour, t, "in")
		return err
	}),
	declared("WithFixedDelay", func(v *visit, t cluster.Task[string, string]) error {
		_, err := cluster.WithFixedDelay(v.ctx, v.pool, "delay", 0, time.Hour, t, "in")
		return err
	}),
	declared("On", func(v *visit, t cluster.Task[string, string]) error {
		_, err := cluster.On(v.ctx, v.pool, "calendar", cron.MustParse("* * * * *"), t, "in")
		return err
	}),
	commanded("Series.Pause", maySubmit, func(ctx context.Context, s *cluster.Series[string]) error {
		return s.Pause(ctx)
	}),
	{"Series.Resume", maySubmit, func(v *visit) error {
		task, name := v.echo(), v.name("series")
		s, err := cluster.AtFixedRate(v.ctx, v.admin, name, time.Hour, time.Hour, task, "in")
		require.NoError(v.t, err)
		require.NoError(v.t, s.Pause(v.ctx))
		if s, err = cluster.AttachSeries(v.pool, task, name); err != nil {
			return err
		}
		return s.Resume(v.ctx)
	}},
	commanded("Series.Trigger", maySubmit, func(ctx context.Context, s *cluster.Series[string]) error {
		return s.Trigger(ctx)
	}),
	commanded("Series.Cancel", maySubmit, func(ctx context.Context, s *cluster.Series[string]) error {
		return s.Cancel(ctx)
	}),
	commanded("Series.Next", mayLook, func(ctx context.Context, s *cluster.Series[string]) error {
		_, err := s.Next(ctx)
		return err
	}),
	{"SeriesByName, Pause and Cancel", maySubmit, func(v *visit) error {
		task, name := v.echo(), v.name("series")
		_, err := cluster.On(v.ctx, v.admin, name, cron.MustParse("* * * * *"), task, "in")
		require.NoError(v.t, err)
		s, err := v.pool.SeriesByName(task.Name(), name)
		require.NoError(v.t, err)
		if err := s.Pause(v.ctx); err != nil {
			return err
		}
		return s.Cancel(v.ctx)
	}},
	{"CancelTask", maySubmit, func(v *visit) error {
		prevented, err := v.pool.CancelTask(v.ctx, v.waiting(v.echo()).ID())
		if err == nil {
			require.True(v.t, prevented)
		}
		return err
	}},
	{"Tasks", mayInspect, func(v *visit) error {
		task := v.echo()
		v.waiting(task)
		for { // its name is written beside
			list, err := v.pool.Tasks(v.ctx)
			if err != nil {
				return err
			}
			for _, s := range list {
				if s.Task == task.Name() {
					require.EqualValues(v.t, 1, s.Waiting)
					return nil
				}
			}
		}
	}},
	{"List", mayInspect, func(v *visit) error {
		task := v.echo()
		f := v.waiting(task)
		page, err := v.pool.List(v.ctx, cluster.Query{Task: task.Name()})
		if err == nil {
			require.Len(v.t, page.Rows, 1)
			require.Equal(v.t, f.ID(), page.Rows[0].ID)
		}
		return err
	}},
	{"Task", mayInspect, func(v *visit) error {
		_, err := v.pool.Task(v.ctx, v.waiting(v.echo()).ID())
		return err
	}},
	{"Series, SeriesDetail and History", mayInspect, func(v *visit) error {
		s := v.series()
		page, err := v.pool.Series(v.ctx, cluster.Query{Limit: 1000})
		if err != nil {
			return err
		}
		for _, row := range page.Rows {
			if row.Series == s.Name() {
				_, err = v.pool.SeriesDetail(v.ctx, row.Task, row.Series)
				require.NoError(v.t, err)
				_, err = v.pool.History(v.ctx, row.Task, row.Series)
				return err
			}
		}
		require.Fail(v.t, "the series is not listed")
		return nil
	}},
	{"Workers", mayInspect, func(v *visit) error {
		_, err := v.pool.Workers(v.ctx)
		return err
	}},
	{"Overdue", mayInspect, func(v *visit) error {
		v.series()
		_, err := v.pool.Overdue(v.ctx, time.Minute)
		return err
	}},
	{"SeriesStats", mayInspect, func(v *visit) error {
		v.series()
		_, err := v.pool.SeriesStats(v.ctx, time.Minute)
		return err
	}},
	{"Audit", mayInspect, func(v *visit) error {
		_, err := v.pool.Audit(v.ctx, 10)
		return err
	}},
	{"Note", maySubmit, func(v *visit) error {
		return v.pool.Note(v.ctx, cluster.AuditEntry{Verb: "try"})
	}},
	{"Stats", mayLook, func(v *visit) error {
		_, err := v.pool.Stats(v.ctx)
		return err
	}},
	{"Failed", mayInspect, func(v *visit) error {
		task := cluster.Define(v.name("fails"), fails)
		f, id := v.failed(task)
		for n := range 60 { // so many that they do not come at once
			letter := fmt.Sprint("punctual.tasks.dead.", task.Name(), ".a.", n)
			_, err := v.adminConn.RequestWithContext(v.ctx, letter, nil)
			require.NoError(v.t, err)
		}
		page, err := v.pool.Failed(v.ctx, f, 0, 0)
		if err != nil {
			return err
		}
		require.Greater(v.t, len(page.Rows), 50)
		_, err = v.pool.Failed(v.ctx, cluster.FailedFilter{IDs: []string{id}}, 0, 0)
		return err
	}},
	{"Redrive", mayOperate, func(v *visit) error {
		f, _ := v.failed(cluster.Define(v.name("fails"), fails))
		done, err := v.pool.Redrive(v.ctx, f)
		if err == nil {
			require.Len(v.t, done, 1)
		}
		return err
	}},
	{"Redrive, of a task of Once", mayOperate, func(v *visit) error {
		f, _ := v.failed(cluster.Define(v.name("fails"), fails), cluster.OnceUnlessFailed("key"))
		_, err := v.pool.Redrive(v.ctx, f)
		return err
	}},
	{"Discard", mayOperate, func(v *visit) error {
		f, _ := v.failed(cluster.Define(v.name("fails"), fails))
		n, err := v.pool.Discard(v.ctx, f)
		if err == nil {
			require.Equal(v.t, 1, n)
		}
		return err
	}},
	{"Serve", mayServe, func(v *visit) error {
		task := v.echo()
		f, err := cluster.Submit(v.ctx, v.admin, task, "in")
		require.NoError(v.t, err)
		return v.served(v.pool, task, func() error {
			_, err := f.Get(v.ctx)
			return err
		})
	}},
	{"removing of a consumer", mayMake, func(v *visit) error {
		task := v.echo()
		v.takeWithoutRunning(task, func(m jetstream.Msg) error { return m.Nak() })
		js, err := jetstream.New(v.conn)
		require.NoError(v.t, err)
		ctx, cancel := context.WithTimeout(v.ctx, 2*time.Second)
		defer cancel()
		err = js.DeleteConsumer(ctx, "PUNCTUAL_tasks", task.Name())
		if errors.Is(v.conn.LastError(), nats.ErrPermissionViolation) {
			return errors.Join(cluster.ErrPermission, err)
		}
		return err
	}},
}

// duties are what a worker does besides, when it has to.
var duties = []verb{
	{"Serve, of a series", mayServe, func(v *visit) error {
		ran := make(chan struct{}, 100)
		task := cluster.Define(v.name("tick"), func(context.Context, string) (string, error) {
			ran <- struct{}{}
			return "", nil
		})
		s, err := cluster.AtFixedRate(v.ctx, v.admin, "tick", 0, time.Second, task, "in")
		require.NoError(v.t, err)
		return v.served(v.pool, task, func() error {
			<-ran
			<-ran
			return s.Cancel(v.ctx)
		})
	}},
	{"Serve, of what cannot be decoded", mayServe, func(v *visit) error {
		task := v.echo()
		bad := cluster.Define(task.Name(), func(context.Context, int) (string, error) { return "", nil })
		f, err := cluster.Submit(v.ctx, v.admin, bad, 1)
		require.NoError(v.t, err)
		return v.served(v.pool, task, func() error {
			_, err := f.Get(v.ctx)
			require.ErrorIs(v.t, err, cluster.ErrAbandoned)
			return nil
		})
	}},
	{"Serve, of what another has given back", mayServe, func(v *visit) error {
		task := v.echo()
		f := v.takeWithoutRunning(task, func(m jetstream.Msg) error { return m.Nak() })
		return v.served(v.pool, task, func() error {
			_, err := f.Get(v.ctx)
			return err
		})
	}},
	{"Serve, of what the server has forgotten", mayServe, func(v *visit) error {
		task := v.echo()
		f := v.takeWithoutRunning(task, func(m jetstream.Msg) error { return m.DoubleAck(v.ctx) })
		return v.served(v.pool, task, func() error {
			_, err := f.Get(v.ctx) // it is swept after its lease and ten seconds
			require.NoError(v.t, err)
			for stats := (cluster.Stats{}); stats.Healed == 0; time.Sleep(10 * time.Millisecond) {
				stats, err = v.admin.Stats(v.ctx)
				require.NoError(v.t, err)
			}
			return nil
		})
	}},
	{"Serve, of what has a rate", mayServe, func(v *visit) error {
		task := cluster.Define(v.name("paced"), echo, cluster.Lease(time.Second),
			cluster.Rate[string](1, time.Second, nil))
		f, err := cluster.Submit(v.ctx, v.admin, task, "in")
		require.NoError(v.t, err)
		return v.served(v.pool, task, func() error {
			_, err := f.Get(v.ctx)
			return err
		})
	}},
	{"Serve, of what was kept as failed and has not failed", mayServe, func(v *visit) error {
		task := v.echo()
		f := v.takeWithoutRunning(task, func(m jetstream.Msg) error {
			letter := strings.Replace(m.Subject(), ".run."+task.Name()+".o.", ".dead."+task.Name()+".", 1)
			_, err := v.adminConn.RequestWithContext(v.ctx, letter, nil)
			return errors.Join(err, m.Nak())
		})
		return v.served(v.pool, task, func() error {
			_, err := f.Get(v.ctx)
			require.NoError(v.t, err)
			page, err := v.admin.Failed(v.ctx, cluster.FailedFilter{Task: task.Name()}, 0, 0)
			require.Empty(v.t, page.Rows)
			return err
		})
	}},
	{"Serve, of what takes as long as its lease", mayServe, func(v *visit) error {
		task := cluster.Define(v.name("long"), func(ctx context.Context, _ string) (string, error) {
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
			return "", nil
		}, cluster.Lease(time.Second))
		f, err := cluster.Submit(v.ctx, v.admin, task, "in")
		require.NoError(v.t, err)
		return v.served(v.pool, task, func() error {
			_, err := f.Get(v.ctx)
			return err
		})
	}},
	{"Serve, of what another serves with another lease", mayServe, func(v *visit) error {
		task := v.echo()
		serve := func(p *cluster.Pool, lease time.Duration) error {
			f, err := cluster.Submit(v.ctx, v.admin, task, "in")
			require.NoError(v.t, err)
			return v.served(p, cluster.Define(task.Name(), echo, cluster.Lease(lease)), func() error {
				_, err := f.Get(v.ctx)
				return err
			})
		}
		require.NoError(v.t, serve(v.admin, time.Second))
		return serve(v.pool, 2*time.Second)
	}},
}

// takeWithoutRunning submits a task, takes it from the server as a worker would, and does something
// else with it.
func (v *visit) takeWithoutRunning(
	task cluster.Task[string, string], do func(jetstream.Msg) error,
) *cluster.Future[string] {
	first, err := cluster.Submit(v.ctx, v.admin, task, "first")
	require.NoError(v.t, err)
	require.NoError(v.t, v.adminServed(task, func() error { // so that there is a consumer
		_, err := first.Get(v.ctx)
		return err
	}))
	f, err := cluster.Submit(v.ctx, v.admin, task, "in")
	require.NoError(v.t, err)
	js, err := jetstream.New(v.adminConn)
	require.NoError(v.t, err)
	consumer, err := js.Consumer(v.ctx, "PUNCTUAL_tasks", task.Name())
	require.NoError(v.t, err)
	m, err := consumer.Next()
	require.NoError(v.t, err)
	require.NoError(v.t, do(m))
	return f
}
