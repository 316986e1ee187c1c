package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// behaviour is what the test binary does as a fake driver.
const behaviour = "FAKE_BEHAVIOUR"

// TestMain lets the test binary be the command, which drives real systems, or a fake driver.
func TestMain(m *testing.M) {
	if b, ok := os.LookupEnv(behaviour); ok {
		behave(b)
		return
	}
	if len(os.Args) > 1 && os.Args[1] == driveVerb {
		main()
		return
	}
	m.Run()
}

// behave answers rounds with what stands between semicolons: figures, or a way to fail. The last
// one counts for all that follow. Who hangs may give a sign of it, a file.
func behave(b string) {
	answers := strings.Split(b, ";")
	in := bufio.NewScanner(os.Stdin)
	for i := 0; ; i++ {
		answer := answers[min(i, len(answers)-1)]
		switch verb, sign, _ := strings.Cut(answer, " "); verb {
		case "die":
			fmt.Fprintln(os.Stderr, "no more")
			os.Exit(7)
		case "hang":
			if sign != "" {
				_ = os.WriteFile(sign, nil, 0o600)
			}
			time.Sleep(time.Hour)
		default:
			fmt.Println(answer)
		}
		if !in.Scan() {
			return
		}
	}
}

// fake is a contender that can do the kinds, behaves like that, and gets ready.
func fake(name, behaves string, kinds ...string) contender {
	return contender{name, "the " + name + " of a test", kinds, func(ctx context.Context, kind string, params workload.Params) *exec.Cmd {
		cmd := exec.CommandContext(ctx, os.Args[0], arguments(name, kind, params)...)
		cmd.Env = append(os.Environ(), behaviour+"=ready;"+behaves)
		return cmd
	}}
}

// figures is the answer of a fake.
func figures(ns float64) string { return fmt.Sprintf(`{"ns": %v}`, ns) }

// fakes is a command with such contenders.
func fakes(stdout, stderr io.Writer, contenders ...contender) command {
	find := func(string, string) (*field, error) {
		return &field{contenders: contenders, java: "99"}, nil
	}
	return command{workload.All(), find, stdout, stderr}
}

// run runs it.
func run(t *testing.T, args []string, contenders ...contender) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = fakes(&out, &err, contenders...).run(t.Context(), args)
	return code, out.String(), err.String()
}
