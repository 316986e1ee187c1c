// Package es holds tests alone: what is made of submissions to any pool. Rows ES are those of
// java.util.concurrent's ExecutorService with its bulk operations, rows ECS those of its
// ExecutorCompletionService; groups and serial executors have no counterpart there.
package es
