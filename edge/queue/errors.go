package queue

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	berrors "go.etcd.io/bbolt/errors"

	"galla/edge"
	"galla/edge/queue/disk"
	"galla/edge/queue/pages"
	"galla/shared/op"
)

// Errors of Open. Each comes wrapped, with the file's name and what to do.
var (
	ErrLocked   = disk.ErrLocked
	ErrWrongKey = errors.New("the key does not open the queue")
	ErrNewer    = errors.New("the queue was written by a newer version of this program")
)

// ErrClosed says that the queue was closed; nothing was written.
var ErrClosed = errors.New("the queue is closed")

// ErrKept says that a day is closed already: what was kept is never replaced.
var ErrKept = errors.New("the day is closed already, and a closed day can't be changed")

// ErrDamaged is what a *DamagedError matches.
var ErrDamaged = errors.New("stored operations can't be read")

// DamagedError names operations whose records do not open. It matches
// ErrDamaged, and edge.ErrNotFound, since there is nothing that could be changed.
type DamagedError struct{ IDs []op.ID }

func (e *DamagedError) Error() string {
	names := make([]string, len(e.IDs))
	for i, id := range e.IDs {
		names[i] = string(id)
	}
	return fmt.Sprintf("%d stored operation(s) can't be read, the disk may be failing: %s; they were set aside in the queue file, ask the central what became of them", len(e.IDs), strings.Join(names, ", "))
}

// Is makes errors.Is match both kinds.
func (e *DamagedError) Is(target error) bool {
	return target == ErrDamaged || target == edge.ErrNotFound
}

// damagedOrNil makes an error of ids, or nil of none.
func damagedOrNil(ids []op.ID) error {
	if len(ids) == 0 {
		return nil
	}
	return &DamagedError{IDs: ids}
}

func damaged(format string, args ...any) error {
	return &pages.Damage{Found: fmt.Sprintf(format, args...)}
}

// isDamage tells whether an error means that the file must not be used.
func isDamage(err error) bool {
	return errors.As(err, new(*pages.Damage)) || errors.Is(err, berrors.ErrInvalid) ||
		errors.Is(err, berrors.ErrVersionMismatch) || errors.Is(err, berrors.ErrChecksum)
}

// isFull tells whether there was no room, on the disk or under MaxSize. bbolt
// flattens the error of growing a file to text.
func isFull(err error) bool {
	if err == nil {
		return false
	}
	if errors.Is(err, berrors.ErrMaxSizeReached) || errors.Is(err, edge.ErrFull) {
		return true
	}
	return slices.ContainsFunc(disk.Full(), func(no syscall.Errno) bool {
		return errors.Is(err, no) || strings.Contains(err.Error(), no.Error())
	})
}
