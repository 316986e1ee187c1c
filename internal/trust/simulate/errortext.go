package simulate

import (
	"errors"
	"fmt"
	"slices"
)

// isError is errors.Is without calling the methods of a reentrantError.
func isError(err, target error) bool {
	if _, cruel := err.(*reentrantError); cruel || err == nil {
		return false
	}
	if like, ok := err.(interface{ Is(error) bool }); err == target || ok && like.Is(target) {
		return true
	}
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		return isError(err.Unwrap(), target)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(err.Unwrap(),
			func(err error) bool { return isError(err, target) })
	}
	return false
}

// errorText returns the text of an error, unless it holds a reentrantError.
func errorText(err error) string {
	if bad := (*reentrantError)(nil); errors.As(err, &bad) {
		return "a bad error"
	}
	return fmt.Sprint(err)
}
