// Package es holds tests alone: what is made of submissions to any pool. Rows ES are those of
// java.util.concurrent's ExecutorService with its bulk operations. Rows ECS, of its
// ExecutorCompletionService, are tested beside package bulk.
package es
