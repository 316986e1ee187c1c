package main

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/hibiken/asynq"
)

func asynqDefaults(*asynq.Config) {}

func asynqTuned(c *asynq.Config) {
	c.TaskCheckInterval, c.DelayedTaskCheckInterval = 10*time.Millisecond, 100*time.Millisecond
}

// asynqSession is a client, a server and an inspector of asynq, in one process.
type asynqSession struct {
	site      *site
	tune      func(*asynq.Config)
	address   string
	redis     *redis // nil in a process that has only joined
	client    *asynq.Client
	server    *asynq.Server
	inspector *asynq.Inspector
}

func startAsynq(tune func(*asynq.Config)) func(context.Context, *site) (session, error) {
	return func(ctx context.Context, s *site) (session, error) {
		r, err := newRedis(s.dir, s.unsynced)
		if err != nil {
			return nil, err
		}
		a := &asynqSession{site: s, tune: tune, address: r.address(), redis: r}
		if err := a.enter(ctx); err != nil {
			r.halt()
			return nil, err
		}
		return a, nil
	}
}

// joinAsynq takes part in it as one of several processes.
func joinAsynq(tune func(*asynq.Config)) func(context.Context, string, *site) (session, error) {
	return func(ctx context.Context, where string, s *site) (session, error) {
		a := &asynqSession{site: s, tune: tune, address: where}
		return a, a.enter(ctx)
	}
}

// enter makes this process a client as soon as the server answers.
func (a *asynqSession) enter(ctx context.Context) error {
	opt := asynq.RedisClientOpt{Addr: a.address, PoolSize: 256}
	a.client = asynq.NewClient(opt)
	ping := func(context.Context) error { return a.client.Ping() }
	var server *process
	if a.redis != nil {
		server = a.redis.server
	}
	if err := patiently(ctx, server, ping); err != nil {
		return err
	}
	a.inspector = asynq.NewInspector(opt)
	if a.site.workers == 0 {
		return nil
	}
	config := asynq.Config{
		Concurrency: a.site.workers, Logger: silent{}, LogLevel: asynq.FatalLevel,
	}
	a.tune(&config)
	a.server = asynq.NewServer(opt, config)
	return a.server.Start(asynq.HandlerFunc(a.work))
}

func (a *asynqSession) work(_ context.Context, t *asynq.Task) error {
	var j job
	if err := json.Unmarshal(t.Payload(), &j); err != nil {
		return err
	}
	_, err := t.ResultWriter().Write([]byte(strconv.Itoa(a.site.run(j))))
	return err
}

func (a *asynqSession) enqueue(ctx context.Context, j job, opts ...asynq.Option) error {
	payload, err := json.Marshal(j)
	if err != nil {
		return err
	}
	_, err = a.client.EnqueueContext(ctx, asynq.NewTask("work", payload), opts...)
	return err
}

// What is kept of an outcome that is asked for is kept for a day, as package cluster does.
var retention = asynq.Retention(24 * time.Hour)

// Store keeps nothing of the outcome, as nobody asks for it: that is asynq's default.
func (a *asynqSession) Store(ctx context.Context, j job) error {
	return a.enqueue(ctx, j, dueAt(j)...)
}

// dueAt are the options for the time of a job. One that is due at once needs none.
func dueAt(j job) (opts []asynq.Option) {
	if !j.Due.IsZero() {
		opts = append(opts, asynq.ProcessAt(j.Due))
	}
	return opts
}

func (a *asynqSession) StoreOnce(ctx context.Context, j job) error {
	return a.enqueue(ctx, j, append(dueAt(j), asynq.Unique(24*time.Hour))...)
}

func (a *asynqSession) Do(ctx context.Context, n int) (int, error) {
	id := strconv.Itoa(n)
	if err := a.enqueue(ctx, job{N: n}, retention, asynq.TaskID(id)); err != nil {
		return 0, err
	}
	for wait := time.Millisecond; ; wait = min(2*wait, 16*time.Millisecond) {
		if err := pause(ctx, wait); err != nil {
			return 0, err
		}
		info, err := a.inspector.GetTaskInfo("default", id)
		if err != nil {
			return 0, err
		}
		if info.State == asynq.TaskStateCompleted {
			return strconv.Atoi(string(info.Result))
		}
	}
}

func (a *asynqSession) leave() {
	if a.server != nil {
		a.server.Shutdown()
	}
	_ = a.client.Close() // what is measured is over
	_ = a.inspector.Close()
}

func (a *asynqSession) Servers() []*process { return []*process{a.redis.server} }

func (a *asynqSession) Where() string { return a.address }

func (a *asynqSession) Close() {
	a.leave()
	if a.redis != nil {
		a.redis.halt()
	}
}

// Restart ends the server politely and starts it again.
func (a *asynqSession) Restart(ctx context.Context) (begun time.Time, err error) {
	a.Close()
	begun = time.Now()
	if err := a.redis.boot(); err != nil {
		return begun, err
	}
	return begun, a.enter(ctx)
}

// Resident is what the server has in memory.
func (a *asynqSession) Resident() int { return a.redis.server.resident() }

// silent is a logger that says nothing.
type silent struct{}

func (silent) Debug(...any) {}
func (silent) Info(...any)  {}
func (silent) Warn(...any)  {}
func (silent) Error(...any) {}
func (silent) Fatal(...any) {}
