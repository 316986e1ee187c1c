package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"golang.org/x/net/html"

	"github.com/punctual-go/punctual/executor/retry"
)

// mostBytes is how much of a page is read.
const mostBytes = 1 << 20

// FetchHTTP returns what gets pages with a client, which should have a Timeout. A redirect is a page
// with one link: that comes to its turn at its own host, and no circle of them goes on for ever.
//
// What may be better later is [ErrTemporary]: no answer, one that breaks off, 429 and 5xx.
func FetchHTTP(client *http.Client) Fetch {
	own := *client
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return func(ctx context.Context, page *url.URL) ([]*url.URL, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, page.String(), nil)
		if err != nil {
			return nil, err
		}
		request.Header.Set("User-Agent", "punctual-crawler (an example)")
		answer, err := own.Do(request)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrTemporary, err)
		}
		defer answer.Body.Close() //nolint:errcheck // it was only read
		return linksOf(answer)
	}
}

func linksOf(answer *http.Response) ([]*url.URL, error) {
	switch code := answer.StatusCode; {
	case code == http.StatusOK:
	case code/100 == 3:
		to, err := answer.Location()
		if err != nil {
			return nil, err
		}
		return onTheWeb(to), nil
	case code == http.StatusTooManyRequests, code >= 500:
		return nil, later(answer)
	default:
		return nil, errors.New(answer.Status)
	}
	if kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type")); err != nil || kind != "text/html" {
		return nil, nil // nolint:nilerr // it is no page with links
	}
	return parse(io.LimitReader(answer.Body, mostBytes), answer.Request.URL)
}

// later returns the error of a server that cannot answer now, and may say when it can.
func later(answer *http.Response) error {
	err := fmt.Errorf("%w: %s", ErrTemporary, answer.Status)
	if s, bad := strconv.Atoi(answer.Header.Get("Retry-After")); bad == nil && s >= 0 && s <= 60 {
		return retry.After(err, time.Duration(s)*time.Second)
	}
	return err
}

// parse returns the links of a page, in their order.
func parse(text io.Reader, page *url.URL) (links []*url.URL, err error) {
	for tokens := html.NewTokenizer(text); ; {
		switch tokens.Next() {
		case html.ErrorToken:
			if err := tokens.Err(); err != io.EOF {
				return nil, fmt.Errorf("%w: %w", ErrTemporary, err) // the connection has broken
			}
			return links, nil
		case html.StartTagToken:
			if link, ok := linkOf(tokens.Token()); ok {
				if to, err := page.Parse(link); err == nil { // others write what they like
					links = append(links, onTheWeb(to)...)
				}
			}
		}
	}
}

func linkOf(tag html.Token) (to string, ok bool) {
	if tag.Data != "a" {
		return "", false
	}
	for _, a := range tag.Attr {
		if a.Key == "href" {
			return a.Val, true
		}
	}
	return "", false
}

// onTheWeb returns the page that a link leads to; none if that is a mail address, for example.
func onTheWeb(to *url.URL) []*url.URL {
	if to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
		return nil
	}
	to.Fragment = "" // the same page
	return []*url.URL{to}
}
