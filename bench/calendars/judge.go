package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// verdict says how a system fares with a group of vectors.
type verdict string

const (
	passed verdict = "passed"
	failed verdict = "failed"
	hung   verdict = "hung" // no answer within the limit
)

// child is the first argument of a process that answers for one system.
const child = "answer-in-child"

// judge asks the system about all groups. It does so in a child process, and if that hangs, takes
// another one for the rest.
func judge(ctx context.Context, s system, groups []group, file string, limit time.Duration) ([]verdict, error) {
	var verdicts []verdict
	for len(verdicts) < len(groups) {
		answers, err := askChild(ctx, s, file, len(verdicts), limit)
		if err != nil {
			return nil, err
		}
		verdicts = append(verdicts, answers...)
		if len(verdicts) < len(groups) {
			verdicts = append(verdicts, hung)
		}
	}
	return verdicts, nil
}

// askChild asks about the groups from one on, until an answer takes too long.
func askChild(ctx context.Context, s system, file string, from int, limit time.Duration) ([]verdict, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	command := exec.CommandContext(limited, self, child, s.name, file, strconv.Itoa(from))
	command.Stderr = io.Discard // the stack of one that has overflown, or has used up its memory
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	begun := time.AfterFunc(limit+10*time.Second, cancel) // and some time to begin
	defer begun.Stop()
	lines := bufio.NewScanner(output)
	if !lines.Scan() || lines.Text() != ready {
		return nil, fmt.Errorf("%s: the process that should answer does not: %w", s.name, command.Wait())
	}
	var verdicts []verdict
	for begun.Reset(limit); lines.Scan(); begun.Reset(limit) {
		verdicts = append(verdicts, verdict(lines.Text()))
	}
	cancel()
	_ = command.Wait() // it may have been killed, or have died
	return verdicts, context.Cause(ctx)
}

// ready is what a child says before the first answer.
const ready = "ready"

// answerInChild is what a child does. It reports whether the arguments are those of one.
func answerInChild(args []string) bool {
	if len(args) != 5 || args[1] != child {
		return false
	}
	from, err := strconv.Atoi(args[4])
	if err != nil {
		return true
	}
	groups, err := readGroups(args[3])
	if err != nil {
		return true
	}
	fmt.Println(ready)
	for _, s := range systems() {
		if s.name != args[2] {
			continue
		}
		for _, g := range groups[from:] {
			if g.passes(s) {
				fmt.Println(passed)
			} else {
				fmt.Println(failed)
			}
		}
	}
	return true
}
