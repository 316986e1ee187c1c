package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/embedded"
	"github.com/punctual-go/punctual/cluster/rights"
	"github.com/punctual-go/punctual/executor/retry"
)

func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	dir, done := temporary()
	defer done()

	server, err := embedded.Start(ctx, dir)
	if err != nil {
		panic(err)
	}
	defer server.Close()
	conn, err := server.Conn()
	if err != nil {
		panic(err)
	}
	defer conn.Close()

	double := cluster.Define("double", func(_ context.Context, n int) (int, error) {
		return 2 * n, nil
	})
	pool, err := cluster.Join(ctx, conn)
	if err != nil {
		panic(err)
	}
	serving, stop := context.WithCancel(ctx)
	served := make(chan error)
	go func() { served <- pool.Serve(serving, double) }()

	future, err := cluster.Schedule(ctx, pool, 50*time.Millisecond, double, 21)
	if err != nil {
		panic(err)
	}
	fmt.Println(future.Get(ctx))
	stop()
	fmt.Println(<-served)
	// Output:
	// 42 <nil>
	// <nil>
}

// The example of docs/cluster.md.
func TestTheExampleOfTheDocuments(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server, err := embedded.Start(ctx, t.TempDir())
	require.NoError(t, err)
	defer server.Close()
	conn, err := server.Conn()
	require.NoError(t, err)
	defer conn.Close()
	send := func(_ context.Context, user, id string) (string, error) { return user + " " + id, nil }
	sweep := cluster.Define("sweep", func(context.Context, struct{}) (struct{}, error) {
		return struct{}{}, nil
	})
	inOne := func() error {
		var remind = cluster.Define("remind", func(ctx context.Context, user string) (string, error) {
			run, _ := cluster.RunFrom(ctx) // run.ID: the same if it has to be run again
			return send(ctx, user, run.ID)
		})

		pool, err := cluster.Join(ctx, conn)
		if err != nil {
			return err
		}
		go pool.Serve(ctx, remind, sweep) // in each process that is to run tasks

		// Each replica may declare a series as it starts: there is one.
		every := time.Minute
		if _, err := cluster.AtFixedRate(ctx, pool, "sweep", 0, every, sweep, struct{}{}); err != nil {
			return err
		}
		// If this returns nil, the task is stored. Its future can be had by its ID anywhere.
		reminder, err := cluster.Schedule(ctx, pool, 24*time.Hour, remind, "ann")
		if err != nil {
			return err
		}
		_, err = reminder.Cancel(ctx)
		return err
	}
	require.NoError(t, inOne())
}

// The example of docs/cluster.md on limits.
func TestTheExampleOfLimits(t *testing.T) {
	type order struct{ Tenant string }
	render := func(_ context.Context, o order) (string, error) { return o.Tenant, nil }
	tenantOf := func(o order) string { return o.Tenant }
	inOne := func() cluster.Task[order, string] {
		var invoice = cluster.Define("invoice", render,
			cluster.AtOnce(3),                        // three at a time, in all processes together
			cluster.Rate(100, time.Minute, tenantOf), // and a hundred a minute for each tenant
		)
		return invoice
	}
	s := start(t)
	conn, err := s.Conn()
	require.NoError(t, err)
	defer conn.Close()
	pool, err := cluster.Join(t.Context(), conn)
	require.NoError(t, err)
	go pool.Serve(t.Context(), inOne()) //nolint:errcheck // it ends with the test
	f, err := cluster.Submit(t.Context(), pool, inOne(), order{"ann"})
	require.NoError(t, err)
	got, err := f.Get(t.Context())
	require.NoError(t, err)
	require.Equal(t, "ann", got)
}

// The example of docs/cluster.md on a port: there are no such files.
func TestTheExampleOfAPort(t *testing.T) {
	ctx, dir, password := t.Context(), t.TempDir(), "change-me"
	inOne := func() error {
		server, err := embedded.Start(ctx, dir,
			embedded.Listen("0.0.0.0:4222"),
			embedded.TLS("server.pem", "server.key"),
			embedded.Users(rights.User{Name: "shop", Password: password,
				Roles: map[string]rights.Role{"tasks": rights.Submitter}}),
		)
		if err == nil {
			server.Close()
		}
		return err
	}
	require.ErrorContains(t, inOne(), "server.pem")
}

// The examples of docs/cluster.md on what fails.
func TestTheExampleOfTheDocumentsOnFailures(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server, err := embedded.Start(ctx, t.TempDir())
	require.NoError(t, err)
	defer server.Close()
	conn, err := server.Conn()
	require.NoError(t, err)
	defer conn.Close()
	down := true
	pay := func(_ context.Context, order, id string, attempt int) (string, error) {
		if down {
			return "", retry.Permanent(fmt.Errorf("no answer for %s", order))
		}
		return "paid", nil
	}
	var charge = cluster.Define("charge", func(ctx context.Context, order string) (string, error) {
		run, _ := cluster.RunFrom(ctx) // run.ID is that of all attempts; run.Attempt counts them
		return pay(ctx, order, run.ID, run.Attempt)
	}, cluster.Retry(10, retry.Backoff{Base: time.Second, Max: time.Hour}))
	pool, err := cluster.Join(ctx, conn)
	require.NoError(t, err)
	serve := func() (end func()) {
		serving, stop := context.WithCancel(ctx)
		served := make(chan error)
		go func() { served <- pool.Serve(serving, charge) }()
		return func() {
			stop()
			require.NoError(t, <-served)
		}
	}
	end := serve()
	f, err := cluster.Submit(ctx, pool, charge, "order 7")
	require.NoError(t, err)
	_, err = f.Get(ctx)
	require.ErrorContains(t, err, "no answer for order 7")
	end()
	inOne := func() error {
		page, err := pool.Failed(ctx, cluster.FailedFilter{Task: "charge"}, 0, 100) // the oldest 100
		if err != nil {
			return err
		}
		for _, f := range page.Rows {
			fmt.Println(f.ID, f.Kind, f.Error, f.Attempts, string(f.Payload))
		}
		// What was wrong is mended: they run again, each once, however often this is called.
		redriven, err := pool.Redrive(ctx, cluster.FailedFilter{Task: "charge"})
		if err != nil {
			return err
		}
		require.Len(t, redriven, 1)
		down = false
		defer serve()()
		got, err := cluster.Attach(pool, charge, redriven[0].New).Get(ctx)
		require.Equal(t, "paid", got)
		return err
	}
	require.NoError(t, inOne())
}

func TestStartRefuses(t *testing.T) {
	ctx := context.Background()
	_, err := embedded.Start(ctx, "")
	require.ErrorContains(t, err, "directory")
	for _, address := range []string{"nowhere", "127.0.0.1:x", "127.0.0.1:70000"} {
		_, err = embedded.Start(ctx, t.TempDir(), embedded.Listen(address))
		require.ErrorContains(t, err, address)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = embedded.Start(ended, t.TempDir())
	require.ErrorIs(t, err, context.Canceled)
}

// A start that is given up, at whatever moment, leaves nobody who writes to the directory.
func TestAStartGivenUpEndsTheServer(t *testing.T) {
	for i := range 30 {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(i))
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i)*time.Millisecond)
		s, err := embedded.Start(ctx, dir)
		cancel()
		if err == nil {
			s.Close()
		} else {
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
		before := filesIn(t, dir)
		time.Sleep(5 * time.Millisecond)
		require.Equal(t, before, filesIn(t, dir))
		require.NoError(t, os.RemoveAll(dir))
	}
}

func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		if name == dir && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		names = append(names, name)
		return err
	}))
	return names
}

func TestAPortOnlyIfAsked(t *testing.T) {
	ctx := context.Background()
	s, err := embedded.Start(ctx, t.TempDir())
	require.NoError(t, err)
	require.Empty(t, s.URL())
	s.Close()
	s.Close()
	s, err = embedded.Start(ctx, t.TempDir(), embedded.Listen("127.0.0.1:0"))
	require.NoError(t, err)
	defer s.Close()
	nc, err := nats.Connect(s.URL())
	require.NoError(t, err)
	nc.Close()
}
