package move

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/cmd/punctual/internal/servers"
)

var (
	startServer = servers.One
	startThree  = servers.Three
	start       = servers.Start
	options     = servers.Options
	connect     = servers.Connect
	join        = servers.Join
	serve       = servers.Serve
	testContext = servers.Context
)

func joinError(t testing.TB, urls string, opts ...cluster.Option) error {
	t.Helper()
	_, err := cluster.Join(testContext(t), connect(t, urls), opts...)
	return err
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
