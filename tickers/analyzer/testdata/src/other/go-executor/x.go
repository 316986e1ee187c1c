// Package executor is not called what its path ends with.
package executor

func Run() {}
