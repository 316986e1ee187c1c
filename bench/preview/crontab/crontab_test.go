package crontab_test

import (
	"strings"
	"testing"
	"time"

	"github.com/punctual-go/punctual/bench/preview/crontab"
	"github.com/punctual-go/punctual/bench/preview/plan"
)

func TestReadsTheJobsOfACrontab(t *testing.T) {
	for _, x := range []struct {
		line, name, when string
		estimate         time.Duration
	}{
		{"30 2 * * * backup", "backup", "30 2 * * *", 0},
		{"30 2 * * * backup # 95m", "backup", "30 2 * * *", 95 * time.Minute},
		{"\t30  2 * *\t* /usr/bin/backup --full  # ~1h30m, at least", "backup --full", "30 2 * * *",
			90 * time.Minute},
		{"@daily index", "index", "@daily", 0},
		{"@every 90s poll #5s", "poll", "@every 90s", 5 * time.Second},
		{"CRON_TZ=Asia/Tokyo 0 3 * * * feed # 2s", "feed", "CRON_TZ=Asia/Tokyo 0 3 * * *",
			2 * time.Second},
		{"TZ=Asia/Tokyo\t@hourly feed", "feed", "TZ=Asia/Tokyo @hourly", 0},
		{"0 3 * * * MODE=full sync", "MODE=full sync", "0 3 * * *", 0},
		{"0 3 * * * echo '# 3 files'", "echo '# 3 files'", "0 3 * * *", 0},
		{"0 3 * * * tidy # 12 of them", "tidy # 12 of them", "0 3 * * *", 0},
		{"0 3 * * * tidy \x1b[2J\x00all", "tidy  [2J all", "0 3 * * *", 0},
		{"0 3 * * * tidy\r", "tidy", "0 3 * * *", 0},
	} {
		jobs, _, err := crontab.Read(strings.NewReader(x.line), "jobs", time.UTC)
		if err != nil || len(jobs) != 1 {
			t.Errorf("%q: %d jobs, %v", x.line, len(jobs), err)
			continue
		}
		if j := jobs[0]; j.Name != x.name || j.Line != x.when || j.Estimate != x.estimate {
			t.Errorf("%q: got %q, %q, %v", x.line, j.Name, j.Line, j.Estimate)
		}
	}
}

func TestAZoneIsForTheLinesBelowIt(t *testing.T) {
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	jobs, common, err := crontab.Read(strings.NewReader(`# in UTC
MAILTO=ops@example.com
TZ=America/New_York
0 3 * * * first

CRON_TZ = "Asia/Tokyo"
0 3 * * * second
`), "jobs", time.UTC)
	if err != nil || len(jobs) != 2 || common != nil {
		t.Fatalf("%d jobs in the zone %v, %v", len(jobs), common, err)
	}
	for i, hour := range []int{3, 18} {
		if at := jobs[i].Calendar.Next(from); at.Hour() != hour {
			t.Errorf("%s comes at %v", jobs[i].Name, at)
		}
	}
}

func TestTheZoneThatAllJobsHaveIsTold(t *testing.T) {
	_, common, err := crontab.Read(strings.NewReader(
		"CRON_TZ=Asia/Tokyo\n0 3 * * * a\nCRON_TZ=Asia/Tokyo 0 4 * * * b"), "jobs", time.UTC)
	if err != nil || common == nil || common.String() != "Asia/Tokyo" {
		t.Errorf("got %v, %v", common, err)
	}
}

func TestAllBadLinesAreToldWithTheirPlaces(t *testing.T) {
	_, _, err := crontab.Read(strings.NewReader(`0 3 * * * good
  0 25 * * *  late
CRON_TZ=Nowhere/Atall
0 3 * * *
@reboot start
`), "jobs.cron", time.UTC)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"jobs.cron:2: cron: hour: ", "\n\t  0 25 * * *  late\n\t    ^^",
		`jobs.cron:3: no zone is called "Nowhere/Atall"`,
		`jobs.cron:4: it says when, but not what: "0 3 * * *"`,
		"jobs.cron:5: cron: ", "\n\t@reboot start\n\t^^^^^^^",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q:\n%v", want, err)
		}
	}
}

func TestACrontabWithoutJobsIsAnError(t *testing.T) {
	if _, _, err := crontab.Read(strings.NewReader("# nothing\n"), "jobs", time.UTC); err == nil {
		t.Error("no error")
	}
}

func TestASlotAtTheEndOfAGapSaysWhatItWasMeantFor(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	gap := time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC)
	for line, want := range map[string]string{
		"30 2 * * * x":                       "02:30",
		"CRON_TZ=Europe/Berlin 5 2 * * * x":  "02:05",
		"0 3 * * * x":                        "",
		"*/30 * * * * x":                     "",
		"CRON_TZ=Europe/London 30 1 * * * x": "01:30",
	} {
		jobs, _, err := crontab.Read(strings.NewReader(line), "jobs", berlin)
		if err != nil {
			t.Fatal(err)
		}
		c := jobs[0].Calendar.(interface {
			plan.Calendar
			Meant(time.Time) string
		})
		if at := c.Next(gap.Add(-1)); !at.Equal(gap) {
			t.Errorf("%s: comes at %v", line, at)
		}
		if got := c.Meant(gap); got != want {
			t.Errorf("%s: meant for %q", line, got)
		}
		if got := c.Meant(gap.Add(24 * time.Hour)); got != "" {
			t.Errorf("%s: a day later meant for %q", line, got)
		}
	}
}
