// Package contexts holds tests alone: what a task knows of the context of its submitter, and what
// the end of that context does to it.
package contexts
