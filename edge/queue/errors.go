package queue

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	berrors "go.etcd.io/bbolt/errors"

	"galla/edge"
	"galla/edge/queue/index"
	"galla/shared/op"
)

// Errors of Open. Each comes wrapped, with the file's name and what to do.
var (
	ErrLocked   = errors.New("the queue is in use by another process")
	ErrWrongKey = errors.New("the key does not open the queue")
	ErrNewer    = errors.New("the queue was written by a newer version of this program")
)

// ErrClosed reports that the queue was closed and nothing was written.
var ErrClosed = errors.New("the queue is closed")

// ErrDayClosed reports that a day has a closing, which is never replaced.
var ErrDayClosed = errors.New("the day is closed already, and a closed day can't be changed")

// ErrDamaged is what a *DamagedError matches.
var ErrDamaged = errors.New("stored operations can't be read")

// DamagedError names operations whose records do not open. It matches ErrDamaged
// and edge.ErrNotFound.
type DamagedError struct{ IDs []op.ID }

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%d stored operation(s) can't be read, the disk may be failing: %s; they were set aside in the queue file, ask the central for their outcome", len(e.IDs), index.JoinIDs(e.IDs))
}

// Is makes errors.Is match both kinds.
func (e *DamagedError) Is(target error) bool {
	return target == ErrDamaged || target == edge.ErrNotFound
}

func damagedOrNil(ids []op.ID) error {
	if len(ids) == 0 {
		return nil
	}
	return &DamagedError{IDs: ids}
}

// damageError reports that the file must not be used.
type damageError struct{ found string }

func (e *damageError) Error() string { return e.found }

func damaged(format string, args ...any) error {
	return &damageError{fmt.Sprintf(format, args...)}
}

// isDamage reports whether an error means that the file must not be used.
func isDamage(err error) bool {
	return errors.As(err, new(*damageError)) || errors.Is(err, berrors.ErrInvalid) ||
		errors.Is(err, berrors.ErrVersionMismatch) || errors.Is(err, berrors.ErrChecksum)
}

// isFull reports whether there was no space, on the disk or under MaxSize. bbolt
// turns the error of growing a file into text.
func isFull(err error) bool {
	if err == nil {
		return false
	}
	if errors.Is(err, berrors.ErrMaxSizeReached) || errors.Is(err, edge.ErrFull) {
		return true
	}
	return slices.ContainsFunc(diskFullErrors(), func(no syscall.Errno) bool {
		return errors.Is(err, no) || strings.Contains(err.Error(), no.Error())
	})
}
