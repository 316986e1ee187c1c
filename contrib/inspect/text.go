package inspect

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// span is a duration. In JSON it is text that time.ParseDuration reads, such as "1.5ms"; on the
// page, text for people, such as "1.5 ms".
type span time.Duration

// MarshalText returns the text for JSON.
func (d span) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// String returns the text for people: three digits, and the unit.
func (d span) String() string {
	t := max(time.Duration(d), -math.MaxInt64) // the least has no positive counterpart
	if t < 0 {
		return "−" + span(-t).String()
	}
	for _, u := range []struct {
		below time.Duration
		unit  time.Duration
		name  string
	}{
		{time.Microsecond, time.Nanosecond, "ns"},
		{time.Millisecond, time.Microsecond, "µs"},
		{time.Second, time.Millisecond, "ms"},
		{100 * time.Second, time.Second, "s"},
	} {
		if t < u.below {
			return digits(float64(t)/float64(u.unit)) + " " + u.name
		}
	}
	t = t.Round(time.Second)
	switch day := 24 * time.Hour; {
	case t < time.Hour:
		return fmt.Sprintf("%d min %02d s", t/time.Minute, t%time.Minute/time.Second)
	case t < day:
		return fmt.Sprintf("%d h %02d min", t/time.Hour, t%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%s d %02d h", count(uint64(t/(24*time.Hour))), t%(24*time.Hour)/time.Hour)
}

// digits returns three digits of a number below a thousand, without zeros that say nothing.
func digits(f float64) string {
	text := strconv.FormatFloat(f, 'g', 3, 64)
	if f >= 1000 || strings.Contains(text, "e") {
		text = strconv.FormatFloat(f, 'f', 0, 64)
	}
	return text
}

// count returns a number with a thin space between thousands.
func count[N int | uint64](n N) string {
	text := strconv.FormatUint(uint64(n), 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return text
}

// rate returns how many there are of something a second.
func rate(perSecond float64) string {
	switch {
	case perSecond == 0:
		return "0"
	case perSecond >= 1000:
		return count(uint64(perSecond + 0.5))
	}
	return digits(perSecond)
}

// clockTime returns a time of day, as its zone shows it, with the date unless it is that of now.
func clockTime(now, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	y1, m1, d1 := now.In(t.Location()).Date()
	if y2, m2, d2 := t.Date(); y1 == y2 && m1 == m2 && d1 == d2 {
		return t.Format("15:04:05 ") + zoneAt(t).String()
	}
	return t.Format("2006-01-02 15:04:05 ") + zoneAt(t).String()
}

// The longest names and errors that are shown, in bytes.
const (
	shownName  = 200
	shownError = 1000
)

// text is a name. On the page it is readable, and changes nothing around it;
// in JSON it is as it was. Both are cut where it is very long.
type text string

// MarshalText returns the text for JSON.
func (t text) MarshalText() ([]byte, error) { return []byte(cut(string(t), shownError)), nil }

// String returns the text for the page.
func (t text) String() string { return label(string(t)) }

// label returns a name so that it can be read, and can't change what stands around it: cut if it is
// long, and with escapes for what does not print or turns the direction of writing.
func label(name string) string { return readable(name, shownName) }

// cut returns the beginning of a long text, as it is, and says how long it was.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(text[end]) { // not within a character
		end--
	}
	return text[:end] + fmt.Sprintf("… (%s bytes)", count(len(text)))
}

func readable(text string, most int) string {
	var b strings.Builder
	for i, r := range text {
		if b.Len() >= most {
			fmt.Fprintf(&b, "… (%s bytes)", count(len(text)))
			break
		}
		switch {
		case r == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				fmt.Fprintf(&b, `\x%02x`, text[i])
				continue
			}
			b.WriteRune(r)
		case r == ' ' || unicode.IsPrint(r) && !unicode.Is(unicode.Bidi_Control, r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}

// errorText returns what an error says. If that panics, the error is the user's mistake, and the
// page goes on.
func errorText(err error) (text string) {
	if err == nil {
		return ""
	}
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprintf("%T, whose text panics", err)
		}
	}()
	return err.Error()
}

// said is what an error says. On the page it is readable; in JSON it is as it was. Both are cut
// where it is very long.
type said string

// MarshalText returns the text for JSON.
func (s said) MarshalText() ([]byte, error) { return []byte(cut(string(s), shownError)), nil }

// String returns the text for the page.
func (s said) String() string { return readable(string(s), shownError) }
