package draw

import (
	"strconv"
	"strings"
	"time"

	"github.com/punctual-go/punctual/bench/preview/plan"
)

// clock tells an instant: with the day if the window has several.
func (c *Chart) clock(at time.Duration) string {
	t := c.Plan.At(at).Round(time.Second).In(c.Zone)
	form := "15:04"
	if t.Second() != 0 {
		form = "15:04:05"
	}
	switch {
	case c.length() > 8*24*time.Hour:
		form = "Mon 2 Jan " + form
	case c.days():
		form = "Mon " + form
	}
	return t.Format(form)
}

// span tells a time from one instant to another.
func (c *Chart) span(s plan.Span) string {
	end := c.Plan.At(s.To).Round(time.Second).In(c.Zone)
	begin := c.Plan.At(s.From).Round(time.Second).In(c.Zone)
	if begin.YearDay() == end.YearDay() {
		return c.clock(s.From) + "–" + end.Format("15:04")
	}
	if end.Hour()+end.Minute() == 0 && end.Sub(begin) <= 24*time.Hour {
		return c.clock(s.From) + "–24:00"
	}
	return c.clock(s.From) + "–" + c.clock(s.To)
}

// title tells the window: the days of it.
func (c *Chart) title() string {
	w := c.Plan.Window
	from, to := w.From.In(c.Zone), w.To.Add(-1).In(c.Zone)
	if from.Format(time.DateOnly) == to.Format(time.DateOnly) {
		return from.Format("Monday 2 January 2006")
	}
	if from.Year() == to.Year() {
		return from.Format("Mon 2 January") + " – " + to.Format("Mon 2 January 2006")
	}
	return from.Format("Mon 2 January 2006") + " – " + to.Format("Mon 2 January 2006")
}

// short tells a duration: 95m is 1h35m, and nothing is told of it that nobody would read.
func short(d time.Duration) string {
	switch {
	case d >= 10*time.Minute:
		d = d.Round(time.Minute)
	case d >= 10*time.Second:
		d = d.Round(time.Second)
	case d >= time.Second:
		d = d.Round(100 * time.Millisecond)
	default:
		return d.Round(time.Microsecond).String()
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = text[:len(text)-2]
	}
	if strings.HasSuffix(text, "h0m") {
		text = text[:len(text)-2]
	}
	return text
}

func estimate(d time.Duration) string {
	if d == 0 {
		return "?"
	}
	return short(d)
}

// number tells a number, with commas.
func number(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// count tells how many there are of something.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return number(n) + " " + what + "s"
}

// percent tells a share: what is not nothing is not told as 0 %.
func percent(part, of time.Duration) string {
	if part == 0 || of == 0 {
		return "0 %"
	}
	share := 100 * float64(part) / float64(of)
	if share < 0.1 {
		return "< 0.1 %"
	}
	if share >= 10 {
		return strconv.FormatFloat(share, 'f', 0, 64) + " %"
	}
	return strconv.FormatFloat(share, 'f', 1, 64) + " %"
}

// cut shortens a text to so many letters.
func cut(text string, letters int) string {
	runes := []rune(text)
	if len(runes) <= letters {
		return text
	}
	return string(runes[:letters-1]) + "…"
}
