package inspect

import (
	"errors"
	"strings"

	"github.com/punctual-go/punctual/future"
)

// account is all that an error says, and the stack if it is a panic.
type account struct {
	Error whole `json:"error"`
	Stack whole `json:"stack,omitempty"`
}

// The longest error and stack that are shown as a whole, and how long those of a view may be
// together, in bytes.
const (
	longestWhole = 32 << 10
	mostWhole    = 96 << 10
)

// account returns what there is to say of an error beyond its line; nil if that says it all, or
// if a view has no room for it, which is less afterwards.
func (r *redactor) account(err error, room *int) *account {
	if err == nil {
		return nil
	}
	a := &account{Error: whole(r.shown(errorText(err))), Stack: whole(r.shown(stackOf(err)))}
	if a.Stack == "" && len(a.Error) <= shownError && !strings.Contains(string(a.Error), "\n") {
		return nil
	}
	need := len(a.Error.String()) + len(a.Stack.String())
	if need > *room {
		return nil
	}
	*room -= need
	return a
}

// stackOf returns the stack of a panic. The methods of errors are the user's, and may panic.
func stackOf(err error) (stack string) {
	defer func() { _ = recover() }()
	var p *future.PanicError
	if errors.As(err, &p) && p != nil {
		return string(p.Stack)
	}
	return ""
}

// matches reports whether an error matches another, even if its methods panic.
func matches(err, target error) (is bool) {
	defer func() { _ = recover() }()
	return errors.Is(err, target)
}

// whole is a text of several lines. On the page each is readable; in JSON it is as it was. Both are
// cut where it is very long.
type whole string

// MarshalText returns the text for JSON.
func (w whole) MarshalText() ([]byte, error) { return []byte(cut(string(w), longestWhole)), nil }

// String returns the text for the page.
func (w whole) String() string {
	var b strings.Builder
	for line := range strings.Lines(string(w)) {
		if b.Len() >= longestWhole {
			b.WriteString("… (" + count(len(w)) + " bytes)")
			break
		}
		line, ended := strings.CutSuffix(line, "\n")
		for strings.HasPrefix(line, "\t") {
			line = line[1:]
			b.WriteString("    ")
		}
		b.WriteString(readable(line, longestWhole-b.Len()))
		if ended {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
