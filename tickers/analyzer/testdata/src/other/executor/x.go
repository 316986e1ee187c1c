// Package tasks is not called what its path ends with.
package tasks

func Run() {}
