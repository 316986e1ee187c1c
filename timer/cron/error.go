package cron

import (
	"strings"
	"unicode/utf8"
)

// ParseError says what is wrong with a line, and where.
type ParseError struct {
	Line   string
	Field  string // "second", "minute", "hour", "day", "month", "weekday", or "" for the whole line
	Offset int    // of the wrong part, in bytes
	Length int    // in bytes; 0 at the end of the line if something is missing
	Reason string
}

// Error tells the reason, and then shows the line with carets under the wrong part.
func (e *ParseError) Error() string {
	what := "cron: "
	if e.Field != "" {
		what += e.Field + ": "
	}
	what += e.Reason
	if strings.TrimSpace(e.Line) == "" || len(e.Line) > maxLength {
		return what
	}
	shown := strings.Map(func(r rune) rune {
		if r < ' ' || r == utf8.RuneError {
			return ' '
		}
		return r
	}, e.Line)
	from := min(max(e.Offset, 0), len(e.Line)) // somebody may have made the error by hand
	to := min(max(e.Offset+e.Length, from), len(e.Line))
	before := utf8.RuneCountInString(e.Line[:from])
	carets := max(1, utf8.RuneCountInString(e.Line[from:to]))
	under := strings.Repeat(" ", before) + strings.Repeat("^", carets)
	return what + "\n\t" + shown + "\n\t" + under
}
