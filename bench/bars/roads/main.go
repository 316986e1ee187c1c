// Command roads makes the usual calls of package executor, each by itself on a warm pool at rest,
// and writes into a folder what each has executed: a folder by the name of the call, in it one for
// each round, in that the coverage counters. Build it with -cover -covermode=atomic.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/coverage"
	"strconv"
	"time"
)

// rounds is how often each call is made. It is odd, so that one of them is in the middle.
const rounds = 5

// settling is the time after which a pool is at rest.
const settling = 30 * time.Millisecond

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: roads folder")
		os.Exit(2)
	}
	for _, r := range roads {
		for round := range rounds {
			r.walk(func(call func()) {
				must(record(filepath.Join(os.Args[1], r.name, strconv.Itoa(round)), call))
			})
		}
	}
}

// record writes the counters of one call into a folder.
func record(folder string, call func()) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	time.Sleep(settling)
	if err := coverage.ClearCounters(); err != nil {
		return err
	}
	call()
	if err := coverage.WriteCountersDir(folder); err != nil {
		return err
	}
	return coverage.WriteMetaDir(folder)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
