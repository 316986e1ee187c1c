package cron_test

import (
	"fmt"
	"time"

	"github.com/punctual-go/punctual/timer/cron"
)

func Example() {
	nightly, err := cron.Parse("0 3 * * MON-FRI", cron.Zone(time.UTC))
	if err != nil {
		fmt.Println(err)
		return
	}
	friday := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	fmt.Println(nightly.Describe())
	fmt.Println(nightly.Next(friday).Format(time.RFC1123))
	// Output:
	// at 03:00 on weekdays, UTC
	// Mon, 23 Nov 2026 03:00:00 UTC
}

// On 29 March 2026 the clocks of Berlin go from 02:00 to 03:00, so there is no 02:30.
func ExampleGap() {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		fmt.Println(err)
		return
	}
	evening := time.Date(2026, time.March, 28, 20, 0, 0, 0, berlin)

	backup := cron.MustParse("30 2 * * *", cron.Zone(berlin))
	fmt.Println(backup.Next(evening))

	strict := cron.MustParse("30 2 * * *", cron.Zone(berlin), cron.Gap(cron.Skip))
	fmt.Println(strict.Next(evening))
	// Output:
	// 2026-03-29 03:00:00 +0200 CEST
	// 2026-03-30 02:30:00 +0200 CEST
}

// On 25 October 2026 the clocks of Berlin go from 03:00 to 02:00, so there are two 02:30.
func ExampleRepeat() {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		fmt.Println(err)
		return
	}
	show := func(s cron.Schedule) {
		at := time.Date(2026, time.October, 25, 0, 0, 0, 0, berlin)
		for range 2 {
			at = s.Next(at)
			fmt.Println(at)
		}
	}
	show(cron.MustParse("30 2 * * *", cron.Zone(berlin)))
	show(cron.MustParse("30 2 * * *", cron.Zone(berlin), cron.Repeat(cron.Both)))
	// Output:
	// 2026-10-25 02:30:00 +0200 CEST
	// 2026-10-26 02:30:00 +0100 CET
	// 2026-10-25 02:30:00 +0200 CEST
	// 2026-10-25 02:30:00 +0100 CET
}

// A line that begins with a star in its minute is like an interval: a quarter of an hour stays one.
func ExampleSchedule_Interval() {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		fmt.Println(err)
		return
	}
	quarterly := cron.MustParse("*/15 * * * *", cron.Zone(berlin))
	at := time.Date(2026, time.March, 29, 1, 30, 0, 0, berlin)
	for range 3 {
		at = quarterly.Next(at)
		fmt.Println(at)
	}
	// Output:
	// 2026-03-29 01:45:00 +0100 CET
	// 2026-03-29 03:00:00 +0200 CEST
	// 2026-03-29 03:15:00 +0200 CEST
}

func ExampleParseError() {
	for _, line := range []string{"*/90 * * * *", "0 9 * * MON-FRY"} {
		_, err := cron.Parse(line)
		fmt.Println(err)
	}
	// Output:
	// cron: minute: a step of 90 is larger than the range, which is 59
	// 	*/90 * * * *
	// 	  ^^
	// cron: weekday: "FRY" is neither a number nor a name of three letters
	// 	0 9 * * MON-FRY
	// 	            ^^^
}

// A Schedule fits wherever something with Next is wanted, as in schedulers of other packages.
func ExampleSchedule_Next() {
	upcoming := func(c interface{ Next(time.Time) time.Time }, after time.Time, n int) {
		for range n {
			if after = c.Next(after); after.IsZero() {
				fmt.Println("never again")
				return
			}
			fmt.Println(after.Format(time.DateTime))
		}
	}
	now := time.Date(2026, time.November, 22, 10, 0, 0, 0, time.UTC)
	upcoming(cron.MustParse("0 0 LW * *"), now, 3)
	upcoming(cron.MustParse("0 0 31 2 *"), now, 3)
	// Output:
	// 2026-11-30 00:00:00
	// 2026-12-31 00:00:00
	// 2027-01-29 00:00:00
	// never again
}

// MustParse is for lines in the program itself: it panics at a wrong one.
func ExampleMustParse() {
	payday := cron.MustParse("0 9 LW * *", cron.Zone(time.UTC)) // the last workday of the month
	at := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	for range 2 {
		at = payday.Next(at)
		fmt.Println(at.Format("Monday, 2 January, 15:04"))
	}
	// Output:
	// Friday, 30 January, 09:00
	// Friday, 27 February, 09:00
}
