package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "move:", err)
		os.Exit(1)
	}
}

// run is the command.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("move", flag.ContinueOnError)
	flags.SetOutput(out)
	from := flags.String("from", "", "URL of the server that has the pool")
	to := flags.String("to", "", "URL of the server, or of one of the cluster, that is to get it")
	fromCreds := flags.String("from-creds", "", "file of credentials for -from")
	toCreds := flags.String("to-creds", "", "file of credentials for -to")
	pool := flags.String("pool", "tasks", "name of the pool")
	replicas := flags.Int("replicas", 3, "on how many servers each message is stored: 1, 3 or 5")
	back := flags.Bool("back", false, "take back a move that was broken off: the old pool goes on")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *from == "" || *to == "" || flags.NArg() > 0 {
		return errors.New("it takes -from and -to, and flags only; -help tells of them")
	}
	source, err := dial(*from, *fromCreds)
	if err != nil {
		return err
	}
	defer source.close()
	destination, err := dial(*to, *toCreds)
	if err != nil {
		return err
	}
	defer destination.close()
	m := &move{
		pool: *pool, replicas: *replicas, from: source, to: destination, out: out,
		patience: 20 * time.Second,
	}
	if *back {
		return m.back(ctx)
	}
	return m.run(ctx)
}
