package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// verdict is what came of the tests of one package.
type verdict struct {
	failed bool
	test   string // the first that failed, or ran when the end came
	how    string // fails, panics, races, hangs
	broken bool   // the tests do not build
	output string // the last of it
	took   time.Duration
}

// event is a line of go test -json.
type event struct {
	Action, Package, Test, Output, FailedBuild string
}

// goTest runs go test with the arguments, and returns at the first failure.
func goTest(ctx context.Context, root string, env []string, args ...string) (verdict, error) {
	begin := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json", "-vet=off", "-count=1", "-failfast"}, args...)...)
	cmd.Dir, cmd.Env = root, env
	var complaint strings.Builder
	cmd.Stderr = &complaint
	inGroupOfItsOwn(cmd) // the test binaries end with it
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return verdict{}, err
	}
	if err := cmd.Start(); err != nil {
		return verdict{}, err
	}
	var w watch
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadString('\n')
		if w.note(line) {
			cancel() // the rest is of no interest
		}
		if err != nil {
			break // the end, or that of a process that has been ended
		}
	}
	err = cmd.Wait()
	v := w.verdict()
	v.took = time.Since(begin)
	if err != nil && !v.failed && !v.broken {
		return v, fmt.Errorf("go test: %w\n%s%s", err, complaint.String(), v.output)
	}
	return v, nil
}

// watch makes a verdict of events. The zero watch has seen none.
type watch struct {
	running []string // tests that have begun and not ended, the last to begin last
	paused  []string
	v       verdict
	listing bool // of the tests that ran when the time was over
	tail    []string
}

// tailSize is how many lines of output are kept.
const tailSize = 60

// note takes a line, and reports whether all that is of interest is known.
func (w *watch) note(line string) (known bool) {
	var e event
	if json.Unmarshal([]byte(line), &e) != nil {
		return false
	}
	switch e.Action {
	case "run", "cont":
		w.end(e.Test)
		w.running = append(w.running, e.Test)
	case "pause":
		w.end(e.Test)
		w.paused = append(w.paused, e.Test)
	case "pass", "skip":
		w.end(e.Test)
	case "output", "build-output":
		w.output(e)
	case "fail":
		return w.fail(e)
	}
	return false
}

func (w *watch) end(test string) {
	is := func(other string) bool { return other == test }
	w.running = slices.DeleteFunc(w.running, is)
	w.paused = slices.DeleteFunc(w.paused, is)
}

// output looks for what ends a test binary.
func (w *watch) output(e event) {
	w.tail = append(w.tail, e.Output)
	if len(w.tail) > tailSize {
		w.tail = w.tail[1:]
	}
	text := strings.TrimSpace(e.Output)
	switch {
	case w.v.how == "hangs" && w.v.test == "":
		if text == "running tests:" {
			w.listing = true
		} else if w.listing {
			w.v.test, _, _ = strings.Cut(text, " ")
		}
	case w.v.how != "" && w.v.how != "races":
	case strings.HasPrefix(text, "panic: test timed out after"):
		w.v.how = "hangs"
	case strings.HasPrefix(text, "panic:"), strings.HasPrefix(text, "fatal error:"):
		w.v.how = "panics"
	case strings.Contains(text, "WARNING: DATA RACE"):
		w.v.how = "races"
	}
}

// fail takes the end of a test, or of all.
func (w *watch) fail(e event) (known bool) {
	w.v.failed = e.FailedBuild == ""
	w.v.broken = !w.v.failed
	if e.Test != "" && w.v.test == "" {
		w.v.test = e.Test
	}
	if w.v.test == "" && len(w.running) > 0 {
		w.v.test = w.running[len(w.running)-1]
	}
	if w.v.how == "" {
		w.v.how = "fails"
	}
	return true
}

func (w *watch) verdict() verdict {
	w.v.output = strings.Join(w.tail, "")
	return w.v
}
