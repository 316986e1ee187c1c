package main

import (
	"context"
	"fmt"
	"net/url"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/punctual-go/punctual/cluster"
)

// node is what a process is told that is a nats-server.
type node struct {
	Name, Dir       string
	Port, RoutePort int
	Routes          []int // of all, if it is not alone
	Unsynced        bool  // the disk has what was acknowledged two minutes later at most
}

// live is the life of such a process.
func (n node) live() error {
	o := &server.Options{
		ServerName: n.Name, Host: "127.0.0.1", Port: n.Port,
		JetStream: true, StoreDir: n.Dir, SyncAlways: !n.Unsynced,
		JetStreamMaxStore: 4 << 30, JetStreamMaxMemory: 64 << 20,
		NoSigs: true, NoLog: true,
	}
	if len(n.Routes) > 0 {
		o.Cluster = server.ClusterOpts{Name: "bench", Host: "127.0.0.1", Port: n.RoutePort}
		for _, port := range n.Routes {
			o.Routes = append(o.Routes,
				&url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", port)})
		}
	}
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go s.Start()
	defer s.WaitForShutdown()
	defer s.Shutdown()
	if !s.ReadyForConnections(20 * time.Second) { // another process may have taken the port
		return fmt.Errorf("%s is not ready on port %d", n.Name, n.Port)
	}
	<-ctx.Done()
	return nil
}

// nodes are one server process, or a cluster of three, and this process as their client.
type nodes struct {
	*member
	site    *site
	configs []node
	running []*process
}

func startNodes(n int) func(context.Context, *site) (session, error) {
	return func(ctx context.Context, s *site) (session, error) {
		ns, err := bootNodes(s, n)
		if err != nil {
			return nil, err
		}
		if err := ns.enter(ctx); err != nil {
			ns.halt()
			return nil, err
		}
		return ns, nil
	}
}

func bootNodes(s *site, n int) (*nodes, error) {
	ports, err := freePorts(2 * n)
	if err != nil {
		return nil, err
	}
	ns := &nodes{site: s}
	for i := range n {
		c := node{
			Name: fmt.Sprintf("node%d", i), Dir: filepath.Join(s.dir, fmt.Sprint(i)),
			Port: ports[i], RoutePort: ports[n+i], Unsynced: s.unsynced,
		}
		if n > 1 {
			c.Routes = ports[n:]
		}
		ns.configs = append(ns.configs, c)
	}
	return ns, ns.boot()
}

func (ns *nodes) boot() error {
	for _, c := range ns.configs {
		p, err := startSelf(asNode, c)
		if err != nil {
			ns.halt()
			return err
		}
		ns.running = append(ns.running, p)
	}
	return nil
}

func (ns *nodes) halt() {
	for _, p := range ns.running {
		p.end(syscall.SIGTERM)
	}
	ns.running = nil
}

func (ns *nodes) url() string {
	var urls []string
	for _, c := range ns.configs {
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", c.Port))
	}
	return strings.Join(urls, ",")
}

// enter makes this process a client as soon as the servers answer.
func (ns *nodes) enter(ctx context.Context) error {
	var conn *nats.Conn
	err := patiently(ctx, ns.running[0], func(context.Context) (err error) {
		conn, err = nats.Connect(ns.url())
		return err
	})
	if err != nil {
		return err
	}
	m, err := join(ctx, conn, ns.site, cluster.Replicas(len(ns.configs)))
	if err != nil {
		conn.Close()
		return err
	}
	m.server = ns.halt
	ns.member = m
	return nil
}

// joinNodes takes part in a pool as one of several processes.
func joinNodes(ctx context.Context, where string, s *site) (session, error) {
	conn, err := connect(ctx, where)
	if err != nil {
		return nil, err
	}
	m, err := join(ctx, conn, s)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return m, nil
}

func connect(ctx context.Context, url string) (*nats.Conn, error) {
	for {
		conn, err := nats.Connect(url)
		if err == nil {
			return conn, nil
		}
		if err := pause(ctx, 2*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// Restart ends the server politely and starts it again.
func (ns *nodes) Restart(ctx context.Context) (begun time.Time, err error) {
	ns.Close()
	begun = time.Now()
	if err := ns.boot(); err != nil {
		return begun, err
	}
	return begun, ns.enter(ctx)
}

func (ns *nodes) Servers() []*process { return ns.running }

func (ns *nodes) Where() string { return ns.url() }

// Resident is what the server has in memory.
func (ns *nodes) Resident() int { return ns.running[0].resident() }
