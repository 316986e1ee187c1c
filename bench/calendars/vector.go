package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"strings"
	"time"
)

// group is a question, and the answers that are right under one policy or another.
type group struct {
	id      string // of the first of its vectors
	line    string
	six     bool
	zone    string
	from    time.Time
	answers []answer
}

// answer is what is right under policies: instants, and perhaps never, or a refusal.
type answer struct {
	policies
	want []string
}

const refused, never = "reject", "never"

// kind is what a group is about.
func (g group) kind() string {
	switch {
	case g.answers[0].want[0] == refused:
		return "refusals"
	case strings.HasPrefix(g.id, "G-"):
		return "grammar"
	}
	return "clocks and dates"
}

var kinds = []string{"clocks and dates", "grammar", "refusals"}

// readGroups reads the vectors. Those with a filter are for package calendar.
func readGroups(file string) ([]group, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	var groups []group
	at := map[string]int{}
	for _, r := range rows[1:] {
		if r[3] != "" {
			continue
		}
		from, err := time.Parse(time.RFC3339Nano, r[8])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r[0], err)
		}
		question := strings.Join([]string{r[1], r[2], r[4], r[8]}, "|")
		i, ok := at[question]
		if !ok {
			i = len(groups)
			at[question] = i
			groups = append(groups, group{id: r[0], line: r[2], six: r[1] == "cron6", zone: r[4], from: from})
		}
		groups[i].answers = append(groups[i].answers, answer{policies{r[5], r[6]}, strings.Fields(r[9])})
	}
	return groups, nil
}

// passes reports whether the system gives a right answer. This module must give the answer of each
// policy, the others of one.
func (g group) passes(s system) bool {
	passed := 0
	for _, a := range g.answers {
		if g.answered(s, a) {
			passed++
		}
	}
	if s.name == "punctual" {
		return passed == len(g.answers)
	}
	return passed > 0
}

// answered reports whether the system gives the answer.
func (g group) answered(s system, a answer) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	schedule, err := s.parse(g.line, g.six, a.policies)
	if err != nil || a.want[0] == refused {
		return err != nil && a.want[0] == refused
	}
	zone, err := time.LoadLocation(g.zone)
	if err != nil {
		return false
	}
	at := g.from.In(zone)
	for _, want := range a.want {
		at = schedule.Next(at)
		if want == never {
			return at.IsZero()
		}
		if at.UTC().Format(time.RFC3339Nano) != want {
			return false
		}
	}
	return true
}
