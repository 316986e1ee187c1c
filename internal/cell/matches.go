package cell

import "errors"

// Matches is errors.Is for an error that may be the user's: if one of its methods panics, as those
// of a nil pointer in an error value may, it matches nothing.
func Matches(err, target error) (matches bool) {
	defer func() {
		if recover() != nil {
			matches = false
		}
	}()
	return errors.Is(err, target)
}
