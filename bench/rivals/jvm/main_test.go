package jvm_test

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/punctual-go/punctual/bench/rivals/jvm"
)

// found is the JDK of this machine, compiled for once for all tests.
var found = sync.OnceValues(func() (*jvm.JVM, error) { return jvm.Find("auto") })

func TestMain(m *testing.M) {
	// Nothing here runs for long enough to be worth optimizing, or a collector in parallel.
	os.Setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
	code := m.Run()
	if j, err := found(); err == nil {
		if err := j.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

func need(t *testing.T) *jvm.JVM {
	t.Helper()
	j, err := found()
	if errors.Is(err, jvm.ErrNone) {
		t.Skip("needs a JDK: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return j
}
