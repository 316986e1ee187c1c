package main

import (
	"os"
	"testing"
	"testing/synctest"
)

func TestMain(m *testing.M) {
	if playInChild(os.Args, os.Stdin, os.Stdout) {
		return
	}
	os.Exit(m.Run())
}

// asked is what becomes of a promise in virtual time.
func asked(t *testing.T, p promise, s system) (v verdict, j journal) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		j = play(p.steps(), s, nil)
		v = p.verdict(j, s.says, "")
	})
	return v, j
}

func TestThisModuleKeepsEveryPromise(t *testing.T) {
	for _, p := range promises() {
		t.Run(p.name, func(t *testing.T) {
			if v, _ := asked(t, p, punctualPool()); v != keeps() {
				t.Errorf("%v", v)
			}
		})
	}
}

// The programs would be worth nothing if nothing broke them.
func TestEveryPromiseCanBeBroken(t *testing.T) {
	for _, p := range promises() {
		t.Run(p.name, func(t *testing.T) {
			damage := damages[p.name]
			if damage == nil {
				t.Fatal("nothing breaks it")
			}
			if v, _ := asked(t, p, damage(punctualPool())); v.kind != broken || v.seen == "" {
				t.Errorf("%v", v)
			} else {
				t.Log(v.seen)
			}
		})
	}
}

func TestSystemWithoutAVerbIsAskedForNothingThatNeedsIt(t *testing.T) {
	bare := system{open: func(int, int) (facility, error) { return facility{}, nil }}
	for _, p := range promises() {
		if v, _ := asked(t, p, bare); v.kind != impossible || v.seen == "" {
			t.Errorf("%s: %v", p.name, v)
		}
	}
}

func TestSystemThatSaysNothingOfShutdownIsHeldToNothing(t *testing.T) {
	s := punctualPool()
	s.says = documents{}
	for _, p := range shutdowns()[:2] {
		if v, _ := asked(t, p, s); v.kind != impossible {
			t.Errorf("%s: %v", p.name, v)
		}
	}
}
