// Package disk is what the systems do in ways of their own with the queue's files:
// a file that one process has alone, a rename that survives a power cut, and the
// errors of a disk that is full.
//
// It promises the same on each system. Data enters as paths, and leaves as open
// files and as errors.
package disk

import "errors"

// ErrLocked says that another process has the file.
var ErrLocked = errors.New("the queue is in use by another process")
