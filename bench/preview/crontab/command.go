package crontab

import (
	"path"
	"regexp"
	"strings"
	"time"
	"unicode"
)

// split splits a line into the schedule, with where it begins, and the rest.
func split(text string) (when string, at int, command string) {
	at = len(text) - len(strings.TrimLeft(text, blanks))
	rest := text[at:]
	words := 5
	if hasZone(rest) {
		words++
	}
	end := 0
	for n := 0; n < words && end < len(rest); n++ {
		from := end + len(rest[end:]) - len(strings.TrimLeft(rest[end:], blanks))
		to := strings.IndexAny(rest[from:], blanks)
		if to < 0 {
			to = len(rest) - from
		}
		if word := rest[from : from+to]; strings.HasPrefix(word, "@") {
			words = n + 1
			if strings.EqualFold(word, "@every") {
				words++
			}
		}
		end = from + to
	}
	return strings.TrimRight(rest[:end], blanks), at, strings.Trim(rest[end:], blanks)
}

const blanks = " \t\v\f\r"

// estimateAtEnd finds a comment at the end of a command that begins with a duration.
var estimateAtEnd = regexp.MustCompile(`(?:^|\s+)#\s*~?\s*((?:\d+(?:\.\d+)?(?:h|ms|m|s))+)(?:[\s,;:.].*)?$`)

// cutEstimate cuts the estimate off a command. Without one it returns 0.
func cutEstimate(command string) (string, time.Duration) {
	at := estimateAtEnd.FindStringSubmatchIndex(command)
	if at == nil {
		return command, 0
	}
	d, err := time.ParseDuration(command[at[2]:at[3]])
	if err != nil {
		return command, 0
	}
	return strings.TrimSpace(command[:at[0]]), d
}

// label returns the command as it is shown: without the folder of the program, and without what a
// terminal would take for a command of its own.
func label(command string) string {
	program, rest, _ := strings.Cut(strings.Map(shown, command), " ")
	return strings.TrimSpace(path.Base(program) + " " + rest)
}

func shown(r rune) rune {
	if !unicode.IsPrint(r) {
		return ' '
	}
	return r
}
