//go:build !unix

package pgtest

import "syscall"

// owner has nothing to do: the server runs as whoever tests.
func owner(string) (*syscall.SysProcAttr, error) { return nil, nil }
