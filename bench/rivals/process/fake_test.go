package process_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/process"
)

// The test binary is its own fake driver: a script, each line of which is done in turn.
const script = "FAKE_DRIVER_SCRIPT"

func TestMain(m *testing.M) {
	if lines, ok := os.LookupEnv(script); ok {
		play(strings.Split(lines, "\n"))
		os.Exit(0)
	}
	m.Run()
}

func play(lines []string) {
	in := bufio.NewScanner(os.Stdin)
	for _, line := range lines {
		verb, rest, _ := strings.Cut(line, " ")
		switch verb {
		case "say":
			fmt.Println(rest)
		case "complain":
			fmt.Fprintln(os.Stderr, rest)
		case "complain-at-length":
			fmt.Fprintln(os.Stderr, strings.Repeat("words ", 1000)+rest)
		case "hear":
			if !in.Scan() || in.Text() != rest {
				fmt.Fprintf(os.Stderr, "heard %q, not %q\n", in.Text(), rest)
				os.Exit(3)
			}
		case "sleep":
			time.Sleep(duration(rest))
		case "fidget":
			for end := time.Now().Add(duration(rest)); time.Now().Before(end); {
				time.Sleep(time.Millisecond)
			}
		case "end-of-input":
			if in.Scan() {
				os.Exit(4)
			}
		case "die":
			os.Exit(5)
		}
	}
}

func duration(s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		panic(err)
	}
	return d
}

func start(ctx context.Context, o process.Options, lines ...string) (*process.Driver, error) {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), script+"="+strings.Join(lines, "\n"))
	o.Name = "fake"
	return process.Start(ctx, cmd, o)
}

// ready starts a fake that must get ready.
func ready(t *testing.T, o process.Options, lines ...string) *process.Driver {
	t.Helper()
	d, err := start(t.Context(), o, append([]string{"say ready"}, lines...)...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
