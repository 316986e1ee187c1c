package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

func TestTheBarIsFullWhenAllIsDone(t *testing.T) {
	all, err := newPlan(options{rounds: 2}, workload.All(), []contender{fake("pool", "", "soon", "fan-out"), fake("loop", "", "soon")})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	p := newProgress(&out, all, true)
	for i, w := range all.workloads {
		if p.bar.IsFinished() {
			t.Errorf("full before %s", w.Name)
		}
		p.begin(w)
		if i == 0 {
			p.note("something happened\n")
		}
		for range (w.rounds + 1) * len(w.contenders) {
			p.done(w)
		}
	}
	if !p.bar.IsFinished() {
		t.Error("not full")
	}
	p.end()
	for _, want := range []string{"soon", "fan-out", "something happened\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %q", want, &out)
		}
	}
}

func TestLongWorkloadsWeighMore(t *testing.T) {
	var least, most time.Duration = 1 << 60, 0
	for _, w := range workload.All() {
		d := planned{Workload: w, params: w.Params}.round()
		least, most = min(least, d), max(most, d)
		if w.Params["for_ms"] > d.Milliseconds() {
			t.Errorf("%s waits longer than %v", w.Name, d)
		}
	}
	if most < 10*least {
		t.Errorf("from %v to %v", least, most)
	}
}
