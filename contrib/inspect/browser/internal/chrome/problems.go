//go:build unix

package chrome

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
)

// settle is how long Problems waits for news that is still on its way.
const settle = 50 * time.Millisecond

// Violations of the content security policy are heard in a world of their own,
// where no script of the page can get in the way.
const (
	cspWorld   = "chrome-csp"
	cspBinding = "chromeViolation"
	cspScript  = `addEventListener("securitypolicyviolation", event =>
		chromeViolation(JSON.stringify({
			directive: event.effectiveDirective, blocked: event.blockedURI,
		})), true);`
)

// Problems returns one line for each thing that went wrong since the tab was
// opened: errors and warnings in the console, exceptions that nobody caught,
// errors that the browser logged, violations of the content security policy,
// and requests that failed without being cancelled. One mishap may give
// several lines, as a blocked script is a violation and a failed request. The
// same line comes once however often it happened.
func (t *Tab) Problems() []string {
	t.t.Helper()
	time.Sleep(settle)
	// Events come in order with answers, so those sent before this answer have
	// all been handled after it.
	t.do("collect problems", func(ctx context.Context) error {
		return eval(ctx, runtime.EvaluateParams{Expression: "1"}, nil)
	})
	return t.problems.list()
}

// problems gathers what goes wrong in a tab from its events.
type problems struct {
	mu    sync.Mutex
	lines []string
	urls  map[network.RequestID]string
}

func newProblems() *problems {
	return &problems{urls: map[network.RequestID]string{}}
}

func (p *problems) list() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.lines)
}

// add notes a problem once. The caller holds the lock.
func (p *problems) add(format string, args ...any) {
	line := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	if !slices.Contains(p.lines, line) {
		p.lines = append(p.lines, line)
	}
}

// handle takes an event of the tab.
func (p *problems) handle(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch ev := event.(type) {
	case *runtime.EventConsoleAPICalled:
		p.console(ev)
	case *runtime.EventExceptionThrown:
		details := ev.ExceptionDetails
		p.add("exception: %s (%s:%d)", exception(details), details.URL, details.LineNumber+1)
	case *runtime.EventBindingCalled:
		p.violation(ev)
	case *log.EventEntryAdded:
		if ev.Entry.Level == log.EntryLevelError {
			p.add("%s: %s (%s)", ev.Entry.Source, ev.Entry.Text, ev.Entry.URL)
		}
	case *audits.EventIssueAdded:
		p.issue(ev.Issue)
	case *network.EventRequestWillBeSent:
		p.urls[ev.RequestID] = ev.Request.URL
	case *network.EventLoadingFailed:
		if !ev.Canceled {
			p.add("request failed: %s: %s %s", p.urls[ev.RequestID], ev.ErrorText,
				ev.BlockedReason)
		}
	}
}

// console notes the console messages that tell of an error or a warning.
func (p *problems) console(ev *runtime.EventConsoleAPICalled) {
	switch ev.Type {
	case runtime.ConsoleAPICalledTypeError, runtime.ConsoleAPICalledTypeWarning,
		runtime.ConsoleAPICalledTypeAssert:
	default:
		return
	}
	var words []string
	for _, arg := range ev.Args {
		words = append(words, describe(arg))
	}
	p.add("console.%s: %s%s", ev.Type, strings.Join(words, " "), origin(ev.StackTrace))
}

// origin is the place of the innermost call of a stack.
func origin(stack *runtime.StackTrace) string {
	if stack == nil || len(stack.CallFrames) == 0 {
		return ""
	}
	frame := stack.CallFrames[0]
	return fmt.Sprintf(" (%s:%d)", frame.URL, frame.LineNumber+1)
}

// violation notes what the listener for violations heard.
func (p *problems) violation(ev *runtime.EventBindingCalled) {
	var heard struct{ Directive, Blocked string }
	if ev.Name != cspBinding || json.Unmarshal([]byte(ev.Payload), &heard) != nil {
		return
	}
	p.add("csp: %s blocked %s", heard.Directive, heard.Blocked)
}

// blocked are the words that violations use where no address was blocked.
var blocked = map[audits.ContentSecurityPolicyViolationType]string{
	audits.ContentSecurityPolicyViolationTypeKInlineViolation:             "inline",
	audits.ContentSecurityPolicyViolationTypeKEvalViolation:               "eval",
	audits.ContentSecurityPolicyViolationTypeKWasmEvalViolation:           "wasm-eval",
	audits.ContentSecurityPolicyViolationTypeKTrustedTypesSinkViolation:   "trusted-types-sink",
	audits.ContentSecurityPolicyViolationTypeKTrustedTypesPolicyViolation: "trusted-types-policy",
}

// issue notes a violation that the browser found. It comes where scripts are
// off too, and reads like the one that the listener hears.
func (p *problems) issue(issue *audits.InspectorIssue) {
	if issue == nil || issue.Details == nil {
		return
	}
	csp := issue.Details.ContentSecurityPolicyIssueDetails
	if csp == nil {
		return
	}
	what := csp.BlockedURL
	if what == "" {
		what = blocked[csp.ContentSecurityPolicyViolationType]
	}
	if what == "" {
		what = string(csp.ContentSecurityPolicyViolationType)
	}
	p.add("csp: %s blocked %s", csp.ViolatedDirective, what)
}
