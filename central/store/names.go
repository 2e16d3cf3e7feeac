package store

import (
	"errors"
	"fmt"

	"galla/central"
	"galla/shared/op"
)

// resolvedNames is the result of resolveNames.
type resolvedNames struct {
	known      central.Operation
	found      bool // known has the result; else the operation is new
	identified bool // its identity is known
	attempts   int  // attempts under its CallerRef so far
}

// resolveNames finds the operation or the tombstone to which the names of a new operation
// lead already. If the bank refused the newest operation of the name for its OTP, a
// request with the same body is a new attempt. If only the name is known and leads to an
// operation, the identity becomes another name of it.
func resolveNames(c conn, o central.Operation) (resolvedNames, error) {
	mine, err := operationByIdentity(c, o.Caller, o.Identity)
	n := resolvedNames{identified: err == nil}
	if err != nil && !errors.Is(err, central.ErrNotFound) {
		return n, err
	}
	// An id that the caller created for one attempt always leads to that attempt.
	if n.identified && (mine.Tombstone || o.Identity == string(o.ID)) {
		n.known, n.found = mine, true
		return n, nil
	}
	if n.identified {
		if mine, err = newestUnderIdentity(c, o.Caller, o.Identity, mine); err != nil {
			return n, err
		}
	}
	newest, err := operationByName(c, o)
	switch {
	case errors.Is(err, central.ErrNotFound) && n.identified && !(isRefund(o) && isRetryOf(mine, o)):
		n.known, n.found = mine, true
		return n, nil
	case errors.Is(err, central.ErrNotFound) && n.identified:
		n.attempts = mine.Attempt
		return n, nil
	case errors.Is(err, central.ErrNotFound):
		return n, nil
	case err != nil:
		return n, err
	case n.identified && mine.ID != newest.ID && !sameName(mine, newest):
		return n, fmt.Errorf("its identity is that of operation %s and its reference that of operation %s: %w", mine.ID, newest.ID, central.ErrState)
	case isRetryOf(newest, o):
		n.attempts = newest.Attempt
		return n, nil
	case !n.identified:
		err = addIdentity(c, o.Caller, o.Identity, newest.ID)
	}
	n.known, n.found = newest, true
	return n, err
}

// operationByName finds the operation of a name: the newest under the CallerRef, or the
// succeeded or unfinished refund of the transfer, which is the name of a refund. A
// refund of a terminal has no name but its id: the agent decided each one.
// central.ErrNotFound: there is none, or the operation has no name.
func operationByName(c conn, o central.Operation) (central.Operation, error) {
	switch {
	case o.CallerRef != "":
		return operationByCallerRef(c, o.Party, o.CallerRef)
	case isRefund(o) && (o.Terminal == "" || o.Identity != string(o.ID)):
		refund, err := activeRefund(c, o.Original)
		if err == nil && (refund.State == op.Reversed || refund.Party != o.Party) {
			return central.Operation{}, central.ErrNotFound
		}
		return refund, err
	}
	return central.Operation{}, central.ErrNotFound
}

// newestAttemptOf returns the newest operation of the name of an identity's first
// operation. If there is no such name, it returns the newest of the identity.
func newestAttemptOf(c conn, caller, identity string, first central.Operation) (central.Operation, error) {
	newest, err := operationByName(c, first)
	if errors.Is(err, central.ErrNotFound) {
		return newestUnderIdentity(c, caller, identity, first)
	}
	return newest, err
}

// newestUnderIdentity returns the newest attempt under an identity, with any outcome. The
// name of a refund never leads to a failed one; its identity does, since the caller got
// that reply. The order is by their number, which does not depend on the clocks of two
// nodes. An identity that is only another name of an operation leads to it.
func newestUnderIdentity(c conn, caller, identity string, first central.Operation) (central.Operation, error) {
	if !isRefund(first) || identity == string(first.ID) {
		return first, nil
	}
	o, err := c.operation(`SELECT `+operationColumns+` FROM operations WHERE original = $1 AND caller = $2 AND identity = $3
		AND attempt = (SELECT max(attempt) FROM operations WHERE original = $1 AND caller = $2 AND identity = $3)
		ORDER BY created_at DESC, id DESC LIMIT 1`, first.Original, caller, identity)
	if errors.Is(err, central.ErrNotFound) {
		return first, nil
	}
	return o, err
}

func isRefund(o central.Operation) bool { return o.Kind == central.KindRefund && o.Original != "" }

// isRetryOf tells whether a request may be another attempt at an earlier operation: the
// bank refused that one for its OTP, which is final, and the bodies are the same except
// for the OTP.
func isRetryOf(earlier, o central.Operation) bool {
	return earlier.OTPRefused && sameName(earlier, o) && earlier.Route == o.Route && earlier.Fingerprint == o.Fingerprint
}

// sameName tells whether two operations are attempts under one name.
func sameName(a, b central.Operation) bool {
	if isRefund(a) && isRefund(b) {
		return a.Original == b.Original
	}
	return a.CallerRef != "" && a.CallerRef == b.CallerRef && a.Party == b.Party
}
