package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/punctual-go/punctual/bench/soak/drill"
)

// binaries are the drill, built once, without and with the race detector.
type binaries struct {
	dir         string
	plain, race string // race is empty if there is none
}

const drillPackage = "github.com/punctual-go/punctual/bench/soak/drill"

// build makes the binaries. That there is no race detector, for want of a C compiler, is told and
// no error.
func build(ctx context.Context, race bool, notes io.Writer) (*binaries, error) {
	dir, err := os.MkdirTemp("", "soak")
	if err != nil {
		return nil, err
	}
	b := &binaries{dir: dir, plain: filepath.Join(dir, "drill.test")}
	if err := buildTest(ctx, b.plain); err != nil {
		b.remove()
		return nil, err
	}
	if !race {
		return b, nil
	}
	if err := buildTest(ctx, filepath.Join(dir, "race.test"), "-race"); err != nil {
		fmt.Fprintln(notes, "soak: nothing runs under the race detector, which can't be built here:", err)
		return b, nil
	}
	b.race = filepath.Join(dir, "race.test")
	return b, nil
}

func buildTest(ctx context.Context, path string, flags ...string) error {
	args := append([]string{"test", "-c", "-o", path}, flags...)
	out, err := exec.CommandContext(ctx, "go", append(args, drillPackage)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

func (b *binaries) remove() { _ = os.RemoveAll(b.dir) }

// process runs the drill for a job.
type process struct {
	binary     string
	procs      int
	job        drill.Job
	heard      func(done int64) // is told how far it is
	mu         sync.Mutex
	transcript bytes.Buffer // the end of what it has written
	end        *drill.Report
	at         uint64 // the seed at hand when it told last
	doneOps    int64
}

// run returns what has come of the job. If the process dies, that is a fault, too, with its last
// words.
func (p *process) run(ctx context.Context) drill.Report {
	p.at = p.job.Seed
	cmd := exec.CommandContext(ctx, p.binary, "-test.run=^TestDrill$", "-test.timeout=20m", "-test.count=1")
	cmd.Env = append(os.Environ(), p.job.Environment(), fmt.Sprint("GOMAXPROCS=", p.procs), "GORACE=halt_on_error=1")
	out, err := cmd.StdoutPipe()
	if err == nil {
		cmd.Stderr = errorsOf{p}
		err = cmd.Start()
	}
	if err != nil {
		return drill.Report{Faults: []string{err.Error()}}
	}
	p.listen(out)
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return drill.Report{Seeds: int64(p.at - p.job.Seed), Ops: p.doneOps}
	case p.end != nil && err == nil:
		return *p.end
	}
	return p.autopsy(err)
}

func (p *process) listen(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		m, ok := drill.Hear(lines.Text())
		if !ok {
			p.note(append(lines.Bytes(), '\n'))
			continue
		}
		if p.end = m.End; m.End == nil {
			p.at = m.At
		}
		p.doneOps = m.Done
		p.heard(m.Done)
	}
	if err := lines.Err(); err != nil && !errors.Is(err, os.ErrClosed) {
		p.note([]byte(err.Error()))
		_, _ = io.Copy(io.Discard, out)
	}
}

// lastWords is how much of what a process writes is kept.
const lastWords = 1 << 20

func (p *process) note(text []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.transcript.Len() < lastWords {
		p.transcript.Write(text)
	}
}

// errorsOf is the standard error of a process.
type errorsOf struct{ *process }

func (e errorsOf) Write(text []byte) (int, error) {
	e.note(text)
	return len(text), nil
}

// autopsy says what a process has died of.
func (p *process) autopsy(err error) drill.Report {
	text := p.transcript.String()
	r := drill.Report{Seeds: int64(p.at - p.job.Seed), Ops: p.doneOps, Bad: []uint64{p.at}}
	if p.end != nil {
		r = *p.end
	}
	switch {
	case strings.Contains(text, "DATA RACE"):
		r.Raced++
	case strings.Contains(text, "leak"):
		r.Leaked++
	case strings.Contains(text, "does not end"), strings.Contains(text, "deadlock"), strings.Contains(text, "timed out"),
		strings.Contains(text, "blocked goroutines remain"):
		r.Stuck++
	default:
		r.Wrong++
	}
	r.Fault("%s %s, at seed %d or soon after: %v\n%s", p.job.Part, p.job.Kind, p.at, err, text)
	return r
}
