package main

import (
	"context"
	"strconv"

	"github.com/nats-io/nats.go"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/embedded"
)

// member is a process that submits to a pool of package cluster and serves it, by one connection.
type member struct {
	conn   *nats.Conn
	pool   *cluster.Pool
	task   cluster.Task[job, int]
	leave  context.CancelFunc
	served chan error
	server func() // ends what it is connected to
}

func join(
	ctx context.Context, conn *nats.Conn, s *site, opts ...cluster.Option,
) (*member, error) {
	if s.workers > 0 {
		opts = append(opts, cluster.Workers(s.workers))
	}
	pool, err := cluster.Join(ctx, conn, opts...)
	if err != nil {
		return nil, err
	}
	m := &member{conn: conn, pool: pool, served: make(chan error, 1), server: func() {}}
	m.task = cluster.Define("work", func(_ context.Context, j job) (int, error) {
		return s.run(j), nil
	})
	serving, leave := context.WithCancel(context.Background())
	m.leave = leave
	go func() {
		defer close(m.served) // so that a second Close does not wait
		if s.workers > 0 {
			m.served <- pool.Serve(serving, m.task)
		}
	}()
	return m, nil
}

func (m *member) Store(ctx context.Context, j job) error {
	_, err := cluster.ScheduleAt(ctx, m.pool, j.Due, m.task, j)
	return err
}

func (m *member) StoreOnce(ctx context.Context, j job) error {
	_, err := cluster.ScheduleAt(ctx, m.pool, j.Due, m.task, j, cluster.Once(strconv.Itoa(j.N)))
	return err
}

func (m *member) Do(ctx context.Context, n int) (int, error) {
	f, err := cluster.Submit(ctx, m.pool, m.task, job{N: n})
	if err != nil {
		return 0, err
	}
	return f.Get(ctx)
}

// Servers are none where the server is in this process.
func (m *member) Servers() []*process { return nil }

func (m *member) Close() {
	m.leave()
	<-m.served
	m.conn.Close()
	m.server()
}

func startEmbedded(ctx context.Context, s *site) (session, error) {
	server, err := embedded.Start(ctx, s.dir)
	if err != nil {
		return nil, err
	}
	conn, err := server.Conn()
	if err != nil {
		server.Close()
		return nil, err
	}
	m, err := join(ctx, conn, s)
	if err != nil {
		conn.Close()
		server.Close()
		return nil, err
	}
	m.server = server.Close
	return m, nil
}
