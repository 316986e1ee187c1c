package tool

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
)

// table writes rows in columns. Cells are cleaned: names and errors come from anywhere.
type table struct{ w *tabwriter.Writer }

func (t *tool) table(columns ...string) table {
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(columns, "\t"))
	return table{w}
}

func (t table) row(cells ...any) {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		if texts[i] = clean(text(cell)); texts[i] == "" {
			texts[i] = "-"
		}
	}
	fmt.Fprintln(t.w, strings.Join(texts, "\t"))
}

func (t table) end() error { return t.w.Flush() }

// text is a cell.
func text(cell any) string {
	switch c := cell.(type) {
	case time.Time:
		if c.IsZero() {
			return ""
		}
		return c.Local().Format("2006-01-02 15:04:05 MST")
	case time.Duration:
		return roughly(c)
	case fmt.Stringer:
		return c.String()
	}
	return fmt.Sprint(cell)
}

// roughly is a duration with two figures or three.
func roughly(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d >= 24*time.Hour:
		return fmt.Sprintf("%dd%dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
	case d >= time.Minute:
		text := d.Round(time.Second).String()
		return strings.TrimSuffix(text, "m0s") + map[bool]string{true: "m"}[strings.HasSuffix(text, "m0s")]
	case d >= time.Second:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(10 * time.Microsecond).String()
}

const (
	widest       = 100 // of a cell
	longestError = 2000
)

// clean makes a text fit for a cell.
func clean(s string) string { return cleaned(s, widest) }

// cleaned makes a text fit to be shown on a terminal: one line, without what would act on that, and
// not too long.
func cleaned(s string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > most {
			b.WriteString("…")
			break
		}
		switch {
		case r == '\n', r == '\t':
			b.WriteByte(' ')
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}

// write writes a value as JSON, or calls show for people.
func (t *tool) write(v any, show func() error) error {
	if !t.JSON {
		return show()
	}
	return encode(t.out, v)
}

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
