package report_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/punctual-go/punctual/bench/rivals/report"
	"github.com/punctual-go/punctual/bench/rivals/workload"
)

const golden = `Abacus; 4 processors, GOMAXPROCS 2; 24 GiB; linux/amd64 7.1; go1.99; Java 17; Netty 4.1. 'go -C bench run ./rivals', 2031-05-17: medians of 3 rounds.
alitto/pond/v2 v2.7.1.

Less is better everywhere; the best of a column is bold.

* 'pool': two workers
* 'afterfunc': the runtime
* 'gozero': a wheel

### Timers

|             | schedule-cancel-1k, ns/pair | schedule-cancel-1k: processor time, ns/pair |
| ----------- | --------------------------: | ------------------------------------------: |
| 'pool'      |                    **81.3** |                                          97 |
| 'afterfunc' |                         110 |                                           – |
| 'gozero'    |                       –[^1] |                                       –[^1] |

* schedule-cancel-1k: schedule and cancel, 1k pending

### Pools

|        | execute, ns/task | execute: processor time, ns/task |
| ------ | ---------------: | -------------------------------: |
| 'pool' |            1,230 |                                – |

* execute: execute an empty task

### What it costs to be pending

|             | pending: bytes, B | pending: allocations |
| ----------- | ----------------: | -------------------: |
| 'pool'      |               204 |                  1.5 |
| 'afterfunc' |               204 |                    – |

* pending: memory of a pending task

### Targets

| target             |                left |                   right | ratio |   bound |  outcome |
| ------------------ | ------------------: | ----------------------: | ----: | ------: | -------: |
| schedule-cancel-1k | 'pool' 81.3 ns/pair | 'afterfunc' 110 ns/pair | 0.739 | ≤ 0.8 × |      met |
| schedule-cancel-1k | 'pool' 81.3 ns/pair |       'jdk-scheduled' – |     – | ≤ 1.1 × | no rival |
| execute            |   'jdk-scheduled' – |    'pool' 1,230 ns/task |     – |   ≥ 5 × | no rival |
| pending: bytes     |        'pool' 204 B |       'jdk-scheduled' – |     – |   ≤ 1 × | no rival |
| pending: bytes     |        'pool' 204 B |       'afterfunc' 204 B | 0.999 |   ≤ 1 × |      met |

[^1]: schedule-cancel-1k: gozero: ended: too | much
`

func TestTheTablesSayWhatWasMeasured(t *testing.T) {
	r := canned(t)
	r.Finish()
	if got, want := r.Markdown(), strings.ReplaceAll(golden, "'", "`"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWhatIsNotAWholeRunSaysSo(t *testing.T) {
	r := canned(t)
	r.Quick, r.Incomplete, r.Rounds = true, "interrupted", 5
	r.Finish()
	for _, want := range []string{"**Quick:**", "**Incomplete:** interrupted.", "5 rounds, 3 of schedule-cancel-1k, 3 of execute"} {
		if !strings.Contains(r.Markdown(), want) {
			t.Errorf("no %q in\n%s", want, r.Markdown())
		}
	}
}

func TestEveryFigureHasItsColumn(t *testing.T) {
	r := canned(t)
	r.Workloads = nil
	for i, w := range workload.All() {
		figures := workload.Figures{}
		for j, f := range w.Figures {
			figures[f.Name] = float64(100 + 10*i + j)
		}
		add(t, r, w.Name, map[string][]workload.Figures{"pool": {figures}})
	}
	r.Finish()
	for i, w := range workload.All() {
		for j, f := range w.Figures {
			cell := regexp.MustCompile(fmt.Sprintf(`\x60pool\x60 +\|.* %d \|`, 100+10*i+j))
			if n := len(cell.FindAllString(r.Markdown(), -1)); n != 1 {
				t.Errorf("%s of %s is in %d tables", f.Name, w.Name, n)
			}
		}
	}
}

func TestTheBestOfAColumnIsBoldUnlessMostAreAsGood(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		bold   int
	}{{[]float64{1}, 0}, {[]float64{1, 2}, 1}, {[]float64{2, 2}, 0}, {[]float64{1.001, 1, 3, 4}, 2}, {[]float64{0, 0, 0, 1}, 0}} {
		r := canned(t)
		r.Workloads, r.Systems = nil, nil
		rounds := map[string][]workload.Figures{}
		for i, v := range tt.values {
			name := string(rune('a' + i))
			rounds[name] = []workload.Figures{{"ns": v}}
			r.Systems = append(r.Systems, report.System{Name: name})
		}
		add(t, r, "execute", rounds)
		r.Finish()
		if n := strings.Count(r.Markdown(), "**") / 2; n != tt.bold {
			t.Errorf("%v: %d bold\n%s", tt.values, n, r.Markdown())
		}
	}
}

func TestNumbersHaveThreeDigitsThatCount(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.1: "0.1", 0.03127: "0.0313", 1: "1", 1.999: "2", 12.34: "12.3", 81.26: "81.3", 204.2: "204",
		999.4: "999", 999.6: "1,000", 1000: "1,000", 1234.5: "1,230", 12345: "12,300", 123456: "123,000", 9876543: "9,880,000",
	} {
		r := canned(t)
		r.Workloads = nil
		add(t, r, "execute", map[string][]workload.Figures{"ants": {{"ns": v}}})
		r.Systems = []report.System{{Name: "ants"}}
		r.Finish()
		if !strings.Contains(r.Markdown(), " "+want+" |") {
			t.Errorf("%v is not %s in\n%s", v, want, r.Markdown())
		}
	}
}

func TestLongMessagesAreCutInTheTables(t *testing.T) {
	r := canned(t)
	r.Workloads[0].Results[0].Failure = strings.Repeat("é", 1000)
	r.Finish()
	if text := r.Markdown(); strings.Contains(text, strings.Repeat("é", 201)) || !strings.Contains(text, "é…\n") {
		t.Error(text)
	}
}
