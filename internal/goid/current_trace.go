//go:build !((amd64 || arm64 || 386) && gc && !purego)

package goid

// current returns the number of the calling goroutine.
func current() uint64 { return Number() }
