package main

import (
	"context"
	"time"
)

// A system is one of those that are compared. Each measurement starts it anew, with empty data.
type system struct {
	name  string
	about string // how it is used and set
	tuned bool   // only takes part where polling counts
	alone bool   // its data is in one server process, which can be started anew
	// missing says why the system cannot take part; empty if it can.
	missing func() string
	start   func(ctx context.Context, s *site) (session, error)
}

// A session is a system at work: its servers, one client that submits and one that works.
type session interface {
	// Schedule stores a task for a time, and does not wait for it.
	Schedule(ctx context.Context, due time.Time, n int) error
	// Do submits a task that is due at once, and waits for its result, n+1.
	Do(ctx context.Context, n int) (int, error)
	Close()
}

// A site is what a session is given.
type site struct {
	dir     string // for its data; empty at the start
	workers int
	began   func(job) // called at the begin of each run
}

// job is the payload of all tasks.
type job struct {
	N   int       `json:"n"`
	Due time.Time `json:"due"` // zero for one that is due at once
}

// run is the body of all tasks.
func (s *site) run(j job) int {
	if s.began != nil {
		s.began(j)
	}
	return j.N + 1
}

func always() string { return "" }

func systems() []system {
	return []system{
		{
			name: "embedded", missing: always, start: startEmbedded,
			about: "package cluster, nats-server in the process, one replica, sync always",
		},
		{
			name: "1 server", alone: true, missing: always, start: startNodes(1),
			about: "package cluster, one nats-server process, one replica, sync always",
		},
		{
			name: "3 servers", missing: always, start: startNodes(3),
			about: "package cluster, three nats-server processes on this machine, three " +
				"replicas, sync always",
		},
		{
			name: "River", alone: true, missing: postgresMissing, start: startRiver(riverDefaults),
			about: "River on PostgreSQL, fsync and synchronous_commit on, 50 connections; " +
				"results by RecordOutput and SubscribeConfig",
		},
		{
			name: "River tuned", tuned: true, missing: postgresMissing,
			start: startRiver(riverTuned),
			about: "the same with FetchPollInterval 100 ms and FetchCooldown 10 ms, by default " +
				"1 s and 100 ms",
		},
		{
			name: "asynq", alone: true, missing: redisMissing, start: startAsynq(asynqDefaults),
			about: "asynq on Redis, appendonly yes, appendfsync always, 256 connections; results " +
				"by ResultWriter, and the Inspector asked after 1, 2, 4, 8, then every 16 ms",
		},
		{
			name: "asynq tuned", tuned: true, missing: redisMissing, start: startAsynq(asynqTuned),
			about: "the same with TaskCheckInterval 10 ms and DelayedTaskCheckInterval 100 ms, " +
				"by default 1 s and 5 s",
		},
	}
}
