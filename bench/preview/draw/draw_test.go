package draw_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/punctual-go/punctual/bench/preview/crontab"
	"github.com/punctual-go/punctual/bench/preview/draw"
	"github.com/punctual-go/punctual/bench/preview/plan"
)

// chart returns the chart of a crontab for some days in Berlin.
func chart(t *testing.T, lines, from string, days, workers int) *draw.Chart {
	t.Helper()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	jobs, _, err := crontab.Read(strings.NewReader(lines), "jobs", berlin)
	if err != nil {
		t.Fatal(err)
	}
	begin, err := time.ParseInLocation(time.DateOnly, from, berlin)
	if err != nil {
		t.Fatal(err)
	}
	p := plan.Calculate(jobs, plan.Window{From: begin, To: begin.AddDate(0, 0, days)}, workers,
		20_000)
	return &draw.Chart{Plan: p, Sums: plan.Sum(p), Zone: berlin, Rows: 200}
}

func text(t *testing.T, c *draw.Chart) string {
	t.Helper()
	var b strings.Builder
	if err := c.Text(&b, 110); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func picture(t *testing.T, c *draw.Chart) string {
	t.Helper()
	var b strings.Builder
	if err := c.SVG(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// has checks that a text has all of the parts.
func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}

// hours returns the line of the hours.
func hours(t *testing.T, from string) string {
	t.Helper()
	return strings.TrimSpace(strings.Split(text(t, chart(t, "0 3 * * * a # 1h", from, 1, 1)),
		"\n")[2])
}

func TestADayIsAsWideAsItIsLong(t *testing.T) {
	for from, want := range map[string]string{
		"2026-03-28": "00  02  04  06  08  10  12  14  16  18  20  22",
		"2026-03-29": "00 |03    06  08  10  12  14  16  18  20  22",
		"2026-10-25": "00   |02  04  06  08  10  12  14  16  18  20  22",
	} {
		if got := hours(t, from); got != want {
			t.Errorf("%s: got\n%s, want\n%s", from, got, want)
		}
	}
}

func TestTextShowsRunsAndWaits(t *testing.T) {
	got := text(t, chart(t, `
0 1 * * *     whole     # 1h
0 3 * * *     part      # 40m
15 5 * * *    second    # 15m
0 7 * * *     first     # 2h
0 8 * * *     waits     # 30m
0 10 * * *    moment
*/10 12 * * * many      # 5m
`, "2026-06-01", 1, 1))
	has(t, got, `
                            00  02  04  06  08  10  12  14  16  18  20  22
whole   0 1 * * *       1h    ██
part    0 3 * * *      40m        █▍
second  15 5 * * *     15m            ▐
first   0 7 * * *       2h                ████
waits   0 8 * * *      30m                  ░░█                               08:00 waits 1h
moment  0 10 * * *       ?                      │
many    */10 12 * * *   5m                          ▄▄
busy                          ██  █▃  ▄   ██!!█     ▄▄                        ! due, no worker

12 runs of 7 jobs; at most 1 of 1 worker busy, all of them 20 % of the time
1 run waits for a worker; first at 08:00, worst waits, which waits 1h from 08:00 on
quiet: 12:55–24:00 (11h5m), 09:30–12:00 (2h30m), 03:40–05:15 (1h35m)
without an estimate, and taken for a moment: 1 job
`)
}

func TestTextFitsTheLineItIsGiven(t *testing.T) {
	lines := "0 3 * * * " + strings.Repeat("long ", 20) + "# 95m\n0,10,20,30,40,50 1-23/2 * * MON-FRI b"
	c := chart(t, lines, "2026-06-01", 7, 2)
	for _, width := range []int{80, 120, 200} {
		var b strings.Builder
		if err := c.Text(&b, width); err != nil {
			t.Fatal(err)
		}
		chart, _, _ := strings.Cut(b.String(), "! due")
		for line := range strings.SplitSeq(chart, "\n") {
			if strings.Contains(line, "┊") && len([]rune(line)) > width {
				t.Errorf("a line of %d has %d letters: %s", width, len([]rune(line)), line)
			}
		}
	}
}

func TestSlotsThatTheClocksMoveAreTold(t *testing.T) {
	lines := "30 2 * * * fixed # 5m\n0 * * * * hourly"
	has(t, text(t, chart(t, lines, "2026-03-29", 1, 1)), "03:00 for 02:30",
		"clocks: at 02:00 on Sun 29 Mar they go forward to 03:00")
	has(t, text(t, chart(t, lines, "2026-10-25", 1, 1)),
		"clocks: at 03:00 on Sun 25 Oct they go back to 02:00")
	has(t, picture(t, chart(t, lines, "2026-03-29", 1, 1)), "02:00 → 03:00",
		"fixed: due 03:00, for 02:30, runs 03:00–03:05 (5m)")
}

func TestJobsBeyondTheRowsShareOne(t *testing.T) {
	var lines strings.Builder
	for i := range 20 {
		fmt.Fprintf(&lines, "%d %d * * * job%d # 10m\n", i, i, i)
	}
	lines.WriteString("0 3 * * * blocks # 2h\n")
	c := chart(t, lines.String(), "2026-06-01", 1, 1)
	c.Rows = 4
	for _, got := range []string{text(t, c), picture(t, c)} {
		has(t, got, "3 3 * * *", "4 4 * * *", "5 5 * * *", "18 others")
		if strings.Contains(got, "19 19 * * *") {
			t.Errorf("a job that should not have a row of its own has one:\n%s", got)
		}
	}
}

func TestWhatIsLeftOutIsTold(t *testing.T) {
	has(t, text(t, chart(t, "@every 1ms flood\n0 3 * * * a", "2026-06-01", 1, 1)),
		"left out: too often",
		"flood (@every 1ms) comes too often, and is left out of all figures",
		"without an estimate, and taken for a moment: 2 jobs")
	var lines strings.Builder
	for range 100 {
		lines.WriteString("* * * * * a # 1s\n")
	}
	has(t, text(t, chart(t, lines.String(), "2026-06-01", 1, 100)),
		"cut at 03:20: these are too many runs for one plan")
}

func TestThePictureIsXMLThatNeedsNothingElse(t *testing.T) {
	got := picture(t, chart(t, "0 3 * * * <a> & \"b\" # 1h\n10 3 * * * b", "2026-06-01", 7, 1))
	for d := xml.NewDecoder(strings.NewReader(got)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "script" {
			t.Error("the picture has a script")
		}
	}
	for _, bad := range []string{"NaN", "Inf", "href"} {
		if strings.Contains(got, bad) {
			t.Errorf("the picture has %q in it", bad)
		}
	}
	has(t, got, "prefers-color-scheme:dark")
}

func TestThePictureTellsEachRunAndEachWait(t *testing.T) {
	got := picture(t, chart(t, `
0 3 * * *      long    # 60m
10 3 * * *     waits   # 10m
0,30 12 * * *  slow    # 45m
0 20 * * *     unknown
`, "2026-06-01", 1, 1))
	has(t, got,
		`class="run" rx="2.5"><title>long: due 03:00, runs 03:00–04:00 (1h)</title>`,
		`class="wait"><title>waits: due 03:10, waits 50m for a worker, runs 04:00–04:10 (10m)</title>`,
		`class="own"><title>slow: due 12:30, waits 15m for its run before, runs 12:45–13:30 (45m)</title>`,
		`class="moment" rx="1"><title>unknown: due 20:00, starts 20:00</title>`,
		`class="clash"><title>waits waits 50m for a worker, from 03:10 on</title>`,
		"worst waits, 50m from 03:10 on", "2 wanted")
}

func TestRunsThatCannotBeToldApartAreOneBar(t *testing.T) {
	got := picture(t, chart(t, "*/5 * * * * often # 1m", "2026-06-01", 7, 1))
	has(t, got, "often: 2,016 runs", "of work")
	if n := strings.Count(got, "<title>"); n > 20 {
		t.Errorf("%d titles for one bar", n)
	}
}
