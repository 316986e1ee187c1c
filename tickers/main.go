// Tickers finds ad-hoc goroutine tickers: loops that run something again and again, and that
// nobody can stop, time or test.
//
//	go run github.com/punctual-go/punctual/tickers ./...
//	go vet -vettool=$(which tickers) ./...
//
// Its flags are -tickers.pool, an expression for the scheduled pool that fixes are to use, and
// -tickers.intests, to look at test files as well. It exits with 0 if nothing was found, with 3 if
// something was, and with 1 if it could not look; as a tool of go vet, with 1 if something was
// found. With -fix it rewrites what it safely can, prints why it leaves the rest, and exits with 0,
// or with 1 if only some of the fixes could be applied at once. With -fix -diff it prints what it
// would write, and writes nothing.
//
// See package analyzer for what it looks for.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/punctual-go/punctual/tickers/analyzer"
)

func main() { multichecker.Main(analyzer.Analyzer) }
