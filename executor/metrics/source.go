package metrics

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/runlog"
)

// Source is what figures are read from: an [executor.Pool], an [executor.ScheduledPool] or an
// [eventloop.Loop], or a type with one of them embedded. Of any other, a supervisor among them, only
// the health is told: what it counts is not what pools count.
type Source = insight.Source

// source is a Source with a name that may be shown.
type source struct {
	Source
	name string
	runs *runlog.Log // nil if it is not known how far its runs are
	told string      // its name there: as it is
}

// named checks a source, and learns its name.
func named(s Source) (source, error) {
	if s == nil || isNil(s) {
		return source{}, fmt.Errorf("%w: metrics of a nil pool", executor.ErrInvalid)
	}
	if p, ok := s.(progressing); ok {
		from, err := named(p.Source)
		from.runs = p.runs
		return from, err
	}
	name := s.Insight().Health().Pool
	switch s := s.(type) {
	case interface{ Stats() executor.Stats }:
		name = s.Stats().Name
	case interface{ Stats() eventloop.Stats }:
		name = s.Stats().Name
	}
	return source{Source: s, name: valid(name), told: name}, nil
}

// isNil reports whether s is a nil pointer to something.
func isNil(s Source) bool {
	v := reflect.ValueOf(s)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// valid returns a name as UTF-8. Most are as they should be, and cost nothing.
func valid(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return strings.ToValidUTF8(name, string(utf8.RuneError))
}
