package main

import (
	"context"
	"os/exec"
	"strings"
	"testing"
)

func contenderNamed(t *testing.T, name string) contender {
	t.Helper()
	f := field{}
	var err error
	if f.contenders, err = goContenders(); err == nil {
		err = f.choose(name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f.contenders[0]
}

func promiseNamed(t *testing.T, name string) promise {
	t.Helper()
	for _, p := range promises() {
		if p.name == name {
			return p
		}
	}
	t.Fatal("there is no such promise")
	return promise{}
}

func TestSystemPlaysInAProcessOfItsOwn(t *testing.T) {
	p := promiseNamed(t, "a panic harms no other task")
	if v := contenderNamed(t, "punctual").keep(t.Context(), p); v != keeps() {
		t.Error(v)
	}
	v := contenderNamed(t, "AfterFunc").keep(t.Context(), p)
	if v != breaks("the process died: panic: as the program wants it") {
		t.Error(v)
	}
}

// Every system in Go is one that its process finds, and opens.
func TestEverySystemCanBeOpened(t *testing.T) {
	all, err := goContenders()
	if err != nil {
		t.Fatal(err)
	}
	p := promise{program: "open 1", judge: func(journal, documents) verdict { return keeps() }}
	for _, c := range all {
		if v := c.keep(t.Context(), p); v != keeps() {
			t.Errorf("%s: %v", c.name, v)
		}
	}
}

func TestProcessThatSaysNothingHasDied(t *testing.T) {
	c := contender{command: func(ctx context.Context) *exec.Cmd {
		return exec.CommandContext(ctx, "this-program-is-not-here")
	}}
	v := c.keep(t.Context(), promises()[0])
	if v.kind != broken || !strings.HasPrefix(v.seen, "the process died: exec: ") {
		t.Error(v)
	}
}

// A machine that stands still must not make a system look bad: where that can be, one play of three
// will do.
func TestPromiseAboutTimesIsPlayedAgain(t *testing.T) {
	for slow, want := range map[bool]verdict{false: breaks("at first"), true: keeps()} {
		n := 0
		p := promise{program: "open 1", slow: slow, judge: func(journal, documents) verdict {
			if n++; n < 3 {
				return breaks("at first")
			}
			return keeps()
		}}
		if v := contenderNamed(t, "punctual").keep(t.Context(), p); v != want {
			t.Errorf("slow %t: %v", slow, v)
		}
	}
}
