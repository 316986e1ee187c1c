// Package embedded runs the engine of package cluster in the process itself.
package embedded
