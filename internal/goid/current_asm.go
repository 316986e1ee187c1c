//go:build (amd64 || arm64 || 386) && gc && !purego

package goid

// current returns the address of the g of the calling goroutine.
func current() uintptr
