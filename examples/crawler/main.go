// Crawler visits a small web: each page once, one page of a host at a time and with a pause between
// two, all hosts in parallel.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/url"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	start, err := url.Parse("http://host-0.example/0")
	if err != nil {
		log.Fatal(err) //nolint:gocritic // nothing is to be undone
	}
	begun := time.Now()
	visited, failed := NewCrawler(pretendedWeb, 8, 100*time.Millisecond, 60).Crawl(ctx, start)
	fmt.Printf("%d pages in %v, %d failed\n", visited, time.Since(begun).Round(time.Millisecond), len(failed))
	for page, err := range failed {
		fmt.Println(page, err)
	}
}

// pretendedWeb has six hosts with ten pages each; each page leads to the next of its host, and to
// the first of the next host.
func pretendedWeb(_ context.Context, page *url.URL) ([]*url.URL, error) {
	var host, n int
	if _, err := fmt.Sscanf(page.String(), "http://host-%d.example/%d", &host, &n); err != nil {
		return nil, err
	}
	time.Sleep(20 * time.Millisecond)
	fmt.Println("visited", page)
	if host == 3 && n == 5 {
		return nil, errors.New("404 Not Found")
	}
	var links []*url.URL
	for _, link := range []string{fmt.Sprintf("/%d", (n+1)%10),
		fmt.Sprintf("http://host-%d.example/0", (host+1)%6)} {
		u, err := url.Parse(link)
		if err != nil {
			return nil, err
		}
		links = append(links, u)
	}
	return links, nil
}
