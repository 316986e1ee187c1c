package cell

import "fmt"

// Joined returns an error that matches both, with the texts of both. It calls their methods only
// when its own are called: the second may be the user's, with a method that panics, waits, or ends
// the goroutine.
func Joined(first, second error) error { return &joined{first, second} }

type joined struct{ first, second error }

func (j *joined) Error() string   { return fmt.Sprintf("%v: %v", j.first, j.second) }
func (j *joined) Unwrap() []error { return []error{j.first, j.second} }
