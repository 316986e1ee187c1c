package report_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/punctual-go/punctual/bench/rivals/report"
	"github.com/punctual-go/punctual/bench/rivals/workload"
)

func save(t *testing.T, r *report.Report, dir string) (names []string) {
	t.Helper()
	r.Finish()
	paths, err := r.Save(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		if filepath.Dir(p) != dir {
			t.Errorf("%s is not in %s", p, dir)
		}
		names = append(names, filepath.Base(p))
	}
	return names
}

func TestFilesAreNamedByTheDateAndNoneIsOverwritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "if", "missing")
	first := save(t, canned(t), dir)
	want := []string{"2031-05-17.json", "2031-05-17.md", "2031-05-17-schedule-cancel-1k.svg", "2031-05-17-execute.svg", "2031-05-17-pending.svg"}
	if !slices.Equal(first, want) {
		t.Errorf("%q", first)
	}
	before, err := os.ReadFile(filepath.Join(dir, first[0]))
	if err != nil {
		t.Fatal(err)
	}
	r := canned(t)
	r.Command = "another"
	if names := save(t, r, dir); names[0] != "2031-05-17-2.json" || names[4] != "2031-05-17-2-pending.svg" {
		t.Errorf("%q", names)
	}
	if after, _ := os.ReadFile(filepath.Join(dir, first[0])); string(after) != string(before) {
		t.Error("the first file has changed")
	}
	// One name that is taken is enough to leave them all.
	if err := os.WriteFile(filepath.Join(dir, "2031-05-17-3-execute.svg"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if names := save(t, r, dir); names[0] != "2031-05-17-4.json" {
		t.Errorf("%q", names)
	}
}

func TestTheTablesShowThePicturesBesideThem(t *testing.T) {
	dir := t.TempDir()
	save(t, canned(t), dir)
	save(t, canned(t), dir)
	text, err := os.ReadFile(filepath.Join(dir, "2031-05-17-2.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(string(text), "\n![pending](2031-05-17-2-pending.svg)\n") || strings.Count(string(text), "![") != 3 {
		t.Error(string(text))
	}
}

func TestWhereNothingCanBeWrittenIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := canned(t)
	r.Finish()
	if paths, err := r.Save(file); err == nil {
		t.Error(paths)
	}
}

func TestTheDataHasEveryRoundAndItsSummary(t *testing.T) {
	dir := t.TempDir()
	r := canned(t)
	save(t, r, dir)
	text, err := os.ReadFile(filepath.Join(dir, "2031-05-17.json"))
	if err != nil {
		t.Fatal(err)
	}
	var again report.Report
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&again); err != nil || !reflect.DeepEqual(*r, again) {
		t.Errorf("read again, the report is another (%v):\n%s", err, text)
	}
	pool := again.Workloads[0].Results[1]
	if pool.System != "pool" || len(pool.Rounds) != 3 || *pool.Summary["ns"] != (report.Summary{Median: 81.26, Min: 79, Max: 12345}) {
		t.Errorf("%+v", pool)
	}
	gozero := again.Workloads[0].Results[2]
	if gozero.Failure == "" || len(gozero.Rounds) != 1 || len(gozero.Summary) != 0 {
		t.Errorf("%+v", gozero)
	}
}

// words returns the text of an SVG, and fails the test if it is not XML.
func words(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var text strings.Builder
	for d := xml.NewDecoder(f); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if data, ok := token.(xml.CharData); ok {
			text.Write(data)
		}
	}
}

func TestPicturesNameSystemsAndNumbersTheLeastFirst(t *testing.T) {
	dir := t.TempDir()
	save(t, canned(t), dir)
	path := filepath.Join(dir, "2031-05-17-schedule-cancel-1k.svg")
	text := words(t, path)
	for _, want := range []string{"schedule and cancel, 1k pending", "pool", "afterfunc", "ns/pair", "81.3", "110"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "gozero") {
		t.Error("a bar for what has failed")
	}
	svg, _ := os.ReadFile(path)
	if ours, theirs := strings.Index(string(svg), "#0072B2"), strings.Index(string(svg), "#B0B0B0"); ours < 0 || theirs < ours {
		t.Errorf("our bar at %d, that of the rival at %d", ours, theirs)
	}
}

func TestPicturesOfAQuickRunSaySo(t *testing.T) {
	for _, quick := range []bool{false, true} {
		dir := t.TempDir()
		r := canned(t)
		r.Quick = quick
		save(t, r, dir)
		if text := words(t, filepath.Join(dir, "2031-05-17-execute.svg")); strings.Contains(text, "smaller") != quick {
			t.Errorf("quick %v: %s", quick, text)
		}
	}
}

func TestPicturesOfAllSpreadsCanBeDrawn(t *testing.T) {
	for _, values := range [][]float64{{0}, {0, 0}, {0, 5}, {5}, {1, 29}, {1, 1000}, {0, 1, 1000}, {0.001, 1e9}, {0, 1e-9, 1}} {
		r := canned(t)
		r.Workloads = nil
		rounds := map[string][]workload.Figures{}
		for i, v := range values {
			// The rounds spread, too, down to nothing.
			rounds[string(rune('a'+i))] = []workload.Figures{{"ms": v}, {"ms": v}, {"ms": v * 2}, {"ms": 0}}
		}
		add(t, r, "shutdown-1M", rounds)
		dir := t.TempDir()
		save(t, r, dir)
		text := words(t, filepath.Join(dir, "2031-05-17-shutdown-1M.svg"))
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%v:\n%s", values, text)
		}
		if wide := slices.Equal(values, []float64{1, 1000}); wide && !strings.Contains(text, "100") {
			t.Errorf("no decades on the axis of %v:\n%s", values, text)
		}
	}
}

func TestNothingMeasuredIsNoPicture(t *testing.T) {
	r := canned(t)
	r.Workloads = r.Workloads[:1]
	r.Workloads[0].Results = r.Workloads[0].Results[2:]
	if names := save(t, r, t.TempDir()); len(names) != 2 {
		t.Errorf("%q", names)
	}
	if !r.Measured() {
		t.Error("a round before a failure is not counted")
	}
	r.Workloads[0].Results[0].Rounds = nil
	if r.Measured() {
		t.Error("there is no round")
	}
}
