package calendar_test

import (
	"fmt"
	"time"

	"github.com/punctual-go/punctual/timer/calendar"
	"github.com/punctual-go/punctual/timer/cron"
)

// show prints the next times of a calendar, as a clock in Berlin shows them.
func show(c calendar.Calendar, after time.Time, n int) {
	for at := range calendar.Upcoming(c, after) {
		fmt.Println(at.In(berlin).Format("Mon 2006-01-02 15:04"))
		if n--; n == 0 {
			return
		}
	}
}

// A nightly report. In the night of the 29th, clocks go from 02:00 to 03:00.
func ExampleDaily() {
	report := calendar.Daily(calendar.At(2, 30)).In(berlin)
	show(report, in(berlin, "2026-03-27 12:00"), 3)
	// Output:
	// Sat 2026-03-28 02:30
	// Sun 2026-03-29 03:00
	// Mon 2026-03-30 02:30
}

// Business hours, but for holidays.
func ExampleWithin() {
	week := calendar.OnWeekdays(
		time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday)
	hours := calendar.Between(calendar.At(9, 0), calendar.At(17, 0))
	christmas := calendar.All(calendar.InMonths(time.December),
		calendar.OnDays(calendar.Day(25), calendar.Day(26)))

	poll := calendar.Within(cron.MustParse("*/15 * * * *"), calendar.All(week, hours))
	poll = calendar.Except(poll, christmas).In(berlin)
	show(poll, in(berlin, "2026-12-24 16:20"), 3)
	// Output:
	// Thu 2026-12-24 16:30
	// Thu 2026-12-24 16:45
	// Mon 2026-12-28 09:00
}

// The last day of each month from Monday to Friday.
func ExampleMonthly() {
	payday := calendar.Monthly(calendar.At(9, 0), calendar.LastWorkday).In(berlin)
	show(payday, in(berlin, "2026-10-01 00:00"), 3)
	// Output:
	// Fri 2026-10-30 09:00
	// Mon 2026-11-30 09:00
	// Thu 2026-12-31 09:00
}

// Every second Monday, also over the turn of a year that has 53 weeks.
func ExampleEveryWeeks() {
	anchor := calendar.NewDate(2026, time.November, 30)
	review := calendar.EveryWeeks(2, anchor, calendar.At(9, 30), time.Monday).In(berlin)
	show(review, in(berlin, "2026-12-10 00:00"), 3)
	// Output:
	// Mon 2026-12-14 09:30
	// Mon 2026-12-28 09:30
	// Mon 2027-01-11 09:30
}

// A run for 02:30 that the clock leaves out counts as one for 02:30, although it comes at 03:00.
func ExampleExcept() {
	maintenance := calendar.Between(calendar.At(3, 0), calendar.At(4, 0))
	backup := calendar.Except(calendar.Daily(calendar.At(2, 30)), maintenance).In(berlin)
	show(backup, in(berlin, "2026-03-28 12:00"), 1)
	// Output: Sun 2026-03-29 03:00
}

// Twice a day, and at noon on Sundays.
func ExampleUnion() {
	meals := calendar.Union(
		calendar.Daily(calendar.At(8, 0)),
		calendar.Daily(calendar.At(19, 0)),
		calendar.Weekly(calendar.At(12, 0), time.Sunday),
	).In(berlin)
	fmt.Println(meals)
	show(meals, in(berlin, "2026-11-21 12:00"), 4)
	// Output:
	// daily at 08:00 in Europe/Berlin; daily at 19:00 in Europe/Berlin; weekly at 12:00 on Sun in Europe/Berlin
	// Sat 2026-11-21 19:00
	// Sun 2026-11-22 08:00
	// Sun 2026-11-22 12:00
	// Sun 2026-11-22 19:00
}

// Every ninety minutes of elapsed time, until a deadline.
func ExampleEvery() {
	noon := in(berlin, "2026-11-22 12:00")
	measure := calendar.Until(calendar.Every(90*time.Minute, noon), noon.Add(4*time.Hour))
	show(measure, noon, 9)
	// Output:
	// Sun 2026-11-22 13:30
	// Sun 2026-11-22 15:00
}

func ExampleSchedule_Prev() {
	nightly := calendar.Daily(calendar.At(2, 30)).In(berlin)
	now := time.Date(2026, 3, 29, 12, 0, 0, 0, berlin)
	fmt.Println("should have come at", nightly.Prev(now)) // 02:30 was left out that night

	from := now.AddDate(0, 0, -3)
	for at := range nightly.Between(from, now) {
		fmt.Println(at)
	}
	// Output:
	// should have come at 2026-03-29 03:00:00 +0200 CEST
	// 2026-03-27 02:30:00 +0100 CET
	// 2026-03-28 02:30:00 +0100 CET
	// 2026-03-29 03:00:00 +0200 CEST
}
