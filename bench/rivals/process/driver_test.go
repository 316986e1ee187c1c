package process_test

import (
	"context"
	"errors"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/process"
	"github.com/punctual-go/punctual/bench/rivals/workload"
)

func TestEachRoundIsAskedForAndAnswered(t *testing.T) {
	d := ready(t, process.Options{}, "hear go", `say {"ns": 81.5}`, "hear go", `say {"ns": 2, "bytes": 0}`, "end-of-input")
	for _, want := range []workload.Figures{{"ns": 81.5}, {"ns": 2, "bytes": 0}} {
		if got, err := d.Measure(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestDriverThatDoesNotGetReadyIsAnErrorThatSaysWhy(t *testing.T) {
	tests := []struct {
		name  string
		limit time.Duration
		lines []string
		want  []string
	}{
		{"it dies", 0, []string{"complain out of luck", "die"}, []string{"fake: ", "before it was ready", "exit status 5", "out of luck"}},
		{"it ends", 0, nil, []string{"fake: ", "before it was ready", "ended"}},
		{"it says something else", 0, []string{"say hello", "end-of-input"}, []string{"fake: ", `"hello"`}},
		{"it refuses", 0, []string{`say {"error": "cannot do that"}`}, []string{"fake: cannot do that"}},
		{"it says nothing", 200 * time.Millisecond, []string{"sleep 1m"}, []string{"fake: ", "no answer within 200ms"}},
		{"it says much before it dies", 0, []string{"complain-at-length the end", "die"}, []string{"it said last:\n…", "words the end"}},
	}
	for _, tt := range tests {
		_, err := start(t.Context(), process.Options{Ready: tt.limit}, tt.lines...)
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v lacks %q", tt.name, err, want)
			}
		}
		if err != nil && len(err.Error()) > 3000 {
			t.Errorf("%s: an error of %d bytes", tt.name, len(err.Error()))
		}
	}
}

func TestProgramThatIsNotThereIsAnError(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "/nowhere/to/be/found")
	if _, err := process.Start(t.Context(), cmd, process.Options{Name: "lost"}); err == nil || !strings.HasPrefix(err.Error(), "lost: ") {
		t.Error(err)
	}
}

func TestRoundThatFailsIsAnErrorThatSaysWhy(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		want  []string
	}{
		{"it refuses", []string{"hear go", `say {"error": "too much"}`, "end-of-input"}, []string{"fake: too much"}},
		{"it dies", []string{"hear go", "complain panic: oh", "die"}, []string{"fake: in a round: ", "exit status 5", "panic: oh"}},
		{"it is dead already", []string{"die"}, []string{"fake: in a round: ", "exit status 5"}},
		{"it says something else", []string{"hear go", "say ready", "end-of-input"}, []string{`"ready"`}},
		{"no object", []string{"hear go", "say null", "end-of-input"}, []string{`"null"`}},
		{"less than nothing", []string{"hear go", `say {"ns": -1}`, "end-of-input"}, []string{"unexpected line"}},
		{"no number", []string{"hear go", `say {"ns": "1"}`, "end-of-input"}, []string{"unexpected line"}},
	}
	for _, tt := range tests {
		d := ready(t, process.Options{}, tt.lines...)
		f, err := d.Measure(t.Context())
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, error %v lacks %q", tt.name, f, err, want)
			}
		}
		d.Close()
	}
}

func TestRoundWithoutAnAnswerIsAnError(t *testing.T) {
	d := ready(t, process.Options{Round: 50 * time.Millisecond, End: 50 * time.Millisecond}, "hear go", "sleep 1m")
	if _, err := d.Measure(t.Context()); err == nil || !strings.Contains(err.Error(), "fake: in a round: no answer within 50ms") {
		t.Error(err)
	}
	d.Close()
}

func TestCloseKillsWhoDoesNotEnd(t *testing.T) {
	d := ready(t, process.Options{End: 50 * time.Millisecond}, "sleep 1m")
	if err := d.Close(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Error(err)
	}
	if _, err := d.Measure(t.Context()); err == nil {
		t.Error("it answers after its end")
	}
}

func TestCloseReturnsHowItEnded(t *testing.T) {
	d := ready(t, process.Options{}, "end-of-input", "complain not well", "die")
	if err := d.Close(); err == nil || !strings.Contains(err.Error(), "fake: exit status 5; it said:\nnot well") {
		t.Error(err)
	}
}

func TestCloseDoesNotWaitForLinesNobodyHasAskedFor(t *testing.T) {
	d := ready(t, process.Options{}, "say one", "say two", "say three", "end-of-input")
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestDriverEndsWithTheContext(t *testing.T) {
	reason := errors.New("enough")
	for _, lines := range [][]string{{"sleep 1m"}, {"say ready", "hear go", "sleep 1m"}} {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(100*time.Millisecond, func() { cancel(reason) })
		d, err := start(ctx, process.Options{}, lines...)
		if err == nil {
			_, err = d.Measure(ctx)
			if !strings.Contains(d.Close().Error(), "killed") {
				t.Error("it has not been killed")
			}
		}
		if err != reason {
			t.Errorf("error %v", err)
		}
	}
}
