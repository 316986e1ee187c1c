package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const program = `package main

import "time"

func main() {
	go func() {
		for range time.Tick(time.Second) {
			println("tick")
		}
	}()
	time.Sleep(time.Minute)
}
`

// ran runs the command in a module of its own with this program, and returns what it wrote.
func ran(t *testing.T, args ...string) (out, errors, program2 string) {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "tickers")
	run(t, ".", "go", "build", "-o", tool, ".")
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/program\n\ngo 1.25\n", "main.go": program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(tool, append(args, "./...")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // its exit code tells that something was found
	text, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), string(text)
}

const absent = "main.go:7:3: not fixed: no *executor.ScheduledPool is in scope; -tickers.pool=EXPR names one\n"

// With -fix the command says why it has left a finding, once.
func TestFixSaysWhatItLeaves(t *testing.T) {
	_, errors, after := ran(t, "-fix")
	if strings.Count(errors, absent) != 1 || after != program {
		t.Errorf("it said\n%s\nand wrote\n%s", errors, after)
	}
}

// With -diff as well, it shows what it would write if only the pool was there.
func TestDiffShowsWhatAPoolWouldMake(t *testing.T) {
	for _, pool := range []string{"pool", "s.jobs"} {
		out, errors, after := ran(t, "-fix", "-diff", "-tickers.pool="+pool)
		if !strings.Contains(out, "\n+\tif _, err := "+pool+".Every(time.Second, ") || after != program {
			t.Errorf("it showed\n%s\nand wrote\n%s", out, after)
		}
		if !strings.Contains(errors, pool+" is no *executor.ScheduledPool there\n") {
			t.Errorf("it said\n%s", errors)
		}
	}
}

// Without them, a report ends with the reason.
func TestAReportSaysWhyThereIsNoFix(t *testing.T) {
	_, errors, _ := ran(t)
	if !strings.Contains(errors, "main.go:7:3: ad-hoc ticker: ") ||
		!strings.Contains(errors, "main.go:7:3: \t"+strings.SplitN(absent, ": ", 2)[1]) {
		t.Errorf("it said\n%s", errors)
	}
}
