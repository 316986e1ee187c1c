package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// Kind makes a job the arguments of a River job.
func (job) Kind() string { return "work" }

func riverDefaults(*river.Config) {}

func riverTuned(c *river.Config) {
	c.FetchCooldown, c.FetchPollInterval = 10*time.Millisecond, 100*time.Millisecond
}

// riverSession is one client of River that inserts and works.
type riverSession struct {
	site   *site
	tune   func(*river.Config)
	url    string
	pg     *postgres // nil in a process that has only joined
	pool   *pgxpool.Pool
	client *river.Client[pgx.Tx]
	cancel func() // of the subscription

	mu      sync.Mutex
	waiting map[int]chan *river.Event // by the job's number
}

func startRiver(tune func(*river.Config)) func(context.Context, *site) (session, error) {
	return func(ctx context.Context, s *site) (session, error) {
		pg, err := newPostgres(s, s.dir)
		if err != nil {
			return nil, err
		}
		r := newRiver(tune, pg.url(), s)
		r.pg = pg
		if err := r.enter(ctx); err != nil {
			pg.halt()
			return nil, err
		}
		return r, nil
	}
}

// joinRiver takes part in it as one of several processes.
func joinRiver(tune func(*river.Config)) func(context.Context, string, *site) (session, error) {
	return func(ctx context.Context, where string, s *site) (session, error) {
		r := newRiver(tune, where, s)
		return r, r.enter(ctx)
	}
}

func newRiver(tune func(*river.Config), url string, s *site) *riverSession {
	return &riverSession{
		site: s, tune: tune, url: url, cancel: func() {}, waiting: map[int]chan *river.Event{},
	}
}

// enter makes this process a client as soon as the server answers.
func (r *riverSession) enter(ctx context.Context) (err error) {
	if r.pool, err = pgxpool.New(ctx, r.url); err != nil {
		return err
	}
	if r.pg != nil {
		if err := r.prepare(ctx); err != nil {
			return err
		}
	}
	config := &river.Config{Logger: slog.New(slog.DiscardHandler)}
	r.tune(config)
	if r.site.workers == 0 {
		r.client, err = river.NewClient(riverpgxv5.New(r.pool), config)
		return err
	}
	config.Queues = map[string]river.QueueConfig{
		river.QueueDefault: {MaxWorkers: r.site.workers},
	}
	config.Workers = river.NewWorkers()
	river.AddWorker(config.Workers, river.WorkFunc(r.work))
	if r.client, err = river.NewClient(riverpgxv5.New(r.pool), config); err != nil {
		return err
	}
	events, cancel := r.client.SubscribeConfig(&river.SubscribeConfig{
		ChanSize: 100_000, // events that do not fit are dropped
		Kinds:    []river.EventKind{river.EventKindJobCompleted},
	})
	r.cancel = cancel
	go r.dispatch(events)
	return r.client.Start(context.WithoutCancel(ctx))
}

// prepare waits for the server and makes the tables of River.
func (r *riverSession) prepare(ctx context.Context) error {
	if err := patiently(ctx, r.pg.server, r.pool.Ping); err != nil {
		return err
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(r.pool),
		&rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

func (r *riverSession) work(ctx context.Context, j *river.Job[job]) error {
	return river.RecordOutput(ctx, r.site.run(j.Args))
}

// dispatch gives each event to the one who waits for it.
func (r *riverSession) dispatch(events <-chan *river.Event) {
	for e := range events {
		var j job
		if json.Unmarshal(e.Job.EncodedArgs, &j) != nil {
			continue
		}
		r.mu.Lock()
		c := r.waiting[j.N]
		delete(r.waiting, j.N)
		r.mu.Unlock()
		if c != nil {
			c <- e
		}
	}
}

// insertion is a job for its time; the zero time is now.
func insertion(j job) river.InsertManyParams {
	return river.InsertManyParams{Args: j, InsertOpts: &river.InsertOpts{ScheduledAt: j.Due}}
}

func (r *riverSession) Store(ctx context.Context, j job) error {
	p := insertion(j)
	_, err := r.client.Insert(ctx, p.Args, p.InsertOpts)
	return err
}

func (r *riverSession) StoreOnce(ctx context.Context, j job) error {
	p := insertion(j)
	p.InsertOpts.UniqueOpts.ByArgs = true
	_, err := r.client.Insert(ctx, p.Args, p.InsertOpts)
	return err
}

func (r *riverSession) StoreMany(ctx context.Context, jobs []job) error {
	_, err := r.client.InsertMany(ctx, insertions(jobs))
	return err
}

func (r *riverSession) StoreManyBlind(ctx context.Context, jobs []job) error {
	_, err := r.client.InsertManyFast(ctx, insertions(jobs))
	return err
}

func insertions(jobs []job) (list []river.InsertManyParams) {
	for _, j := range jobs {
		list = append(list, insertion(j))
	}
	return list
}

func (r *riverSession) StoreInTx(ctx context.Context, tx pgx.Tx, j job) error {
	p := insertion(j)
	_, err := r.client.InsertTx(ctx, tx, p.Args, p.InsertOpts)
	return err
}

func (r *riverSession) Do(ctx context.Context, n int) (int, error) {
	c := make(chan *river.Event, 1)
	r.mu.Lock()
	r.waiting[n] = c // before the insertion, so that the event cannot be missed
	r.mu.Unlock()
	if _, err := r.client.Insert(ctx, job{N: n}, nil); err != nil {
		return 0, err
	}
	select {
	case e := <-c:
		var result int
		if err := json.Unmarshal(e.Job.Output(), &result); err != nil {
			return 0, fmt.Errorf("the output %q: %w", e.Job.Output(), err)
		}
		return result, nil
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}

func (r *riverSession) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if r.site.workers > 0 {
		_ = r.client.StopAndCancel(ctx) // what is measured is over
	}
	r.cancel()
	r.pool.Close()
}

func (r *riverSession) Servers() []*process { return []*process{r.pg.server} }

func (r *riverSession) Where() string { return r.url }

func (r *riverSession) Close() {
	r.leave()
	if r.pg != nil {
		r.pg.halt()
	}
}

// Restart ends the server politely and starts it again.
func (r *riverSession) Restart(ctx context.Context) (begun time.Time, err error) {
	r.Close()
	begun = time.Now()
	if err := r.pg.boot(); err != nil {
		return begun, err
	}
	return begun, r.enter(ctx)
}

// Resident is not told: the processes of PostgreSQL share buffers of a fixed size.
func (r *riverSession) Resident() int { return 0 }
