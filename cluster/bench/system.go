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
	// join takes part in servers that run already; nil if there are none that others can reach.
	join func(ctx context.Context, where string, s *site) (session, error)
}

// A session is a system at work: its servers, one client that submits and one that works.
type session interface {
	// Store stores a task that is due at its time, or at once, and does not wait for it.
	Store(ctx context.Context, j job) error
	// StoreOnce is Store for a task that the system has to keep unique, by its number.
	StoreOnce(ctx context.Context, j job) error
	// Do submits a task that is due at once, and waits for its result, n+1.
	Do(ctx context.Context, n int) (int, error)
	// Servers are the processes that keep the tasks.
	Servers() []*process
	Close()
}

// A host is a session whose servers other processes can join.
type host interface {
	session
	Where() string
}

// A site is what a session is given.
type site struct {
	dir      string    // for its data; empty at the start
	shelf    string    // for what all measurements have in common
	workers  int       // 0 for one that only submits
	unsynced bool      // it may acknowledge before the disk has the data
	body     func(job) // what a run does; may be nil
}

// job is the payload of all tasks.
type job struct {
	N   int       `json:"n"`
	Due time.Time `json:"due"` // zero for one that is due at once

	Takes time.Duration `json:"takes,omitempty"` // how long it sleeps, in workloads with such tasks
}

// run is the body of all tasks.
func (s *site) run(j job) int {
	if s.body != nil {
		s.body(j)
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
			name: "1 server", alone: true, missing: always, start: startNodes(1), join: joinNodes,
			about: "package cluster, one nats-server process, one replica, sync always",
		},
		{
			name: "3 servers", missing: always, start: startNodes(3), join: joinNodes,
			about: "package cluster, three nats-server processes on this machine, three " +
				"replicas, sync always",
		},
		{
			name: "River", alone: true, missing: postgresMissing,
			start: startRiver(riverDefaults), join: joinRiver(riverDefaults),
			about: "River on PostgreSQL, fsync and synchronous_commit on, 50 connections; " +
				"results by RecordOutput and SubscribeConfig",
		},
		{
			name: "River tuned", tuned: true, missing: postgresMissing,
			start: startRiver(riverTuned), join: joinRiver(riverTuned),
			about: "the same with FetchPollInterval 100 ms and FetchCooldown 10 ms, by default " +
				"1 s and 100 ms",
		},
		{
			name: "asynq", alone: true, missing: redisMissing,
			start: startAsynq(asynqDefaults), join: joinAsynq(asynqDefaults),
			about: "asynq on Redis, appendonly yes, appendfsync always, 256 connections; results " +
				"by ResultWriter, and the Inspector asked after 1, 2, 4, 8, then every 16 ms",
		},
		{
			name: "asynq tuned", tuned: true, missing: redisMissing,
			start: startAsynq(asynqTuned), join: joinAsynq(asynqTuned),
			about: "the same with TaskCheckInterval 10 ms and DelayedTaskCheckInterval 100 ms, " +
				"by default 1 s and 5 s",
		},
	}
}
