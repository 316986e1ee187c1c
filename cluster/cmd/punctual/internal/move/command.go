package move

import (
	"context"
	"io"
	"time"
)

// Command is what the command line says of a move.
type Command struct {
	From      string `required:"" placeholder:"URL" help:"The server that has the pool."`
	To        string `required:"" placeholder:"URL" help:"The server, or one of the cluster, that is to get it."`
	FromCreds string `placeholder:"FILE" help:"Credentials for --from."`
	ToCreds   string `placeholder:"FILE" help:"Credentials for --to."`
	Replicas  int    `default:"3" help:"On how many servers each message is stored: 1, 3 or 5."`
	Back      bool   `help:"Take back a move that was broken off: the old pool goes on."`
}

// Do moves a pool, or takes a move back, and says on out what it does.
func (c *Command) Do(ctx context.Context, pool string, out io.Writer) error {
	source, err := dial(c.From, c.FromCreds)
	if err != nil {
		return err
	}
	defer source.close()
	destination, err := dial(c.To, c.ToCreds)
	if err != nil {
		return err
	}
	defer destination.close()
	m := &move{
		pool: pool, replicas: c.Replicas, from: source, to: destination, out: out,
		patience: 20 * time.Second,
	}
	if c.Back {
		return m.back(ctx)
	}
	return m.run(ctx)
}
