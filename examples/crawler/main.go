// Crawler visits a web: each page once, one page of a host at a time and with a pause between two,
// all hosts in parallel. The web is one of six servers in this process, unless -from names a page.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	from := flag.String("from", "", "where to begin, in place of the web of this program")
	most := flag.Int("most", 60, "how many pages to visit at most")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx, *from, *most); err != nil {
		log.Fatal(err) //nolint:gocritic // nothing is to be undone
	}
}

func run(ctx context.Context, from string, most int) (err error) {
	pause := time.Second
	start, err := url.Parse(from)
	if err != nil {
		return err
	}
	if from == "" {
		local, failed := openWeb(6)
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, local.Close()) }()
		start, pause = local.start(), 100*time.Millisecond
	}
	fetch := FetchHTTP(&http.Client{Timeout: 5 * time.Second})
	told := func(ctx context.Context, page *url.URL) ([]*url.URL, error) {
		links, err := fetch(ctx, page)
		fmt.Println(page, len(links), "links", said(err))
		return links, err
	}
	begun := time.Now()
	visited, failed := NewCrawler(told, 8, pause, most).Crawl(ctx, start)
	fmt.Printf("%d pages in %v, %d failed\n", visited, time.Since(begun).Round(time.Millisecond), len(failed))
	for page, err := range failed {
		fmt.Println(page, err)
	}
	return nil
}

func said(err error) string {
	if err == nil {
		return ""
	}
	return "– " + err.Error()
}
