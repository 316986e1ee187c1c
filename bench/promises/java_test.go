package main

import (
	"errors"
	"testing"
)

// The player in Java understands programs, and writes journals, as that in Go does. What it cannot
// do there is found in the same words.
func TestPlayerInJavaIsThatInGo(t *testing.T) {
	for _, version := range []int{17, 25} {
		j, err := newJava(version)
		if errors.Is(err, errNoJDK) {
			t.Log(err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = j.close() })
		for _, c := range j.contenders() {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				v := c.keep(t.Context(), promiseNamed(t, "withdrawn or begun, never both"))
				if v != keeps() && v != cannot(lacks["withdraw"]) {
					t.Error(v)
				}
				v = c.keep(t.Context(), promiseNamed(t, "a bound refuses exactly at the bound"))
				if v != cannot(lacks["bound"]) {
					t.Error(v)
				}
				v = c.keep(t.Context(), promiseNamed(t, "a cancelled task never begins"))
				if v != keeps() {
					t.Error(v)
				}
			})
		}
	}
}
