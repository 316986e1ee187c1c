package alerts_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/punctual-go/punctual/contrib/alerts"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

func nothing(context.Context) error { return nil }

// The URLs are secrets, so they come from the environment.
func Example() {
	alerter, err := alerts.New(alerts.Config{
		Webhook:    os.Getenv("ALERTS_WEBHOOK"),
		Heartbeats: map[string]string{"backup": os.Getenv("BACKUP_HEARTBEAT")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	jobs := executor.NewScheduledPool(4, executor.Name("jobs"),
		executor.Watch(insight.Config{History: true}),
		executor.Observe(alerter.Observer()))
	if err := alerter.Watch(jobs); err != nil {
		log.Fatal(err)
	}
	// …
	jobs.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := alerter.Close(ctx); err != nil {
		log.Print(err)
	}
	// Output: alerts: heartbeat of "backup": not a URL
}
