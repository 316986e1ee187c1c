package alerts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/punctual-go/punctual/executor/retry"
)

// message is what is to be sent to one place.
type message struct {
	kind   string // one of the constants below
	alert  Alert
	reason string   // of a heartbeat that fails
	of     *subject // of an alert; else nil
}

// The kinds of messages. Those of heartbeats are what is added to the URL.
const (
	kindAlert   = "alert"
	kindSuccess = ""
	kindStart   = "/start"
	kindFail    = "/fail"
)

// tell has the subject of an alert know what became of it. The alerter's lock is held.
func (m message) tell(told bool) {
	if m.of != nil {
		m.of.answerLocked(m.alert.State, told)
	}
}

const (
	// mostText is how much is sent of a text.
	mostText = 1000
	// mostAnswer is how much is read of an answer, so that the connection can be used again.
	mostAnswer = 4 << 10
	// mostWait is the longest that a server may ask to be left alone for.
	mostWait = 5 * time.Minute
)

// send sends a message once. Its errors do not show the URL.
func (a *Alerter) send(ctx context.Context, to string, m message) error {
	body, kind, err := a.bodyOf(m)
	if err != nil {
		return retry.Permanent(err)
	}
	if m.kind != kindAlert {
		to = withSuffix(to, m.kind)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return retry.Permanent(errors.New("not a URL"))
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("User-Agent", "punctual-alerts")
	resp, err := a.client.Do(req)
	if err != nil {
		return hideURL(err)
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, mostAnswer)
	return judge(resp)
}

// bodyOf returns what is posted for a message, and of which type it is.
func (a *Alerter) bodyOf(m message) (body []byte, kind string, err error) {
	if m.kind != kindAlert {
		return []byte(a.shown(m.reason)), "text/plain; charset=utf-8", nil
	}
	m.alert.Reason = a.shown(m.alert.Reason)
	m.alert.Text = m.alert.text()
	body, err = json.Marshal(m.alert)
	return body, "application/json", err
}

// shown returns what is to be seen of a text.
func (a *Alerter) shown(text string) (seen string) {
	if text == "" {
		return ""
	}
	if a.config.Redact != nil {
		a.redacting.Lock()
		defer a.redacting.Unlock()
		done := false
		defer func() {
			if !done {
				_ = recover()
				seen = "(not shown: Redact has failed)"
			}
		}()
		text = a.config.Redact(text)
		done = true
	}
	return cut(text)
}

// cut cuts a text between two characters.
func cut(text string) string {
	if len(text) <= mostText {
		return text
	}
	n := mostText
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// withSuffix adds to the path of a URL, before its query.
func withSuffix(to, suffix string) string {
	path, query, found := strings.Cut(to, "?")
	path = strings.TrimSuffix(path, "/") + suffix
	if found {
		return path + "?" + query
	}
	return path
}

// hideURL returns what has gone wrong with a request, without its URL.
func hideURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// judge returns the error that an answer means. One that may be another next time is tried again.
func judge(resp *http.Response) error {
	code := resp.StatusCode
	if code >= 200 && code < 300 {
		return nil
	}
	err := fmt.Errorf("answer %d", code)
	again := code == http.StatusRequestTimeout || code == http.StatusTooManyRequests || code >= 500
	if !again {
		return retry.Permanent(err)
	}
	if s, bad := strconv.Atoi(resp.Header.Get("Retry-After")); bad == nil && s > 0 {
		return retry.After(err, min(time.Duration(min(s, 3600))*time.Second, mostWait))
	}
	return err
}
