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
	redis     *redis
	client    *asynq.Client
	server    *asynq.Server
	inspector *asynq.Inspector
}

func startAsynq(tune func(*asynq.Config)) func(context.Context, *site) (session, error) {
	return func(ctx context.Context, s *site) (session, error) {
		r, err := newRedis(s.dir)
		if err != nil {
			return nil, err
		}
		a := &asynqSession{site: s, tune: tune, redis: r}
		if err := a.enter(ctx); err != nil {
			r.halt()
			return nil, err
		}
		return a, nil
	}
}

// enter makes this process a client as soon as the server answers.
func (a *asynqSession) enter(ctx context.Context) error {
	opt := asynq.RedisClientOpt{Addr: a.redis.address(), PoolSize: 256}
	a.client = asynq.NewClient(opt)
	ping := func(context.Context) error { return a.client.Ping() }
	if err := patiently(ctx, a.redis.server, ping); err != nil {
		return err
	}
	config := asynq.Config{
		Concurrency: a.site.workers, Logger: silent{}, LogLevel: asynq.FatalLevel,
	}
	a.tune(&config)
	a.server = asynq.NewServer(opt, config)
	a.inspector = asynq.NewInspector(opt)
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

// What is kept of an outcome is kept for a day, as package cluster does.
var retention = asynq.Retention(24 * time.Hour)

func (a *asynqSession) Schedule(ctx context.Context, due time.Time, n int) error {
	return a.enqueue(ctx, job{N: n, Due: due}, retention, asynq.ProcessAt(due))
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
	a.server.Shutdown()
	_ = a.client.Close() // what is measured is over
	_ = a.inspector.Close()
}

func (a *asynqSession) Close() {
	a.leave()
	a.redis.halt()
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
