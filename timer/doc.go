// Package timer holds what all timer facilities of this module have in common: the contract
// [Scheduler], which package timertest checks, and periodic work on top of it.
package timer
