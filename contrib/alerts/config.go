package alerts

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"
)

// Config says whom an [Alerter] tells, and how. What is zero has the default.
type Config struct {
	// Webhook gets the alerts; none if it is empty. It is a secret, and never logged.
	Webhook string

	// Heartbeats are the URLs to ping, by the names of tasks. They are secrets, too.
	Heartbeats map[string]string

	// Starts has heartbeats pinged at the start of each run as well.
	Starts bool

	Check    time.Duration // how often pools are looked at; 10 s
	Interval time.Duration // the least time between two alerts of one task; 1 min
	Timeout  time.Duration // of an attempt; 10 s
	Attempts int           // to deliver a message, in all; 5
	Pending  int           // messages that may wait for one heartbeat, and tasks with alerts; 1,000

	// Redact decides what is seen of errors and reasons: it is given each text whole, and returns
	// what is sent of it, which is cut to 1,000 bytes then. If it panics, a note is sent instead. It
	// is called on workers of the alerter, one call at a time; one that hangs holds up what is sent,
	// and nothing else. The names of tasks and pools stay as they are. Without it texts are sent as
	// they are.
	Redact func(text string) string

	// AllowHTTP also takes URLs of the scheme http. Without it there is only https.
	AllowHTTP bool

	Transport http.RoundTripper // http.DefaultTransport if it is nil
	Logger    *slog.Logger      // slog.Default if it is nil
}

// complete returns c with its defaults, or says what is wrong with it.
func (c Config) complete() (Config, error) {
	for name, d := range map[string]time.Duration{
		"Check": c.Check, "Interval": c.Interval, "Timeout": c.Timeout,
		"Attempts": time.Duration(c.Attempts), "Pending": time.Duration(c.Pending),
	} {
		if d < 0 {
			return c, fmt.Errorf("alerts: negative %s", name)
		}
	}
	if c.Webhook == "" && len(c.Heartbeats) == 0 {
		return c, errors.New("alerts: neither a webhook nor a heartbeat")
	}
	if err := c.checkURL("Webhook", c.Webhook); c.Webhook != "" && err != nil {
		return c, err
	}
	for name, to := range c.Heartbeats {
		if err := c.checkURL(fmt.Sprintf("heartbeat of %q", name), to); err != nil {
			return c, err
		}
	}
	c.Check = cmp.Or(c.Check, 10*time.Second)
	c.Interval = cmp.Or(c.Interval, time.Minute)
	c.Timeout = cmp.Or(c.Timeout, 10*time.Second)
	c.Attempts = cmp.Or(c.Attempts, 5)
	c.Pending = cmp.Or(c.Pending, 1000)
	c.Logger = cmp.Or(c.Logger, slog.Default())
	if c.Transport == nil {
		c.Transport = http.DefaultTransport
	}
	return c, nil
}

// checkURL says what is wrong with a URL, without showing it.
func (c Config) checkURL(what, text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "":
		return fmt.Errorf("alerts: %s: not a URL", what)
	case u.Scheme == "http" && c.AllowHTTP, u.Scheme == "https":
		return nil
	}
	return fmt.Errorf("alerts: %s: scheme %q is not https", what, u.Scheme)
}
