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
	"time"
)

// limit is how long a system may take for one program.
const limit = 20 * time.Second

// contender is a system in a process of its own.
type contender struct {
	name, about string
	says        documents
	command     func(ctx context.Context) *exec.Cmd // reads a program, and writes a journal
}

// childWord has this program be the process of a system.
const childWord = "-play"

// playInChild plays, if it is what this process is for, the program on its input.
func playInChild(args []string, in io.Reader, out io.Writer) bool {
	if len(args) != 3 || args[1] != childWord {
		return false
	}
	for _, s := range systems() {
		if s.name != args[2] {
			continue
		}
		text, err := io.ReadAll(in)
		if err == nil {
			var steps []step
			if steps, err = parse(string(text)); err == nil {
				play(steps, s, func(e event) { fmt.Fprintln(out, e) })
				return true
			}
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return false
}

// goContenders returns the systems in Go, whose process is this program again.
func goContenders() ([]contender, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var all []contender
	for _, s := range systems() {
		all = append(all, contender{s.name, s.about, s.says, func(ctx context.Context) *exec.Cmd {
			return exec.CommandContext(ctx, self, childWord, s.name)
		}})
	}
	return all, nil
}

// play has the system play a program. If its process ended before that was over, died says how.
func (c contender) play(ctx context.Context, p promise) (j journal, died string) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := c.command(ctx)
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(p.program), &out, &said
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	lines := bufio.NewScanner(&out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if e, ok := parseEvent(lines.Text()); ok {
			j = append(j, e)
		}
	}
	switch {
	case ctx.Err() != nil:
		died = fmt.Sprint("killed after ", limit)
	case said.Len() > 0:
		died, _, _ = strings.Cut(said.String(), "\n")
	case err != nil:
		died = err.Error()
	}
	return j, died
}

// keep asks a system for a promise.
func (c contender) keep(ctx context.Context, p promise) (v verdict) {
	for range p.plays() {
		j, died := c.play(ctx, p)
		if v = p.verdict(j, c.says, died); v.kind != broken {
			break
		}
	}
	return v
}
