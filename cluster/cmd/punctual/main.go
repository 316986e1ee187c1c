package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/punctual-go/punctual/cluster/cmd/punctual/internal/tool"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := tool.Run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
