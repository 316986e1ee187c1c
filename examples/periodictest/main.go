// Periodictest is about tests of periodic code. The program rings an alarm; see alarm_test.go for
// how an hour of it is tested in a millisecond, without a sleep that is too short on a busy
// machine.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/punctual-go/punctual/executor"
)

func main() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	begun := time.Now()
	alarm := &Alarm{
		Gauge: func(context.Context) (float64, error) { return time.Since(begun).Seconds() * 100, nil },
		Limit: 50, Row: 3,
		Ring: func(_ time.Time, value float64) { fmt.Printf("the alarm rings: %.0f degrees\n", value) },
	}
	job, err := alarm.Watch(pool, 100*time.Millisecond)
	if err != nil {
		log.Fatal(err) //nolint:gocritic // the process ends, and with it the pool
	}
	time.Sleep(time.Second)
	fmt.Println(job.Runs(), "samples; now run: go test -v ./periodictest")
}
