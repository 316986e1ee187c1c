// Package shardcount lets a test say how many shards the queues have that are made from then on. A
// queue in shards promises the same with any number of them, so whoever draws or repeats a life in
// virtual time does that with few and with many. Without a word from a test there are as many as
// processors.
package shardcount

import "sync/atomic"

var set, turn atomic.Int32

// Counts are the numbers worth a try: none in common, one for each of two processors, some, and the
// most there are.
var Counts = [...]int{1, 2, 8, 64}

// Set has queues made from now on have n shards; 0 ends that.
func Set(n int) { set.Store(int32(n)) }

// Get returns what has been set, or 0.
func Get() int { return int(set.Load()) }

// Turn returns the number of the next task of a queue for which a test has set how many shards
// there are: they have their turns, so that all of them are in use.
func Turn() uint32 { return uint32(turn.Add(1)) }

// Draw sets one of Counts: that with the number which intn returns for how many there are.
func Draw(intn func(n int) int) { Set(Counts[intn(len(Counts))]) }
