package inspect

// Redact has show decide what is seen of the texts that come from tasks: it is given each error,
// the reason of what is wrong, stack, log line and note of progress, and each error and text of a
// panel, payloads included, before that leaves the process by any way: as a page, as JSON, by the
// stream, or as the answer to an action. It returns what is to be seen; "" hides all of it. It is
// given errors whole, which are cut afterwards, and of lines what the Log keeps. The names of tasks
// and pools, and the log of the program, stay as they are.
//
//	token := regexp.MustCompile(`token=\S+`)
//	page.With(inspect.Redact(func(text string) string {
//		return token.ReplaceAllLiteralString(text, "token=…")
//	}))
//
// show is called for each view anew, by several goroutines at a time, so it has to be fast. If it
// panics, calls runtime.Goexit or has not returned after half a second, what is shown is a
// note, and never the text. It panics if show is nil.
func Redact(show func(text string) string) Option {
	if show == nil {
		panic("inspect: nil function")
	}
	return func(p *Page) { p.redactor = &redactor{userText{f: show}} }
}

// What is shown in place of a text.
const (
	hidden         = "(hidden)"
	failedToRedact = "(hidden, as the function of Redact has failed)"
)

// redactor decides what is seen of a text. A nil one shows all.
type redactor struct{ userText }

// shown returns what is seen of a text.
func (r *redactor) shown(text string) string {
	if r == nil || text == "" {
		return text
	}
	return r.shownAll([]string{text})[0]
}

// shownAll returns what is seen of each.
func (r *redactor) shownAll(texts []string) []string {
	if r == nil || len(texts) == 0 {
		return texts
	}
	shown := r.all(texts, failedToRedact)
	for i, text := range shown {
		if text == "" && texts[i] != "" {
			shown[i] = hidden // a failure without a text would look like none
		}
	}
	return shown
}

// error returns what is seen of an error.
func (r *redactor) error(err error) said { return said(r.shown(errorText(err))) }

// reason returns what is seen of a text of ours, in which there may be some of the user's.
func (r *redactor) reason(text string) string {
	return respelled(readable(r.shown(text), shownError))
}
