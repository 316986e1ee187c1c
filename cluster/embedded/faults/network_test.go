package faults

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// hole is a proxy that swallows what passes through it once it is told to: the connections stay
// open, and nothing arrives.
type hole struct {
	net.Listener
	server    string
	swallowed chan struct{}
	once      sync.Once

	mu    sync.Mutex
	conns []net.Conn
}

func digHole(t *testing.T, s *server.Server) *hole {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	h := &hole{Listener: l, server: s.Addr().String(), swallowed: make(chan struct{})}
	t.Cleanup(h.end)
	go h.accept()
	return h
}

func (h *hole) swallow() { h.once.Do(func() { close(h.swallowed) }) }

// end closes all connections.
func (h *hole) end() {
	_ = h.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.conns {
		_ = c.Close()
	}
}

func (h *hole) accept() {
	for {
		from, err := h.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", h.server)
		if err != nil {
			_ = from.Close()
			return
		}
		h.mu.Lock()
		h.conns = append(h.conns, from, to)
		h.mu.Unlock()
		go h.forward(from, to)
		go h.forward(to, from)
	}
}

// forward copies until the hole swallows. Then it reads no more, so that the sender is blocked once
// the buffers of the system are full.
func (h *hole) forward(from, to net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		select {
		case <-h.swallowed:
			return
		default:
		}
		if err == nil {
			_, err = to.Write(buffer[:n])
		}
		if err != nil {
			_, _ = from.Close(), to.Close()
			return
		}
	}
}

// Serve ends, and so does all that waits with a context, though the network swallows everything and
// the connection is blocked in a write.
func TestServeEndsInANetworkThatSwallowsAll(t *testing.T) {
	t.Parallel()
	const grace = 2 * time.Second
	s := startServer(t, func(*server.Options) {})
	h := digHole(t, s)
	ctx := testContext(t, time.Minute)
	nc, err := nats.Connect("nats://"+h.Addr().String(), nats.MaxReconnects(-1),
		nats.FlusherTimeout(time.Second))
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	pool, err := cluster.Join(ctx, nc, cluster.Grace(grace))
	require.NoError(t, err)
	begun := make(chan struct{}, 10)
	long := cluster.Define("long", func(ctx context.Context, _ int) (int, error) {
		begun <- struct{}{}
		<-ctx.Done()
		return 0, context.Cause(ctx)
	})
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- pool.Serve(serving, long) }()
	_, err = cluster.Submit(ctx, pool, long, 0)
	require.NoError(t, err)
	<-begun
	h.swallow()
	blocked := make(chan struct{})
	go func() { // fills the buffers
		defer close(blocked)
		for range 64 {
			_ = nc.Publish("other", make([]byte, 1<<19))
		}
	}()
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err = cluster.Submit(short, pool, long, 1)
	require.ErrorIs(t, err, cluster.ErrUnavailable)
	began := time.Now()
	stop()
	require.NoError(t, <-served)
	within(t, "Serve ends", time.Since(began), grace+4*time.Second)
	h.end()
	<-blocked
}

// A password that is changed on the server, and a while later here, ends nothing: the connection is
// refused in between, as often as it likes.
func TestARotatedPasswordIsSurvived(t *testing.T) {
	t.Parallel()
	options := func(password string) *server.Options {
		return &server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true,
			JetStream: true, Username: "worker", Password: password}
	}
	var mine atomic.Value
	mine.Store("first")
	var shared *server.Options
	s := startServer(t, func(o *server.Options) {
		o.Username, o.Password = "worker", "first"
		shared = o
	})
	ctx := testContext(t, time.Minute)
	var asked atomic.Int32
	nc, err := nats.Connect(s.ClientURL(), nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort(),
		nats.ReconnectWait(50*time.Millisecond), nats.ReconnectJitter(0, 0),
		nats.UserInfoHandler(func() (string, string) {
			asked.Add(1)
			return "worker", mine.Load().(string)
		}))
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	pool, err := cluster.Join(ctx, nc)
	require.NoError(t, err)
	task := cluster.Define("task", func(_ context.Context, n int) (int, error) { return n, nil })
	served := make(chan error, 1)
	serving, stop := context.WithCancel(ctx)
	go func() { served <- pool.Serve(serving, task) }()
	get := func(n int) {
		f, err := cluster.Submit(ctx, pool, task, n)
		require.NoError(t, err)
		got, err := f.Get(ctx)
		require.NoError(t, err)
		require.Equal(t, n, got)
	}
	get(1)

	changed := options("second")
	changed.Port, changed.StoreDir = s.Addr().(*net.TCPAddr).Port, shared.StoreDir
	before := asked.Load()
	require.NoError(t, s.ReloadOptions(changed))
	require.Eventually(t, func() bool { return asked.Load() >= before+5 },
		20*time.Second, 10*time.Millisecond, "it is refused again and again")
	mine.Store("second")
	get(2)
	stop()
	require.NoError(t, <-served)
}
