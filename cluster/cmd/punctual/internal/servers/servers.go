// Package servers starts servers for the tests of the command.
package servers

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// One starts one server with its data in a directory.
func One(t testing.TB, dir string) (s *server.Server, url string) {
	t.Helper()
	s = Start(t, Options("old", dir))
	return s, s.ClientURL()
}

// Three starts a cluster, the first with its data in a directory if one is given, and waits
// until it can have streams.
func Three(t testing.TB, dirs ...string) (urls string) {
	t.Helper()
	var listeners []net.Listener
	var routes []*url.URL
	for range 3 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		listeners = append(listeners, l)
		routes = append(routes, &url.URL{Scheme: "nats", Host: l.Addr().String()})
	}
	var servers []*server.Server
	for i, l := range listeners {
		require.NoError(t, l.Close())
		o := Options(fmt.Sprint("new", i), append(dirs, t.TempDir(), t.TempDir(), t.TempDir())[i])
		o.Cluster = server.ClusterOpts{
			Name: "three", Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port,
		}
		o.Routes = routes
		servers = append(servers, Start(t, o))
	}
	var list []string
	led := func(s *server.Server) bool { return len(s.JetStreamClusterPeers()) == 3 }
	for ctx := Context(t); !slices.ContainsFunc(servers, led); {
		require.NoError(t, ctx.Err())
		time.Sleep(20 * time.Millisecond)
	}
	for _, s := range servers {
		list = append(list, s.ClientURL())
	}
	urls = strings.Join(list, ",")
	// Who leads may not answer yet.
	js, err := jetstream.New(Connect(t, urls))
	require.NoError(t, err)
	for ctx := Context(t); ; time.Sleep(20 * time.Millisecond) {
		if _, err = js.AccountInfo(ctx); err == nil {
			return urls
		}
		require.NoError(t, ctx.Err(), err)
	}
}

// Options are those of a server on a free port that syncs each message.
func Options(name, dir string) *server.Options {
	return &server.Options{
		ServerName: name, Host: "127.0.0.1", Port: server.RANDOM_PORT,
		JetStream: true, StoreDir: dir, SyncAlways: true,
		JetStreamMaxStore: 4 << 30, JetStreamMaxMemory: 64 << 20, NoLog: true, NoSigs: true,
	}
}

// Start starts a server, until the end of the test.
func Start(t testing.TB, o *server.Options) *server.Server {
	t.Helper()
	s, err := server.NewServer(o)
	require.NoError(t, err)
	go s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	require.True(t, s.ReadyForConnections(time.Minute))
	return s
}

// Connect connects until the end of the test.
func Connect(t testing.TB, urls string) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(urls, nats.MaxReconnects(-1))
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	return nc
}

// Join joins a pool until the end of the test.
func Join(t testing.TB, urls string, opts ...cluster.Option) *cluster.Pool {
	t.Helper()
	p, err := cluster.Join(Context(t), Connect(t, urls), opts...)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

// Serve serves tasks until the end of the test, or until stop is called, which waits for that.
func Serve(t testing.TB, p *cluster.Pool, tasks ...cluster.Runnable) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- p.Serve(ctx, tasks...) }()
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			cancel()
			require.NoError(t, <-served)
		}
	}
	t.Cleanup(stop)
	return stop
}

// Context ends before a test would be taken to hang.
func Context(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	return ctx
}
