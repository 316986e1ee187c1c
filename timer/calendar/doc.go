// Package calendar has schedules that are put together from small parts: a nightly report, business
// hours, the last workday of a month, every second week, but not on holidays.
//
//	nightly := calendar.Daily(calendar.At(2, 30)).In(berlin)
//	payday := calendar.Monthly(calendar.At(9, 0), calendar.LastWorkday)
//	standup := calendar.EveryWeeks(2, firstMonday, calendar.At(9, 30), time.Monday)
//	open := calendar.All(
//		calendar.OnWeekdays(time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday),
//		calendar.Between(calendar.At(9, 0), calendar.At(17, 0)))
//	poll := calendar.Except(calendar.Within(cron.MustParse("*/15 * * * *"), open), holidays)
//
// A [Calendar] is anything that says which time comes next. A [Schedule] is one that this package
// has made. It is a small value: without state, safe for any number of goroutines, to be compared
// with ==, and to be printed. Nothing runs by itself: package executor takes a calendar for a
// series, and [Upcoming] lists its times.
//
// # Times of a clock, and elapsed time
//
// [Daily], [Weekly], [Monthly], [Yearly], [EveryDays] and [EveryWeeks] go by what a clock on the
// wall shows, in the zone that [Schedule.In] gives. [Every] is elapsed time: a grid of instants
// that no change of a clock moves.
//
// Clocks are put forward and back. A time of day that one night leaves out is not lost: the run
// comes at the first instant after the gap. A time of day that comes twice counts once, the first
// time. [Schedule.Gaps] and [Schedule.Repeats] change that.
//
// # Windows
//
// A [Window] is a part of all times: hours, weekdays, dates, months, weeks. [Within] keeps what is
// in one of some windows, [Except] keeps what is in none, and [All] makes one window of several
// that have to be open together. A window is asked about the time that the clock shows, or would
// have shown, in a gap: a run for 02:30 that comes at 03:00 is not in a window that begins at
// 03:00. Windows include their first moment, and not their end.
//
// # Never
//
// [Schedule.Next] returns the zero time if nothing comes any more. A schedule that does not come
// for 400 years, after which the calendar repeats itself, is taken never to come: finding that out
// takes some milliseconds, never an endless loop. The zero Schedule never comes, and the zero
// Window is never open.
package calendar
