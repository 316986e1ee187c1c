package driver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/punctual-go/punctual/bench/rivals/driver"
	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// TestMain has many tests run at once, as most of their time they wait.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	m.Run()
}

// tiny are sizes for every kind.
func tiny() workload.Params {
	return workload.Params{
		"pending": 10, "ops": 20, "n": 30, "lead_ms": 80, "batch": 50, "batches": 2, "producers": 3, "width": 4,
		"period_us": 5000, "for_ms": 200, "permille": 700, "settle_ms": 0, "quick": 1,
		"busy": 2, "pools": 3, "series": 5, "goroutines": 3, "servers": 2, "askers": 3, "capacity": 4,
	}
}

// serve has one round done and returns the lines of the answer.
func serve(t *testing.T, system, kind string, sizes workload.Params) (lines []string, err error) {
	t.Helper()
	var out bytes.Buffer
	err = driver.Serve(t.Context(), system, kind, sizes, strings.NewReader("go\n"), &out)
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n"), err
}

// figuresOf returns the names of the figures of a kind.
func figuresOf(kind string) (names []string) {
	for _, w := range workload.All() {
		if w.Kind == kind {
			for _, f := range w.Figures {
				names = append(names, f.Name)
			}
			return names
		}
	}
	return nil
}

// TestAllSystemsGiveAllFigures does every kind of work on every system that claims it.
func TestAllSystemsGiveAllFigures(t *testing.T) {
	onlyPeriodic := []string{"ticker", "robfig"}
	for _, s := range driver.Systems() {
		for _, kind := range s.Kinds() {
			t.Run(s.Name+"/"+kind, func(t *testing.T) {
				if kind != "allocations" { // which counts those of the whole process
					t.Parallel()
				}
				want := figuresOf(kind)
				switch {
				case kind == "allocations" && slices.Contains(onlyPeriodic, s.Name):
					want = []string{"periodic"}
				case kind == "idle":
					want = nil // they are found from outside
				}
				lines, err := serve(t, s.Name, kind, tiny())
				for again := 0; err == nil && again < 5 && refusedAsEarly(lines); again++ {
					lines, err = serve(t, s.Name, kind, tiny())
				}
				if err != nil || len(lines) < 2 {
					t.Fatalf("lines %q, error %v", lines, err)
				}
				var figures workload.Figures
				if err := json.Unmarshal([]byte(lines[len(lines)-1]), &figures); err != nil {
					t.Fatalf("%v: %s", err, lines)
				}
				if got := slices.Sorted(maps.Keys(figures)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
					t.Errorf("figures %v, want %v", got, want)
				}
				for name, f := range figures {
					if f < 0 || math.IsInf(f, 0) {
						t.Errorf("%s is %v", name, f)
					}
				}
			})
		}
	}
}

// refusedAsEarly reports whether a round had so many runs before their time that the driver gives
// no figures. A ticker that a busy machine starts a period late, or nearly, makes a habit of it.
func refusedAsEarly(lines []string) bool {
	return strings.Contains(lines[len(lines)-1], "came before their time")
}

// TestSystemsAreThoseOfTheProtocol has the names that others use, in order.
func TestSystemsAreThoseOfTheProtocol(t *testing.T) {
	want := strings.Fields(`pool exact relaxed watched fixed loop hashed hierarchical revolver queue afterfunc ticker channel
		ants pond workerpool conc errgroup gocron robfig quartz gozero floor floor-goroutine floor-chance`)
	var got []string
	for _, s := range driver.Systems() {
		got = append(got, s.Name)
		if s.Title == "" || s.About == "" || len(s.Kinds()) == 0 {
			t.Errorf("%s has title %q, about %q, kinds %v", s.Name, s.Title, s.About, s.Kinds())
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("systems %v, want %v", got, want)
	}
}

// TestEveryWorkloadCanBeDone holds the driver against the contract: it knows each kind and its
// sizes, and has a system for it.
func TestEveryWorkloadCanBeDone(t *testing.T) {
	for _, w := range workload.All() {
		for _, sizes := range []workload.Params{w.Params, w.Quick} {
			if sizes == nil {
				continue
			}
			if err, there := driver.Check(w.Kind, sizes); err != nil || !there {
				t.Errorf("%s: kind %s there: %v; sizes: %v", w.Name, w.Kind, there, err)
			}
		}
		if !slices.ContainsFunc(driver.Systems(), func(s driver.System) bool {
			return slices.Contains(s.Kinds(), w.Kind)
		}) {
			t.Errorf("no system does %s", w.Kind)
		}
	}
}

// TestKindsAreInTheOrderOfTheContract, which is that of the documentation of package workload.
func TestKindsAreInTheOrderOfTheContract(t *testing.T) {
	var order []string
	for _, w := range workload.All() {
		if !slices.Contains(order, w.Kind) {
			order = append(order, w.Kind)
		}
	}
	if got := driver.Systems()[0].Kinds(); !slices.Equal(got, order) {
		t.Errorf("kinds of the first system %v, want %v", got, order)
	}
}

// TestRandomIsTheSameEverywhere pins the generator that all drivers share.
func TestRandomIsTheSameEverywhere(t *testing.T) {
	for n, want := range map[int64][]int64{
		1000:              {774, 153, 196, 870, 34},
		3_540_000_000_000: {3156992719705, 811668955878, 1943923011827, 2220013777142, 2019023295418},
	} {
		var got []int64
		for random := workload.NewRandom(); len(got) < len(want); {
			got = append(got, random.Below(n))
		}
		if !slices.Equal(got, want) {
			t.Errorf("below %d: %v, want %v", n, got, want)
		}
	}
}

// TestNothingIsMeasuredAfterTheEnd gives an interrupt back, also in the middle of a round.
func TestNothingIsMeasuredAfterTheEnd(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	sizes := tiny()
	sizes["for_ms"] = 3_600_000
	out := writer(func(line string) {
		if line == "idle\n" {
			interrupt()
		}
	})
	err := driver.Serve(ctx, "pool", "idle", sizes, strings.NewReader("go\n"), out)
	if err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

// writer is called with what is written.
type writer func(text string)

func (w writer) Write(p []byte) (int, error) {
	w(string(p))
	return len(p), nil
}
