package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

// web is a small web on this machine: hosts with ten pages each. A page leads to the next of its
// host, and to the first of the next host.
type web struct {
	servers []*http.Server
	hosts   []string
}

// openWeb serves that many hosts. On the way to a page of the fourth there is trouble, another of it
// is missing.
func openWeb(hosts int) (*web, error) {
	w := new(web)
	for i := range hosts {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, errors.Join(err, w.Close())
		}
		s := &http.Server{Handler: w.host(i), ReadHeaderTimeout: time.Second}
		w.servers, w.hosts = append(w.servers, s), append(w.hosts, l.Addr().String())
		go func() { _ = s.Serve(l) }() // until Close
	}
	return w, nil
}

// Close ends all hosts.
func (w *web) Close() (err error) {
	for _, s := range w.servers {
		err = errors.Join(err, s.Close())
	}
	return err
}

// start returns the first page of the first host.
func (w *web) start() *url.URL { return &url.URL{Scheme: "http", Host: w.hosts[0], Path: "/0"} }

func (w *web) host(i int) http.Handler {
	busy := 2
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		time.Sleep(20 * time.Millisecond)
		var n int
		_, err := fmt.Sscanf(r.URL.Path, "/%d", &n)
		switch {
		case err != nil, i == 3 && n == 5:
			http.NotFound(rw, r)
			return
		case i == 3 && n == 2 && busy > 0: // requests to a host come one after another
			busy--
			http.Error(rw, "busy", http.StatusServiceUnavailable)
			return
		}
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprintf(rw, `<a href="%d">next</a> <a href="http://%s/0#top">elsewhere</a>`,
			(n+1)%10, w.hosts[(i+1)%len(w.hosts)])
	})
}
