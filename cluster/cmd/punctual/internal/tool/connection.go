package tool

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/user"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/rights"
)

// connection says which server, and as whom.
type connection struct {
	Server  string        `short:"s" env:"NATS_URL" default:"nats://127.0.0.1:4222" placeholder:"URL" help:"The server, or several of a cluster, separated by commas."`
	Creds   string        `env:"NATS_CREDS" placeholder:"FILE" help:"Credentials of the user."`
	User    string        `env:"NATS_USER" help:"The user, where there are passwords."`
	Secret  string        `name:"password" env:"NATS_PASSWORD" help:"The password. The variable is safer: others see a command line."`
	Inbox   string        `env:"NATS_INBOX_PREFIX" placeholder:"PREFIX" help:"Where answers go. Without it, _INBOX_ and the name of the --user, as package rights has it, or else _INBOX."`
	CA      string        `name:"tls-ca" env:"NATS_CA" placeholder:"FILE" help:"Certificates that the server's is signed with."`
	Cert    string        `name:"tls-cert" env:"NATS_CERT" placeholder:"FILE" help:"The certificate of the user."`
	Key     string        `name:"tls-key" env:"NATS_KEY" placeholder:"FILE" help:"Its key."`
	Timeout time.Duration `default:"10s" help:"How long to wait for the server."`
}

func (c *connection) dial() (*nats.Conn, error) {
	opts := []nats.Option{
		nats.Name("punctual"), nats.Timeout(c.Timeout),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // told by what fails
	}
	if c.Creds != "" {
		opts = append(opts, nats.UserCredentials(c.Creds))
	}
	if c.User != "" {
		opts = append(opts, nats.UserInfo(c.User, c.Secret))
	}
	switch {
	case c.Inbox != "":
		opts = append(opts, nats.CustomInboxPrefix(c.Inbox))
	case c.User != "":
		opts = append(opts, nats.CustomInboxPrefix(rights.Inbox(c.User)))
	}
	if c.CA != "" {
		opts = append(opts, nats.RootCAs(c.CA))
	}
	if (c.Cert == "") != (c.Key == "") {
		return nil, fmt.Errorf("%w: --tls-cert and --tls-key belong together", errWrongUse)
	}
	if c.Cert != "" {
		opts = append(opts, nats.ClientCert(c.Cert, c.Key))
	}
	nc, err := nats.Connect(c.Server, opts...)
	var refused *net.OpError
	switch {
	case errors.As(err, &refused):
		return nil, fmt.Errorf("%w: %w", errNoServer, err)
	case err != nil:
		return nil, fmt.Errorf("connecting: %w", err)
	}
	return nc, nil
}

// connected calls do with a connection.
func (t *tool) connected(
	ctx context.Context, do func(ctx context.Context, nc *nats.Conn) error,
) error {
	nc, err := t.dial()
	if err != nil {
		return err
	}
	defer nc.Close()
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	err = do(ctx, nc)
	// What is not allowed is said beside the answer, which never comes.
	if last := nc.LastError(); ctx.Err() != nil && errors.Is(last, nats.ErrPermissionViolation) {
		err = fmt.Errorf("%w: %w", last, err)
	}
	return err
}

// joined calls do with the pool.
func (t *tool) joined(
	ctx context.Context, do func(ctx context.Context, p *cluster.Pool) error,
) error {
	return t.connected(ctx, func(ctx context.Context, nc *nats.Conn) error {
		p, err := cluster.Join(ctx, nc, cluster.Name(t.Pool), cluster.MustExist(),
			cluster.Instance(whoami()))
		if err != nil {
			return err
		}
		defer p.Close()
		return do(ctx, p)
	})
}

// whoami is who gives a command, as far as the system knows.
func whoami() string {
	name, host := "unknown", "unknown"
	if u, err := user.Current(); err == nil && u.Username != "" {
		name = u.Username
	}
	if h, err := os.Hostname(); err == nil {
		host = h
	}
	return name + "@" + host
}
