// Command walk records one call of the shop.
package main

import (
	"os"
	"path/filepath"
	"runtime/coverage"

	"tiny/shop"
)

func main() {
	folder := filepath.Join(os.Args[1], "Buy", "0")
	must(os.MkdirAll(folder, 0o755))
	s := shop.New()
	must(coverage.ClearCounters())
	s.Buy()
	must(coverage.WriteCountersDir(folder))
	must(coverage.WriteMetaDir(folder))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
