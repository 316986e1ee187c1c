// Package calendars holds the tests of tasks on calendars: of pools and loops, in virtual time,
// with a wall clock that is set, and with calendars that misbehave.
package calendars
