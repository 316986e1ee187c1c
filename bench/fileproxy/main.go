// Command fileproxy writes the modules of a repository as a module proxy in files, all at one
// version, so that a release can be tried before it is one:
//
//	go -C bench run ./fileproxy -version v0.1.0 -to /tmp/proxy
//	export GOPROXY=file:///tmp/proxy,https://proxy.golang.org GONOSUMDB='github.com/punctual-go/*'
//	go get github.com/punctual-go/punctual@v0.1.0
//
// A module consists of what git knows of it, as on the public proxy. Several versions may be in one
// proxy.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	from := flag.String("from", "..", "the `folder` of the repository")
	to := flag.String("to", "", "the `folder` of the proxy")
	version := flag.String("version", "", "the `version` of all modules")
	flag.Parse()
	if *to == "" || *version == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := write(*from, *to, *version); err != nil {
		fmt.Fprintln(os.Stderr, "fileproxy:", err)
		os.Exit(1)
	}
}
