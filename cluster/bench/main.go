// Command bench measures package cluster beside River on PostgreSQL and asynq on Redis, all of them
// in one run and by turns:
//
//	go -C cluster/bench run .                        # all of it, some twenty minutes
//	go -C cluster/bench run . -quick                 # small sizes: to see that it works
//	go -C cluster/bench run . -only arm,lateness -systems "1 server,River"
//
// It starts servers of its own, on free ports of 127.0.0.1 and with data in a temporary directory.
// A system whose server is not installed is left out. It needs Linux.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

func main() {
	becomeChild()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	rounds := flags.Int("rounds", 3, "measure each system this many times, by turns")
	only := flags.String("only", "", "workloads, by comma: arm, batch, forget, crew, transaction, "+
		"unsynced, latency, throughput, lateness, restart, death")
	chosen := flags.String("systems", "", "systems, by comma, as the tables name them")
	out := flags.String("out", "", "write the tables to a file as well")
	small := flags.Bool("quick", false, "small sizes: to see that it works")
	if err := flags.Parse(args); err != nil {
		return err
	}
	b := &bench{rounds: *rounds, sizes: full(), progress: os.Stderr}
	if *small {
		b.sizes = quick()
	}
	var err error
	if b.workloads, err = choose(workloads(b.sizes), *only,
		func(w workload) string { return w.name }); err != nil {
		return err
	}
	if b.systems, err = choose(systems(), *chosen,
		func(s system) string { return s.name }); err != nil {
		return err
	}
	text := &strings.Builder{}
	failed := b.run(ctx, io.MultiWriter(os.Stdout, text))
	if *out != "" {
		if err := os.WriteFile(*out, []byte(text.String()), 0o644); err != nil {
			return err
		}
	}
	return failed
}

// choose returns those of all whose names are listed, or all if none is.
func choose[T any](all []T, list string, name func(T) string) (some []T, err error) {
	if list == "" {
		return all, nil
	}
	for _, want := range strings.Split(list, ",") {
		i := slices.IndexFunc(all, func(v T) bool { return name(v) == strings.TrimSpace(want) })
		if i < 0 {
			return nil, fmt.Errorf("there is no %q", want)
		}
		some = append(some, all[i])
	}
	return some, nil
}
