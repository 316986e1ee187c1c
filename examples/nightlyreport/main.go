// Nightlyreport shows when a report that is due at 03:00 in Berlin runs, on the nights when the
// clocks change and on others, and then makes one.
package main

import (
	"context"
	"fmt"
	"log"
	"time"
	_ "time/tzdata" // so that zones are known on any machine

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/timer/calendar"
	"github.com/punctual-go/punctual/timer/cron"
)

func main() {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		log.Fatal(err)
	}
	for _, night := range []time.Time{
		time.Date(2027, 3, 27, 12, 0, 0, 0, berlin), // clocks go forward
		time.Date(2027, 7, 1, 12, 0, 0, 0, berlin),
		time.Date(2027, 10, 30, 12, 0, 0, 0, berlin), // clocks go back
	} {
		for at := range calendar.Upcoming(cron.MustParse("0 3 * * *", cron.Zone(berlin)), night) {
			fmt.Printf("%s: report of %v, %v after noon\n", at.Format(time.RFC1123Z), before(at), at.Sub(night))
			break
		}
	}

	pool := executor.NewScheduledPool(1, executor.Name("jobs"))
	defer pool.Close()
	done := make(chan struct{})
	job, err := Nightly(pool, berlin, func(_ context.Context, d Day) error {
		fmt.Println("made the report of", d)
		close(done)
		return nil
	})
	if err != nil {
		log.Fatal(err) //nolint:gocritic // the process ends, and with it the pool
	}
	if next, ok := job.Next(); ok {
		fmt.Println("the next is due at", next.In(berlin).Format(time.RFC1123Z), "- but let us see it now")
	}
	job.Trigger()
	<-done
}
