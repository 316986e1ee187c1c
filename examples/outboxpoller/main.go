// Outboxpoller moves messages from an outbox table to a broker, in order, without overlap, and with
// back-off while the broker is down. Both are in memory here.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/punctual-go/punctual/executor"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	pool := executor.NewScheduledPool(1, executor.Name("jobs"))
	defer pool.Close()

	from, to := &table{begun: time.Now()}, &broker{}
	if _, err := Poll(pool, 100*time.Millisecond, time.Second, from, to); err != nil {
		log.Fatal(err) //nolint:gocritic // the process ends, and with it the pool
	}
	for i := range 8 {
		from.add(150)
		to.set(2 <= i && i < 5)
		select {
		case <-time.After(400 * time.Millisecond):
		case <-ctx.Done():
			return
		}
		fmt.Printf("%4d messages written, %4d sent\n", 150*(i+1), to.count())
	}
}
