package main

import (
	"errors"
	"slices"
	"testing"
)

// The player in Java understands programs, and writes journals, as that in Go does. What it cannot
// do there is found, and said in the same words.
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
				for name, possible := range map[string][]verdict{
					"a cancelled task never begins":          {keeps()},
					"withdrawn or begun, never both":         {keeps(), cannot(lacks["withdraw"])},
					"what the body wrote is there after get": {keeps(), cannot(lacks["get"])},
					"shutdown at once settles the futures of the rest": {
						keeps(), breaks("get waits on"), cannot(lacks["get"]),
					},
					"a bound refuses exactly at the bound": {cannot(lacks["bound"])},
				} {
					if v := c.keep(t.Context(), promiseNamed(t, name)); !slices.Contains(possible, v) {
						t.Errorf("%s: %v", name, v)
					}
				}
			})
		}
	}
}
