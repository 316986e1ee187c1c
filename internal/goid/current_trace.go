//go:build !((amd64 || arm64 || 386) && gc && !purego)

package goid

func current() uint64 { return Number() }
