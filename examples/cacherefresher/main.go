// Cacherefresher keeps values fresh in the background: readers never wait, and get the last value
// while the source is down.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"
)

func main() {
	begun := time.Now()
	rates := NewCache(func(_ context.Context, key string) (float64, error) {
		if since := time.Since(begun); 700*time.Millisecond < since && since < 1900*time.Millisecond {
			return 0, errors.New("the source is down")
		}
		return 1 + time.Since(begun).Seconds()/100, nil
	}, Settings{Refresh: 400 * time.Millisecond, Timeout: 200 * time.Millisecond,
		Retry: 50 * time.Millisecond, Workers: 2})
	defer rates.Close()
	if err := rates.Keep(context.Background(), "EUR/USD"); err != nil {
		log.Fatal(err) //nolint:gocritic // the process ends, and with it the pool
	}
	for range 10 {
		rate, age, _ := rates.Get("EUR/USD")
		fmt.Printf("EUR/USD %.4f, %v old\n", rate, age.Round(10*time.Millisecond))
		time.Sleep(300 * time.Millisecond)
	}
}
