package jvm_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/punctual-go/punctual/bench/rivals/jvm"
	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// sizes are for each kind as small as still makes sense. Bytes of a task need many tasks.
var sizes = map[string]workload.Params{
	"schedule-cancel": {"pending": 100, "ops": 1000},
	"pairs":           {"pending": 100, "ops": 1001, "goroutines": 3},
	"timeouts":        {"ops": 1001, "servers": 2},
	"soon":            {"n": 1000},
	"due":             {"n": 200, "lead_ms": 50},
	"execute":         {"batch": 1001, "batches": 2},
	"producers":       {"batch": 1001, "batches": 2, "producers": 8},
	"submit-get":      {"ops": 100},
	"askers":          {"ops": 100, "askers": 3},
	"bounded":         {"batch": 1001, "batches": 2, "producers": 3, "capacity": 4},
	"service":         {"batch": 1001, "batches": 2, "series": 10},
	"fan-out":         {"ops": 2, "width": 100},
	"lateness":        {"n": 10, "period_us": 10_000, "for_ms": 50},
	"served":          {"n": 10, "period_us": 10_000, "for_ms": 50},
	"mixed":           {"n": 100, "period_us": 5_000, "for_ms": 50},
	"cancelled":       {"n": 1000, "permille": 900, "lead_ms": 20},
	"pending":         {"n": 20_000},
	"idle":            {"n": 1000, "settle_ms": 1, "for_ms": 20},
	"shutdown":        {"n": 1000},
}

func TestEverySystemAnswersEveryKindOfItsOwn(t *testing.T) {
	j := need(t)
	for _, s := range j.Systems() {
		everyKind(t, j, s.Name, s.Kinds())
	}
}

func TestSystemsOfJDK25AnswerEveryKindOfTheirOwn(t *testing.T) {
	j := orSkip(t, found25)
	for _, s := range j.Systems25() {
		kinds := s.Kinds()
		if s.Name == "jdk25-stpe" { // the class of jdk-scheduled
			kinds = []string{"pairs"}
		}
		everyKind(t, j, s.Name, kinds)
	}
}

func everyKind(t *testing.T, j *jvm.JVM, system string, kinds []string) {
	t.Helper()
	figures := map[string][]string{}
	for _, w := range workload.All() {
		figures[w.Kind] = nil
		for _, f := range w.Figures {
			figures[w.Kind] = append(figures[w.Kind], f.Name)
		}
	}
	figures["idle"] = nil                  // looked at from outside
	figures["pending"] = []string{"bytes"} // nobody counts the objects
	for _, kind := range kinds {
		want, ok := figures[kind]
		if !ok {
			t.Errorf("%s has the kind %s, which no workload has", system, kind)
			continue
		}
		t.Run(system+"/"+kind, func(t *testing.T) {
			t.Parallel()
			d := start(t, j, system, kind, sizes[kind])
			for range 2 {
				if kind == "idle" {
					d.send("go")
					if line := d.line(); line != "idle" {
						t.Fatalf("%q; want idle", line)
					}
					check(t, d.line(), want)
					continue
				}
				check(t, d.ask(), want)
			}
			d.end()
		})
	}
}

func check(t *testing.T, line string, want []string) {
	t.Helper()
	var figures workload.Figures
	if err := json.Unmarshal([]byte(line), &figures); err != nil {
		t.Errorf("%s: %v", line, err)
		return
	}
	if names := slices.Sorted(maps.Keys(figures)); !slices.Equal(names, slices.Sorted(slices.Values(want))) {
		t.Errorf("figures %v; want %v", names, want)
	}
	for name, x := range figures {
		if x < 0 || math.IsInf(x, 0) {
			t.Errorf("%s is %v", name, x)
		}
	}
}

func TestScheduledPoolHasAllKindsButThoseThatNeedMoreThanTasks(t *testing.T) {
	j := need(t)
	for _, s := range j.Systems() {
		if s.Name != "jdk-scheduled" {
			continue
		}
		for _, w := range workload.All() {
			without := []string{"allocations", "bounded", "busy", "pools"}
			if slices.Contains(s.Kinds(), w.Kind) == slices.Contains(without, w.Kind) {
				t.Errorf("%s: %s", s.Name, w.Kind)
			}
		}
		return
	}
	t.Error("there is no jdk-scheduled")
}

func TestBytesOfAPendingTaskAreThoseOfAnObjectOrTwo(t *testing.T) {
	d := start(t, need(t), "jdk-scheduled", "pending", workload.Params{"n": 50_000})
	var f workload.Figures
	if err := json.Unmarshal([]byte(d.ask()), &f); err != nil {
		t.Fatal(err)
	}
	// A header and a dozen fields on any JVM of 64 bits; the array of what is kept does not count.
	if b := f["bytes"]; b < 60 || b > 200 {
		t.Errorf("%v bytes for a pending task", b)
	}
	d.end()
}

func TestRoundThatFailsIsToldAndTheNextIsAskedFor(t *testing.T) {
	d := start(t, need(t), "jdk-scheduled", "due", workload.Params{"n": 1000, "lead_ms": 0})
	for range 2 {
		if line := d.ask(); !strings.HasPrefix(line, `{"error": "not all were scheduled`) {
			t.Error(line)
		}
	}
	d.end()
}

func TestWhatASystemCannotDoIsToldBeforeItIsReady(t *testing.T) {
	j := need(t)
	for _, tt := range []struct {
		system, kind string
		params       workload.Params
		want         string
	}{
		{"jdk-timer", "gossip", nil, "there is no kind gossip"},
		{"sundial", "soon", workload.Params{"n": 1}, "there is no system sundial"},
		{"jdk-scheduled", "soon", nil, "there is no n"},
		{"jdk-timer", "execute", sizes["execute"], "it is no pool"},
		{"jdk-scheduled", "bounded", sizes["bounded"], "it has no bound"},
		{"netty", "served", sizes["served"], "it has no hooks"},
		{"jdk-fixed", "soon", workload.Params{"n": 1}, "it knows no delays"},
	} {
		out, err := j.Command(t.Context(), tt.system, tt.kind, tt.params).Output()
		if want := fmt.Sprintf("{\"error\": %q}\n", tt.want); err == nil || string(out) != want {
			t.Errorf("%s %s: %v, %s; want %s", tt.system, tt.kind, err, out, want)
		}
	}
}

func TestRandomNumbersAreThoseOfGo(t *testing.T) {
	out, err := need(t).Command(t.Context(), "any", "random", nil).Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, n := range []int64{1000, 3540_000_000_000} {
		r := workload.NewRandom()
		for range 5 {
			want = append(want, fmt.Sprint(r.Below(n)))
		}
	}
	if got := strings.Fields(string(out)); !slices.Equal(got, want) {
		t.Errorf("%v; want %v", got, want)
	}
}

func TestCommandHasItsParametersInOrder(t *testing.T) {
	cmd := need(t).Command(t.Context(), "jdk-timer", "due", workload.Params{"quick": 1, "n": 7, "lead_ms": 300})
	last := cmd.Args[len(cmd.Args)-6:]
	if want := []string{"Rivals", "jdk-timer", "due", "lead_ms=300", "n=7", "quick=1"}; !slices.Equal(last, want) {
		t.Errorf("%v; want %v", last, want)
	}
}

// driver is a running one, which has said that it is ready.
type driver struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Scanner
}

func start(t *testing.T, j *jvm.JVM, system, kind string, sizes workload.Params) *driver {
	t.Helper()
	params := maps.Clone(sizes)
	params["warm_ms"] = 1
	d := &driver{t: t, cmd: j.Command(t.Context(), system, kind, params)}
	stdout, err := d.cmd.StdoutPipe()
	if err == nil {
		d.stdin, err = d.cmd.StdinPipe()
	}
	if err == nil {
		err = d.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	d.lines = bufio.NewScanner(stdout)
	if line := d.line(); line != "ready" {
		t.Fatalf("%q; want ready", line)
	}
	return d
}

func (d *driver) send(line string) {
	d.t.Helper()
	if _, err := fmt.Fprintln(d.stdin, line); err != nil {
		d.t.Fatal(err)
	}
}

func (d *driver) line() string {
	d.t.Helper()
	if !d.lines.Scan() {
		d.t.Fatal("it says nothing more: ", d.lines.Err())
	}
	return d.lines.Text()
}

func (d *driver) ask() string {
	d.t.Helper()
	d.send("go")
	return d.line()
}

// end closes the input, after which the driver must end by itself, and well.
func (d *driver) end() {
	d.t.Helper()
	d.stdin.Close()
	if d.lines.Scan() {
		d.t.Error("one line too many: ", d.lines.Text())
	}
	if err := d.cmd.Wait(); err != nil {
		d.t.Error(err)
	}
}
