// Debouncedsaver is the autosave of an editor: it saves a second after the last keystroke, and
// while somebody types without a pause, every few seconds. The times are shorter here.
package main

import (
	"context"
	"fmt"
	"log"
	"time"
)

func main() {
	begun := time.Now()
	saver, err := NewSaver(func(context.Context) error {
		fmt.Printf("%4d ms: saved\n", time.Since(begun).Milliseconds())
		return nil
	}, 200*time.Millisecond, time.Second)
	if err != nil {
		log.Fatal(err)
	}
	for i, pause := range []time.Duration{50, 50, 50, 600, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100} {
		if err := saver.Changed(); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%4d ms: change %d\n", time.Since(begun).Milliseconds(), i+1)
		time.Sleep(pause * time.Millisecond)
	}
	if err := saver.Close(context.Background()); err != nil {
		log.Fatal(err)
	}
}
