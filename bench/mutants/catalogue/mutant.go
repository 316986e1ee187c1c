// Package catalogue is a list of small faults in the core of this module: each is a few words of
// the source that become others, as if somebody had made the mistake. Most have been made, in this
// form or another, in queues, pools and timers that many use.
//
// Every one breaks a promise, though some only when two goroutines meet in a window of a few
// nanoseconds. A fault that changes nothing that is promised, such as a wake-up too many, is not in
// the list.
package catalogue

import (
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// Mutant is one fault: in File, From becomes To.
type Mutant struct {
	ID    string // its area and a number
	Fault string // what is wrong, as a sentence
	File  string // below the root of the module
	From  string // is in File once; see [Mutant.Apply]
	To    string
	Seen  string // where somebody has published it of another scheduler, timer or queue; see published
}

// Area is the part of the core that the fault lies in.
func (m Mutant) Area() string {
	area, _, _ := strings.Cut(m.ID, "-")
	return area
}

// Package is the directory of File.
func (m Mutant) Package() string {
	return m.File[:strings.LastIndex(m.File, "/")]
}

// All returns the mutants, area by area.
func All() []Mutant {
	return slices.Concat(leader, heap, wheels, futures, groups, shutdown, pool, waits, periodic, failures, loops, economy,
		values, ease, steering, control, calendars, composed, dates, seeing, metrics, recordings,
		runLog, published, meetings, gates, shards, workflows, fallbacks, past)
}

var (
	errNotThere = errors.New("the fragment is not there any more")
	errTwice    = errors.New("the fragment is there more than once")
)

// Apply returns the source with the fault in it. From is looked for word by word: neither spaces
// and line ends nor comments matter, so that it outlives a change of these.
func (m Mutant) Apply(source []byte) ([]byte, error) {
	words, err := wordsOf(source)
	if err != nil {
		return nil, err
	}
	wanted, err := wordsOf([]byte(m.From))
	if err != nil {
		return nil, err
	}
	at := -1
	for i := 0; i+len(wanted) <= len(words); i++ {
		if !slices.EqualFunc(words[i:i+len(wanted)], wanted, sameText) {
			continue
		}
		if at >= 0 {
			return nil, errTwice
		}
		at = i
	}
	if at < 0 || len(wanted) == 0 {
		return nil, errNotThere
	}
	begin, end := words[at].begin, words[at+len(wanted)-1].end
	return slices.Concat(source[:begin], []byte(m.To), source[end:]), nil
}

// word is a token of Go in its source.
type word struct {
	text       string
	begin, end int
}

func sameText(a, b word) bool { return a.text == b.text }

// wordsOf returns the tokens of a piece of Go, but for comments, and for semicolons, which line
// ends stand for.
func wordsOf(source []byte) (words []word, err error) {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, source, func(at token.Position, text string) { err = fmt.Errorf("%v: %s", at, text) }, 0)
	for {
		at, kind, text := s.Scan()
		switch {
		case kind == token.EOF:
			return words, err
		case kind == token.SEMICOLON:
			continue
		case text == "":
			text = kind.String()
		}
		begin := file.Offset(at)
		words = append(words, word{text, begin, begin + len(text)})
	}
}
