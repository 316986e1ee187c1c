package move

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// startServer starts one server with its data in a directory.
func startServer(t testing.TB, dir string) (s *server.Server, url string) {
	t.Helper()
	s = start(t, options("old", dir))
	return s, s.ClientURL()
}

// startThree starts a cluster, the first with its data in a directory if one is given, and waits
// until it can have streams.
func startThree(t testing.TB, dirs ...string) (urls string) {
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
		o := options(fmt.Sprint("new", i), append(dirs, t.TempDir(), t.TempDir(), t.TempDir())[i])
		o.Cluster = server.ClusterOpts{
			Name: "three", Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port,
		}
		o.Routes = routes
		servers = append(servers, start(t, o))
	}
	var list []string
	led := func(s *server.Server) bool { return len(s.JetStreamClusterPeers()) == 3 }
	for ctx := testContext(t); !slices.ContainsFunc(servers, led); {
		require.NoError(t, ctx.Err())
		time.Sleep(20 * time.Millisecond)
	}
	for _, s := range servers {
		list = append(list, s.ClientURL())
	}
	return strings.Join(list, ",")
}

func options(name, dir string) *server.Options {
	return &server.Options{
		ServerName: name, Host: "127.0.0.1", Port: server.RANDOM_PORT,
		JetStream: true, StoreDir: dir, SyncAlways: true,
		JetStreamMaxStore: 4 << 30, JetStreamMaxMemory: 64 << 20, NoLog: true, NoSigs: true,
	}
}

func start(t testing.TB, o *server.Options) *server.Server {
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

func connect(t testing.TB, urls string) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(urls, nats.MaxReconnects(-1))
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	return nc
}

func join(t testing.TB, urls string, opts ...cluster.Option) *cluster.Pool {
	t.Helper()
	p, err := cluster.Join(testContext(t), connect(t, urls), opts...)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

func joinError(t testing.TB, urls string, opts ...cluster.Option) error {
	t.Helper()
	_, err := cluster.Join(testContext(t), connect(t, urls), opts...)
	return err
}

// serve serves tasks until the end of the test, or until stop is called, which waits for that.
func serve(t testing.TB, p *cluster.Pool, tasks ...cluster.Runnable) (stop func()) {
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

func testContext(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func jetStream(t testing.TB, urls string) jetstream.JetStream {
	t.Helper()
	js, err := jetstream.New(connect(t, urls))
	require.NoError(t, err)
	return js
}

// poolStreams returns the names of the pool's streams.
func poolStreams(t testing.TB, urls string) (found []string) {
	t.Helper()
	list := jetStream(t, urls).StreamNames(testContext(t))
	for name := range list.Name() {
		found = append(found, name)
	}
	require.NoError(t, list.Err())
	return found
}

// command runs the command, and returns what it has written.
func command(t testing.TB, from, to string, more ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := run(testContext(t), append([]string{"--from", from, "--to", to}, more...), &out)
	return out.String(), err
}

// run runs the command as it is written on a command line.
func run(ctx context.Context, args []string, out io.Writer) error {
	var line struct {
		Pool    string `default:"tasks"`
		Command `embed:""`
	}
	parser, err := kong.New(&line)
	if err != nil {
		return err
	}
	if _, err := parser.Parse(args); err != nil {
		return err
	}
	return line.Do(ctx, line.Pool, out)
}
