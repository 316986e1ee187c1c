package faults

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// nodeConfig is what a server process is told.
type nodeConfig struct {
	Name, Dir       string
	Port, RoutePort int
	Routes          []int
	Wired           bool // its routes are wires, and nobody must learn of a way past them
}

// nowhere is an address that nobody listens at.
const nowhere = "127.0.0.1:1"

// serveNode is the life of a server process.
func serveNode(c nodeConfig) error {
	o := &server.Options{
		ServerName: c.Name, Host: "127.0.0.1", Port: c.Port,
		JetStream: true, StoreDir: c.Dir, SyncAlways: true, NoSigs: true,
		JetStreamMaxStore: 4 << 30, JetStreamMaxMemory: 64 << 20,
		NoLog: true,
	}
	if len(c.Routes) > 0 {
		o.Cluster = server.ClusterOpts{Name: "faults", Host: "127.0.0.1", Port: c.RoutePort}
		if c.Wired { // the one is about clients, the other about servers
			o.Cluster.NoAdvertise, o.Cluster.Advertise = true, nowhere
		}
		for _, port := range c.Routes {
			o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", port)})
		}
	}
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go s.Start()
	<-ctx.Done()
	s.Shutdown()
	s.WaitForShutdown()
	return nil
}

// nodes are one server, or a cluster of three.
type nodes struct {
	t       testing.TB
	configs []nodeConfig
	running []*process
	journal *journal
	dir     string    // of the journals
	binary  string    // of the server, if it is not this one
	args    []string  // of that
	wires   [][]*wire // from one server to another; nil for servers that are not wired
	healed  uint64    // what the pool had to heal, where that was asked
}

func startNodes(t testing.TB, n int) *nodes {
	t.Helper()
	ns := planNodes(t, n)
	for i := range n {
		ns.start(i)
	}
	return ns
}

// startWiredNodes starts three servers of which each can be cut off from the others.
func startWiredNodes(t testing.TB) *nodes {
	t.Helper()
	ns := planNodes(t, 3)
	ns.wires = make([][]*wire, 3)
	for i := range ns.configs {
		c := &ns.configs[i]
		ns.wires[i], c.Routes, c.Wired = make([]*wire, 3), nil, true
		for j := range ns.configs {
			if i == j { // a server counts its routes to know how many there are
				c.Routes = append(c.Routes, c.RoutePort)
				continue
			}
			ns.wires[i][j] = layWire(t, ns.configs[j].RoutePort)
			c.Routes = append(c.Routes, ns.wires[i][j].port())
		}
	}
	for i := range ns.configs {
		ns.start(i)
	}
	return ns
}

// planNodes is n servers that are not started yet.
func planNodes(t testing.TB, n int) *nodes {
	t.Helper()
	ns := &nodes{t: t, dir: t.TempDir(), running: make([]*process, n)}
	t.Cleanup(ns.sayWhy)
	var err error
	ns.journal, err = openJournal(ns.dir, "trial")
	require.NoError(t, err)
	ports := freePorts(t, 2*n)
	var routes []int
	if n > 1 {
		routes = ports[n:]
	}
	data := t.TempDir()
	for i := range n {
		ns.configs = append(ns.configs, nodeConfig{
			Name: fmt.Sprintf("node%d", i), Dir: fmt.Sprintf("%s/%d", data, i),
			Port: ports[i], RoutePort: ports[n+i], Routes: routes,
		})
	}
	return ns
}

// sayWhy says once more, behind all that the processes have written, what is wrong.
func (ns *nodes) sayWhy() {
	if !ns.t.Failed() {
		return
	}
	v := judge(ns.t, ns.dir)
	ns.t.Logf("failed: sins %v, healed %d; %v", v.sins(), ns.healed, v.details)
}

func (ns *nodes) start(i int) {
	ns.t.Helper()
	c := ns.configs[i]
	if ns.binary == "" {
		ns.running[i] = startProcess(ns.t, c.Name, asServer, c, nil)
		return
	}
	config := filepath.Join(ns.dir, c.Name+".conf")
	require.NoError(ns.t, os.WriteFile(config, fmt.Appendf(nil,
		"listen: 127.0.0.1:%d\njetstream { store_dir: %q, sync_interval: always }\n", c.Port, c.Dir), 0o600))
	ns.running[i] = startCommand(ns.t, c.Name, nil, exec.Command(ns.binary, append([]string{"-c", config}, ns.args...)...))
}

func (ns *nodes) kill(i int) {
	ns.journal.write(event{Kind: "server killed", Who: ns.configs[i].Name})
	ns.running[i].kill()
}

func (ns *nodes) stop(i int) {
	ns.journal.write(event{Kind: "server stopped", Who: ns.configs[i].Name})
	ns.running[i].stop()
}

func (ns *nodes) url() string {
	var urls []string
	for _, c := range ns.configs {
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", c.Port))
	}
	return strings.Join(urls, ",")
}

func (ns *nodes) connect(opts ...nats.Option) *nats.Conn {
	ns.t.Helper()
	nc, err := connect(ns.url(), opts...)
	require.NoError(ns.t, err)
	ns.t.Cleanup(nc.Close)
	return nc
}

func (ns *nodes) connected(ctx context.Context) *nats.Conn {
	ns.t.Helper()
	nc := ns.connect()
	for !nc.IsConnected() {
		require.NoError(ns.t, ctx.Err())
		time.Sleep(5 * time.Millisecond)
	}
	return nc
}

// join joins the pool from this process.
func (ns *nodes) join(ctx context.Context, opts ...cluster.Option) *cluster.Pool {
	ns.t.Helper()
	nc := ns.connected(ctx)
	if len(ns.configs) > 1 {
		opts = append([]cluster.Option{cluster.Replicas(len(ns.configs))}, opts...)
	}
	p, err := cluster.Join(ctx, nc, opts...)
	require.NoError(ns.t, err)
	return p
}

// worker starts a worker process, and waits until it serves.
func (ns *nodes) worker(c workerConfig) *process {
	ns.t.Helper()
	c.URL, c.Dir = ns.url(), ns.dir
	if c.Lease == 0 {
		c.Lease = theLease
	}
	p := startProcess(ns.t, c.Name, asWorker, c, ns.journal)
	ns.awaitReady(c.Name)
	return p
}

// awaitReady waits until a worker serves.
func (ns *nodes) awaitReady(name string) {
	ns.t.Helper()
	await(ns.t, ns.dir, func(e event) bool { return e.Kind == "ready" }, name)
}

// tasks are the tasks of the worker processes, for this one to submit.
func (ns *nodes) tasks() tasks { return makeTasks(ns.journal, theLease) }

func testContext(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

func jetStream(t testing.TB, ns *nodes) jetstream.JetStream {
	t.Helper()
	js, err := jetstream.New(ns.connect())
	require.NoError(t, err)
	return js
}

// memory is what the first server has resident.
func (ns *nodes) memory() int {
	ns.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", ns.running[0].cmd.Process.Pid))
	require.NoError(ns.t, err)
	var size, resident int
	_, err = fmt.Sscan(string(text), &size, &resident)
	require.NoError(ns.t, err)
	return resident * os.Getpagesize()
}
