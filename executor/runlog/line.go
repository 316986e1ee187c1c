package runlog

import (
	"encoding"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Line is what was logged at once.
type Line struct {
	Time    time.Time  `json:"time,omitzero"`
	Level   slog.Level `json:"level"`
	Message string     `json:"message"`

	// Attrs are the attributes, as slog.TextHandler writes them: key=value, and group.key=value,
	// with a space between them.
	Attrs string `json:"attrs,omitempty"`
}

// String returns the message and the attributes.
func (l Line) String() string {
	if l.Attrs == "" {
		return l.Message
	}
	return l.Message + " " + l.Attrs
}

func (l Line) size() int64 { return int64(lineSize + len(l.Message) + len(l.Attrs)) }

// What is kept of a line: so many bytes, and so many groups within each other.
const (
	longestLine   = 2 << 10
	deepestGroups = 16
)

// line writes a record down. It calls methods of the values, which are the user's.
func (w *writer) line(rec slog.Record, with *scope) Line {
	w.text, w.prefix, w.full = append(w.text[:0], cut(rec.Message, longestLine)...), "", false
	message := len(w.text)
	w.scopes(with)
	rec.Attrs(func(a slog.Attr) bool {
		w.attr(w.prefix, a, 0)
		return !w.full
	})
	text := string(w.text) // the one copy
	line := Line{Time: rec.Time, Level: rec.Level, Message: text[:message]}
	if message < len(text) {
		line.Attrs = text[message+1:]
	}
	return line
}

// writer writes attributes as text, as long as there is room.
type writer struct {
	text   []byte
	prefix string // the groups that are open, each with a dot
	full   bool
}

func (w *writer) scopes(s *scope) {
	if s == nil {
		return
	}
	w.scopes(s.outer)
	if s.group != "" {
		w.prefix += cut(s.group, longestKey) + "."
	}
	for _, a := range s.attrs {
		w.attr(w.prefix, a, 0)
	}
}

// longestKey is how much of the name of an attribute or group is kept, in bytes.
const longestKey = 200

func (w *writer) attr(prefix string, a slog.Attr, depth int) {
	if w.full {
		return
	}
	if len(w.text)+len(prefix) >= longestLine || depth > deepestGroups {
		w.full = true
		w.text = append(w.text, " …"...)
		return
	}
	value := a.Value.Resolve()
	switch {
	case value.Kind() == slog.KindGroup:
		if a.Key != "" {
			prefix += cut(a.Key, longestKey) + "."
		}
		for _, inner := range value.Group() {
			w.attr(prefix, inner, depth+1)
		}
	case a.Key != "" || value.Kind() != slog.KindAny || value.Any() != nil:
		w.text = append(w.text, ' ')
		w.write(prefix + cut(a.Key, longestKey))
		w.text = append(w.text, '=')
		w.value(value)
	}
}

// value appends what a value says.
func (w *writer) value(v slog.Value) {
	switch v.Kind() {
	case slog.KindInt64:
		w.text = strconv.AppendInt(w.text, v.Int64(), 10)
	case slog.KindTime:
		w.text = v.Time().AppendFormat(w.text, time.RFC3339Nano)
	case slog.KindAny:
		w.write(said(v.Any()))
	default:
		w.write(v.String())
	}
}

// said returns what a value of any type says of itself.
func said(value any) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("!PANIC: %v", r)
		}
	}()
	switch v := value.(type) {
	case encoding.TextMarshaler:
		data, err := v.MarshalText()
		if err != nil {
			return "!ERROR: " + err.Error()
		}
		return string(data)
	case []byte:
		return string(v[:min(len(v), longestLine+utf8.UTFMax)])
	}
	return fmt.Sprintf("%+v", value)
}

// write appends a text, in quotes if it would else be taken for something else, as far as there is
// room.
func (w *writer) write(text string) {
	text = cut(text, max(longestLine-len(w.text), 32))
	if text != "" && !strings.ContainsFunc(text, special) {
		w.text = append(w.text, text...)
		return
	}
	w.text = strconv.AppendQuote(w.text, text)
	if end := longestLine; len(w.text) > end+100 { // escapes are longer than what they stand for
		for !utf8.RuneStart(w.text[end]) {
			end--
		}
		w.full, w.text = true, append(w.text[:end], "…"...)
	}
}

// special reports whether a text with this character is quoted.
func special(r rune) bool {
	return r == ' ' || r == '"' || r == '=' || r == utf8.RuneError || !unicode.IsPrint(r)
}

// cut returns the beginning of a long text, and says how long it was.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(text[end]) { // not within a character
		end--
	}
	return fmt.Sprintf("%s… (%d bytes)", text[:end], len(text))
}
