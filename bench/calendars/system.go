package main

import (
	"errors"
	"strings"
	"time"

	"github.com/adhocore/gronx"
	"github.com/hashicorp/cronexpr"
	netresearch "github.com/netresearch/go-cron"
	"github.com/punctual-go/punctual/timer/cron"
	robfig "github.com/robfig/cron/v3"
)

// schedule is what all systems make of a line.
type schedule interface{ Next(time.Time) time.Time }

// policies are what only this module lets choose.
type policies struct{ gap, repeat string }

// system is a package that understands lines of cron.
type system struct {
	name  string
	parse func(line string, six bool, p policies) (schedule, error)
}

func systems() []system {
	return []system{
		{"punctual", parsePunctual}, {"robfig", parseRobfig}, {"netresearch", parseNetresearch},
		{"hashicorp", parseHashicorp}, {"gronx", parseGronx},
	}
}

func parsePunctual(line string, six bool, p policies) (schedule, error) {
	gaps := map[string]cron.GapPolicy{"Skip": cron.Skip}
	repeats := map[string]cron.RepeatPolicy{"Last": cron.Last, "Both": cron.Both}
	parse := cron.Parse
	if six {
		parse = cron.ParseSeconds
	}
	return parse(line, cron.Gap(gaps[p.gap]), cron.Repeat(repeats[p.repeat]))
}

func parseRobfig(line string, six bool, _ policies) (schedule, error) {
	fields := robfig.Minute | robfig.Hour | robfig.Dom | robfig.Month | robfig.Dow | robfig.Descriptor
	if six {
		fields |= robfig.Second
	}
	return robfig.NewParser(fields).Parse(line)
}

// parseNetresearch asks for all extensions, for the usual meaning of two fields of days, and for a
// search as long as others have.
func parseNetresearch(line string, six bool, _ policies) (schedule, error) {
	fields := netresearch.Minute | netresearch.Hour | netresearch.Dom | netresearch.Month | netresearch.Dow |
		netresearch.Descriptor | netresearch.Extended | netresearch.DowOrDom
	if six {
		fields |= netresearch.Second
	}
	parser, err := netresearch.TryNewParser(fields)
	if err != nil {
		return nil, err
	}
	return parser.WithMaxSearchYears(100).Parse(line)
}

// parseHashicorp gives lines with seconds a seventh field: six would mean a year at the end.
func parseHashicorp(line string, six bool, _ policies) (schedule, error) {
	switch fields := len(strings.Fields(line)); {
	case six:
		line += " *"
	case fields > 5:
		return nil, errors.New("a line with a year")
	}
	return cronexpr.Parse(line)
}

// gronxSchedule is a line: gronx parses it each time.
type gronxSchedule string

func parseGronx(line string, six bool, _ policies) (schedule, error) {
	if fields := len(strings.Fields(line)); !strings.HasPrefix(line, "@") && (fields == 6) != six {
		return nil, errors.New("a line with other fields")
	}
	if !gronx.IsValid(line) {
		return nil, errors.New("not valid")
	}
	return gronxSchedule(line), nil
}

// Next takes an error for never, which is what it says then.
func (s gronxSchedule) Next(after time.Time) time.Time {
	next, err := gronx.NextTickAfter(string(s), after, false)
	if err != nil {
		return time.Time{}
	}
	return next
}
