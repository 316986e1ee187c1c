package embedded_test

import "os"

func temporary() (dir string, done func()) {
	dir, err := os.MkdirTemp("", "tasks")
	if err != nil {
		panic(err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }
}
