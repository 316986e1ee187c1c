// Tickers finds ad-hoc goroutine tickers: loops that run something again and again, and that
// nobody can stop, time or test.
//
//	go run github.com/punctual-go/punctual/tickers ./...
//	go vet -vettool=$(which tickers) ./...
//
// See package analyzer for what it looks for. With -fix it rewrites what it safely can, if -pool
// says what the scheduled pool is called.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/punctual-go/punctual/tickers/analyzer"
)

func main() { multichecker.Main(analyzer.Analyzer) }
