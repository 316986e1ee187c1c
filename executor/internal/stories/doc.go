// Package stories holds tests alone: stories of a pool, to be read. Each file of testdata is one.
// It says in a few lines what it shows. Then come commands, and below each of them the trace of all
// that happened until the next:
//
//	> a scheduled pool of 1 worker
//	> schedule tea in 3m
//	        0s  tea submitted for 3m0s
//	> wait 5m
//	      3m0s  tea begins
//	      3m0s  tea's future: succeeded
//	      3m0s  tea ends
//
// A line that begins with "> " is a command, an indented line belongs to the trace, and all else is
// prose. A command that ends with a comma goes on in the next line, which begins with "> " too. The
// tables in commands_test.go, poolclauses_test.go and taskclauses_test.go have the phrases that a
// command may consist of. A new story may need a new phrase: it is one line there.
//
// A story runs in a testing/synctest bubble, so its times are exact. What it shows is what the
// observers, the log, the futures and the calls of package executor say; nothing is looked up
// inside a pool. A future is watched from the return of its submission on. The comment of
// trace.moment says in which order lines of the same time stand.
//
// The traces are compared byte by byte. To write them anew, and then to read them, run
//
//	go test ./executor/internal/stories -update
package stories
