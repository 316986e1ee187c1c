package inspect

import (
	"log/slog"
	"net/url"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/runlog"
)

// RunLog has the page show what a Log keeps of runs: their lines, how far they are and the ids of
// their traces. The Log has to observe the pools and loops, see [runlog.Log.Observer],
// and these need names of their own. It panics if l is nil.
func RunLog(l *runlog.Log) Option {
	if l == nil {
		panic("inspect: nil log")
	}
	return func(p *Page) { p.runs = l }
}

// TraceURL makes the ids of traces links: address returns where a trace is shown, given its id, for
// example "https://traces.example/trace/" + url.PathEscape(id). Only an absolute address of https
// becomes a link. It is called as the function of [Redact] is; if it fails, there is no link. It
// panics if address is nil.
func TraceURL(address func(id string) string) Option {
	if address == nil {
		panic("inspect: nil function")
	}
	return func(p *Page) { p.traceURL = &userText{f: address} }
}

// runLog is what is kept of a run, or of an attempt of one.
type runLog struct {
	Trace   *traced   `json:"trace,omitempty"`
	Lines   []logLine `json:"lines"`
	Dropped uint64    `json:"dropped,omitzero"` // how many lines came before these
}

// traced is the trace that a run belongs to.
type traced struct {
	ID  text   `json:"id"`
	URL string `json:"url,omitempty"`
}

// logLine is a line that a run has logged.
type logLine struct {
	Time  time.Time  `json:"time,omitzero"`
	Level slog.Level `json:"level"`
	Text  said       `json:"text"`
}

// advance is how far a run says it is.
type advance struct {
	Done  int64 `json:"done"`
	Total int64 `json:"total,omitzero"` // 0 if that is not known
	Note  said  `json:"note,omitempty"`
}

// mostLogged is how many bytes of lines a view shows. In it the lines of the latest runs have
// precedence, and of a run the last lines.
const mostLogged = 96 << 10

// logs are what is kept of the runs of the tasks of a name, while a view is made of it.
type logs struct {
	page *Page
	runs []runlog.Run // the latest first
	room int          // in bytes
}

func (s *seen) logsOf(name string) *logs {
	l := &logs{page: s.page, room: mostLogged}
	if s.page.runs != nil {
		l.runs = s.page.runs.Runs(s.name, name)
	}
	return l
}

// of returns what is kept of a run; nil if that is nothing.
func (l *logs) of(number, attempt uint64, started time.Time) *runLog {
	for _, r := range l.runs {
		if r.Number == number && r.Attempt == attempt && r.Started.Equal(started) {
			return l.log(r)
		}
	}
	return nil
}

func (l *logs) log(r runlog.Run) *runLog {
	log := &runLog{Trace: l.trace(r.Trace), Lines: []logLine{}}
	first := len(r.Lines)
	for first > 0 && l.room > 0 {
		first--
		l.room -= len(r.Lines[first].Message) + len(r.Lines[first].Attrs)
	}
	log.Dropped = r.Dropped + uint64(first)
	var texts []string
	for _, line := range r.Lines[first:] {
		texts = append(texts, line.String())
	}
	for i, text := range l.page.redactor.shownAll(texts) {
		line := r.Lines[first+i]
		log.Lines = append(log.Lines, logLine{line.Time, line.Level, said(text)})
	}
	return log
}

// trace returns the trace with an id; nil without one.
func (l *logs) trace(id string) *traced {
	if id == "" {
		return nil
	}
	t := &traced{ID: text(id)}
	if l.page.traceURL == nil {
		return t
	}
	address := l.page.traceURL.all([]string{id}, "")[0]
	u, err := url.Parse(address)
	if err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil {
		t.URL = u.String()
	}
	return t
}

// in shows the times in a zone.
func (l *runLog) in(zone *time.Location) *runLog {
	if l == nil {
		return nil
	}
	for i := range l.Lines {
		l.Lines[i].Time = in(l.Lines[i].Time, zone)
	}
	return l
}

// Clock is when the line was logged, to the millisecond.
func (l logLine) Clock() string {
	if l.Time.IsZero() {
		return ""
	}
	return l.Time.Format("15:04:05.000 ")
}

// Class is that of lines that are marked.
func (l logLine) Class() string {
	switch {
	case l.Level >= slog.LevelError:
		return "error"
	case l.Level >= slog.LevelWarn:
		return "warn"
	}
	return ""
}

func (s *seen) advance(at *runlog.Position) *advance {
	if at == nil {
		return nil
	}
	return &advance{at.Done, at.Total, said(s.page.redactor.shown(at.Note))}
}

// Percent returns how far it is; nothing if that is not known.
func (a *advance) Percent() *int {
	if a.Total <= 0 {
		return nil
	}
	ratio, _ := runlog.Position{Done: a.Done, Total: a.Total}.Ratio()
	percent := int(ratio * 100)
	return &percent
}

// Words says how far it is, but for the note.
func (a *advance) Words() string {
	if a.Total <= 0 {
		return count(uint64(a.Done)) + " done"
	}
	return count(uint64(a.Done)) + " of " + count(uint64(a.Total)) + ", " + itoa(*a.Percent()) + " %"
}

// inProgress are the runs of a source that say how far they are.
type inProgress struct {
	seen *seen
	runs []runlog.Run
}

func (s *seen) inProgress() inProgress {
	if s.page.runs == nil {
		return inProgress{}
	}
	return inProgress{s, s.page.runs.InProgress(s.name)}
}

// of returns how far a run is; nil if it does not say.
func (p inProgress) of(run executor.Run) *advance {
	for _, r := range p.runs {
		if r.Name == run.Name && r.Number == run.Number && r.Attempt == run.Attempt &&
			r.Started.Equal(run.Started) {
			return p.seen.advance(r.Progress)
		}
	}
	return nil
}

// tellLines adds to the view of a task what is kept of its runs. Without a history these are shown
// in its place.
func (s *seen) tellLines(v *taskView, e *entry) {
	if s.page.runs == nil {
		return
	}
	logs, zone := s.logsOf(e.name), v.Schedule.zone
	going := s.inProgress()
	for i, now := range v.Now {
		v.Now[i].Log = logs.of(now.Number, now.run.Attempt, now.Started).in(zone)
		v.Now[i].Progress = going.of(now.run)
	}
	if !v.Kept && v.Same == 1 {
		v.Past = s.pastFrom(logs, zone)
	}
	for i, r := range v.Past {
		if !r.Expired && r.Log == nil {
			v.Past[i].Log = logs.of(r.Number, r.Attempt, r.Started).in(zone)
		}
	}
}

// pastFrom returns the runs that have ended of which lines are kept, the latest first.
func (s *seen) pastFrom(logs *logs, zone *time.Location) []pastRun {
	past := []pastRun{}
	for _, r := range logs.runs {
		if !r.Ended {
			continue
		}
		run := pastRun{Task: s.link(r.Name), Number: r.Number, Attempt: r.Attempt, Due: r.Scheduled,
			Started: r.Started, Took: span(r.Took), Missed: r.Missed, Skipped: r.Skipped,
			Late:  span(max(r.Started.Sub(r.Scheduled), 0)),
			Error: said(s.page.redactor.shown(r.Error)), unexplained: true}.in(zone)
		run.Log = logs.log(r).in(zone)
		past = append(past, run)
	}
	return past
}

// runsView is what is kept of the runs of the tasks of a name, for tasks that have no other view.
type runsView struct {
	At   time.Time `json:"at"`
	Task text      `json:"task"`
	Pool link      `json:"pool"`
	Now  []runner  `json:"running"`
	Past []pastRun `json:"last_runs"`
}

// loggedTasks returns the names of tasks of whose runs something is kept.
func (s *seen) loggedTasks() map[string]string {
	names := map[string]string{}
	if s.page.runs != nil && s.kind != aSupervisor {
		for _, name := range s.page.runs.Tasks(s.name) {
			names[hashed(name)] = name
		}
	}
	return names
}

// mostLoggedTasks is how many of these are listed.
const mostLoggedTasks = 100

// loggedLinks returns where the runs of these are shown, and how many more tasks there are.
func (s *seen) loggedLinks() (links []link, more int) {
	if s.page.runs == nil {
		return nil, 0
	}
	names := s.page.runs.Tasks(s.name)
	for _, name := range names[:min(len(names), mostLoggedTasks)] {
		links = append(links, s.link(name))
	}
	return links, len(names) - len(links)
}

// runsAt returns the view of the runs of the tasks of a name, or false if nothing is kept of any.
func (s *seen) runsAt(id string, here []crumb) (view, bool) {
	name, ok := s.logged()[id]
	if !ok {
		return view{}, false
	}
	path := s.path() + "runs/" + id
	v := runsView{At: s.at, Task: text(named(name)), Pool: link{text(s.title()), s.path()},
		Now: []runner{}}
	logs, going := s.logsOf(name), s.inProgress()
	for _, r := range logs.runs {
		if r.Ended || len(v.Now) == mostRunning {
			continue
		}
		v.Now = append(v.Now, runner{Task: link{text(named(name)), path}, Number: r.Number,
			Attempt: r.Attempt, Started: in(r.Started, time.Local),
			For: span(max(s.at.Sub(r.Started), 0)), run: r.Run,
			Progress: going.of(r.Run), Log: logs.log(r).in(time.Local)})
	}
	v.Past = s.pastFrom(logs, time.Local)
	return view{"runs", append(here, crumb{label(named(name)), path}), "", v}, true
}
