// Package faults holds tests alone: faults and misuse, rows A (arguments), B_ (what tasks do), C
// (re-entrancy), D (cancellation), E (life cycle), F (time), G (load) and H (what can be observed),
// and rows B, bugs that other schedulers had.
package faults
