// Package cron parses cron lines, and calculates when they come next: in any zone, and over every
// change of its clocks.
//
//	s, err := cron.Parse("30 2 * * MON-FRI", cron.Zone(berlin))
//	next := s.Next(time.Now())
//
// A [Schedule] is a value with Next, as package executor wants for a series on a calendar, and as
// package calendar composes.
//
// # Lines
//
// A line has five fields, separated by blanks: minute, hour, day of the month, month, weekday.
// Lines for [ParseSeconds] have a sixth in front, the second. A field is a list, separated by
// commas, of
//
//	5            one number
//	*            every number
//	8-17         a range; one that goes back wraps: 22-2 is 22, 23, 0, 1, 2
//	*/15 8-17/3  each 15th, each 3rd number of it, from its first on
//	5/15         each 15th number from 5 to the end
//	JAN, MON     names of three letters, in any case; 0 and 7 are Sunday
//	?            a star, of the day and the weekday only
//
// A day of the month may also be L (the last), L-3 (three days before the last), 15W (the weekday
// nearest to the 15th, in the same month) or LW (the last weekday). A day of the week may also be
// FRI#2 (the second Friday of the month) or FRIL (the last).
//
// If both the day and the weekday are restricted, either is enough, as POSIX wants; if one of them
// begins with a star, as in "0 0 */2 * MON", both must match, as in the cron of Paul Vixie.
//
// There are the macros @yearly, @annually, @monthly, @weekly (Sunday), @daily, @midnight, @hourly,
// and @every with a duration, which counts from the time asked. In front of all may stand a zone,
// as CRON_TZ=Europe/Berlin or TZ=Europe/Berlin.
//
// A line that cannot be meant is refused: a step larger than its range, as */90, which others take
// for every minute or every hour; a sixth field where five are asked for; text behind the line. The
// error shows where. A line that never comes is accepted: "0 0 31 2 *" switches a job off, and
// [Schedule.Never] reports it.
//
// # Changes of the clock
//
// A line whose second, minute or hour begins with a star is like an interval: it comes at every
// instant at which the clock shows one of its times, so */15 stays a quarter of an hour of elapsed
// time. All others are fixed: each matching day gets the runs that it asks for, once. A time in a
// gap comes at the end of the gap, a repeated time comes at its first instant; [Gap] and [Repeat]
// change that.
package cron
