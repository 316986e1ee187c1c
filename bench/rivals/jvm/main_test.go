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

// found25 is the JDK 25 of this machine.
var found25 = sync.OnceValues(jvm.Find25)

func TestMain(m *testing.M) {
	// Nothing here runs for long enough to be worth optimizing, or a collector in parallel.
	os.Setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
	code := m.Run()
	for _, find := range []func() (*jvm.JVM, error){found, found25} {
		j, err := find()
		if err == nil {
			err = j.Close()
		}
		if err != nil && !errors.Is(err, jvm.ErrNone) {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

func need(t *testing.T) *jvm.JVM {
	t.Helper()
	return orSkip(t, found)
}

func orSkip(t *testing.T, find func() (*jvm.JVM, error)) *jvm.JVM {
	t.Helper()
	j, err := find()
	if errors.Is(err, jvm.ErrNone) {
		t.Skip("needs a JDK: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return j
}
