// Package bars holds the structure of the main module at figures that may only get smaller: how big
// the biggest type is, how many files refer to each other in a circle, how many functions one call
// executes.
//
// A bar is a line of the table in table.go. Its test fails above the limit, and also below it: then
// the line is to be lowered, so that nothing grows back. To see all figures, and what they consist
// of:
//
//	go -C bench test -v ./bars
//
// The figures are of the source for linux/amd64, without tests. What calls execute is counted on
// Linux only.
package bars
