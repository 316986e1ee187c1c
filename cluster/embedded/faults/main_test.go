// Package faults tries the pool with real servers and real processes, which are killed, stopped and
// continued: the test binary runs itself again as each of them.
package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

const (
	asServer = "PUNCTUAL_TEST_SERVER" // holds a nodeConfig
	asWorker = "PUNCTUAL_TEST_WORKER" // holds a workerConfig
	asWhole  = "PUNCTUAL_TEST_WHOLE"  // holds a wholeConfig
	forLong  = "PUNCTUAL_TEST_LONG"   // set: the long set as well
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(asServer) != "":
		child(asServer, serveNode)
	case os.Getenv(asWorker) != "":
		child(asWorker, work)
	case os.Getenv(asWhole) != "":
		child(asWhole, serveWhole)
	default:
		os.Exit(m.Run())
	}
}

func child[C any](variable string, run func(C) error) {
	var config C
	if err := json.Unmarshal([]byte(os.Getenv(variable)), &config); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if err := run(config); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// long tells whether the long set is asked for, and scales a number by it.
func long(short, full int) int {
	if os.Getenv(forLong) != "" {
		return full
	}
	return short
}
