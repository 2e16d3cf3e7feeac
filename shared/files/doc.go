// Package files has what programs of both halves do with files beyond package os:
// locks between processes, bounded reads, atomic writes, durable renames, and process ids.
//
// It promises that a lock ends with its process, that WriteAtomic and WriteOnce leave
// the old content or the new one, with content and name fsynced, and that RemovePID leaves another process's file.
// Paths enter; errors name them.
package files
