package inspect

import (
	"context"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Member says where processes of a [Fleet] are: at an [Address], or those of a [Service].
type Member struct {
	base    *url.URL
	service bool
}

// Address is the page of one process, such as "https://a.example:8080/punctual/". It panics if it is
// no http or https address, or has a user, a query or a fragment. Behind a balancer each process
// needs an address of its own.
func Address(page string) Member { return Member{mustBase(page), false} }

// Service is the pages of all processes to which the name in the address leads, at its port and
// path, such as "http://jobs.default.svc:8080/punctual/" for a headless service of Kubernetes. The
// name is resolved every five seconds while the page is looked at. It panics as [Address] does.
func Service(page string) Member { return Member{mustBase(page), true} }

func mustBase(page string) *url.URL {
	u, err := url.Parse(page)
	if err != nil {
		panic("inspect: " + err.Error())
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		u.RawQuery != "" || u.Fragment != "" || u.Opaque != "" {
		panic("inspect: no address of a page: " + u.Redacted())
	}
	if !strings.HasSuffix(u.Path, "/") {
		u = u.JoinPath("/")
	}
	return u
}

// HostResolver resolves the names of services. [net.Resolver] is one.
type HostResolver interface {
	LookupHost(ctx context.Context, host string) (addresses []string, err error)
}

var defaultResolver HostResolver = net.DefaultResolver

// member is an address that is asked.
type member struct {
	url   string
	host  string // of the service, to which questions are addressed; "" for that of the URL
	of    *service
	busy  bool
	asked time.Time
	now   replica
	left  bool // it is not one any more
}

func newMember(m Member, ip string) *member {
	u := *m.base
	one := new(member)
	if ip != "" {
		one.host = u.Host
		u.Host = hostPort(ip, u.Port())
	}
	one.url = u.String()
	one.now = replica{id: hashed(one.url), address: one.url}
	return one
}

func hostPort(ip, port string) string {
	if port != "" {
		return net.JoinHostPort(ip, port)
	}
	if strings.Contains(ip, ":") {
		return "[" + ip + "]"
	}
	return ip
}

const (
	// resolvedEach is how long it takes at least from one look at a name to the next.
	resolvedEach = 5 * time.Second
	// mostMembers is how many addresses are asked, at most.
	mostMembers = 256
)

// service is a name that leads to many addresses.
type service struct {
	Member
	busy    bool
	asked   time.Time
	trouble string // why it can't be resolved; "" if it can
	since   time.Time
	more    int // addresses beyond those that are asked
}

// resolve looks at a name, without the lock.
func (f *Fleet) resolve(ctx context.Context, s *service, q *question) {
	ctx, cancel := context.WithTimeout(ctx, askedWithin)
	defer cancel()
	trouble, found := exits, []string(nil)
	defer func() { f.resolved(s, q, found, trouble) }() // also if the resolver ends the goroutine
	late := f.ifOverdue(q, func(now time.Time) {
		f.version++
		s.fails(errNoAnswer.Error(), now)
	})
	defer late.Stop()
	var err error
	trouble = attempt(func() { found, err = f.resolver.LookupHost(ctx, s.base.Hostname()) })
	if trouble == "" {
		trouble = errorText(err)
	}
	trouble, found = said(trouble).String(), slices.Clone(found)
}

// resolved takes the addresses to which a name leads, or why it can't be resolved.
func (f *Fleet) resolved(s *service, q *question, found []string, trouble string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s.busy, q.over = false, true
	f.version++
	now := time.Now()
	if trouble == "" {
		f.moveLocked(s, found, now)
	}
	s.fails(trouble, now)
	f.askLocked(now)
	f.notAwaitedLocked(q)
}

// fails takes why a name can't be resolved, or "" if it can.
func (s *service) fails(trouble string, now time.Time) {
	if s.trouble == "" && trouble != "" {
		s.since = now
	}
	s.trouble = trouble
}

// moveLocked has those asked to which a name leads now, and no others.
func (f *Fleet) moveLocked(s *service, found []string, now time.Time) {
	slices.Sort(found)
	found = slices.Compact(found)
	leads := map[string]bool{}
	for _, ip := range found {
		leads[newMember(s.Member, ip).url] = true
	}
	known := map[string]bool{}
	f.members = slices.DeleteFunc(f.members, func(m *member) bool {
		if m.of != s {
			return false
		}
		known[m.url] = true
		if m.left = !leads[m.url]; m.left {
			f.goneLocked(m.now, now, s.base.Hostname()+" does not lead there any more")
		}
		return m.left
	})
	s.more = 0
	for _, ip := range found {
		m := newMember(s.Member, ip)
		switch {
		case net.ParseIP(ip) == nil || known[m.url]:
		case len(f.members) >= mostMembers:
			s.more++
		default:
			m.of = s
			f.members = append(f.members, m)
		}
	}
}
