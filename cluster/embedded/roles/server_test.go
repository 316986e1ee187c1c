// Package roles tries the roles of package rights on a server that enforces them: each may do its
// verbs, and nothing else.
package roles

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/rights"
)

const password = "change-me"

// guarded is a server that has one user for each role, of the role's name. Each has its role in the
// pool "tasks", which there is, and in "fresh", which there is not.
type guarded struct {
	t      *testing.T
	server *server.Server
}

func startGuarded(t *testing.T, more ...rights.User) *guarded {
	t.Helper()
	var users []rights.User
	for _, role := range mayLook {
		users = append(users, rights.User{Name: string(role), Password: password,
			Roles: map[string]rights.Role{"tasks": role, "fresh": role}})
	}
	g := &guarded{t: t, server: startWith(t, append(users, more...))}
	g.join("admin") // makes the pool
	return g
}

// startWith starts a server with users as its configuration has them.
func startWith(t *testing.T, users []rights.User) *server.Server {
	t.Helper()
	block, err := rights.Config(users...)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "nats.conf")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil,
		"listen: 127.0.0.1:-1\njetstream { store_dir: %q }\n%s", t.TempDir(), block), 0o600))
	o, err := server.ProcessConfigFile(file)
	require.NoError(t, err)
	o.NoLog, o.NoSigs = true, true
	s, err := server.NewServer(o)
	require.NoError(t, err)
	go s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	require.True(t, s.ReadyForConnections(10*time.Second))
	return s
}

// connect connects as a user, and collects what the server refuses.
func (g *guarded) connect(user string, opts ...nats.Option) (*nats.Conn, <-chan error) {
	g.t.Helper()
	refused := make(chan error, 1000)
	opts = append(opts, nats.UserInfo(user, password), nats.CustomInboxPrefix(rights.Inbox(user)),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
	nc, err := nats.Connect(g.server.ClientURL(), opts...)
	require.NoError(g.t, err)
	g.t.Cleanup(nc.Close)
	return nc, refused
}

// join joins the pool as a user.
func (g *guarded) join(user string) (*nats.Conn, *cluster.Pool) {
	g.t.Helper()
	conn, _ := g.connect(user)
	p, err := cluster.Join(within(g.t, time.Minute), conn)
	require.NoError(g.t, err)
	return conn, p
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}
