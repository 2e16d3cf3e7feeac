package store

import (
	"errors"
	"fmt"

	"galla/central"
	"galla/shared/op"
)

// naming is what a new operation's names stand for.
type naming struct {
	known      central.Operation
	found      bool // known is what they stand for; else the operation is new
	identified bool // its identity is known
	tries      int  // attempts under its CallerRef so far
}

// named finds the operation that a new one's names stand for already, or a
// tombstone. Where the bank refused the newest of its name for its OTP, another
// call with the same body is a new attempt. Where only the name is known and not
// free, the identity becomes another name of what it stands for.
func named(c conn, o central.Operation) (naming, error) {
	mine, err := byIdentity(c, o.Caller, o.Identity)
	n := naming{identified: err == nil}
	if err != nil && !errors.Is(err, central.ErrNotFound) {
		return n, err
	}
	// An id that the caller minted for one attempt is that attempt's, for ever.
	if n.identified && (mine.Forsworn || o.Identity == string(o.ID)) {
		n.known, n.found = mine, true
		return n, nil
	}
	if n.identified {
		if mine, err = newestUnder(c, o.Caller, o.Identity, mine); err != nil {
			return n, err
		}
	}
	newest, err := byName(c, o)
	switch {
	case errors.Is(err, central.ErrNotFound) && n.identified && !(refunds(o) && again(mine, o)):
		n.known, n.found = mine, true
		return n, nil
	case errors.Is(err, central.ErrNotFound) && n.identified:
		n.tries = mine.Try
		return n, nil
	case errors.Is(err, central.ErrNotFound):
		return n, nil
	case err != nil:
		return n, err
	case n.identified && mine.ID != newest.ID && !sameName(mine, newest):
		return n, fmt.Errorf("its identity is that of operation %s and its reference that of operation %s: %w", mine.ID, newest.ID, central.ErrState)
	case again(newest, o):
		n.tries = newest.Try
		return n, nil
	case !n.identified:
		err = addIdentity(c, o.Caller, o.Identity, newest.ID)
	}
	n.known, n.found = newest, true
	return n, err
}

// byName finds what an operation's name stands for: the newest under its
// CallerRef; of a refund, whose name is its transfer, the one that was done or is
// under way. A counter's refund has no name but its id: another one is another act
// of an agent. central.ErrNotFound: nothing, or it has no name.
func byName(c conn, o central.Operation) (central.Operation, error) {
	switch {
	case o.CallerRef != "":
		return byCallerRef(c, o.Party, o.CallerRef)
	case refunds(o) && (o.Terminal == "" || o.Identity != string(o.ID)):
		refund, err := activeRefund(c, o.Original)
		if err == nil && (refund.State == op.Reversed || refund.Party != o.Party) {
			return central.Operation{}, central.ErrNotFound
		}
		return refund, err
	}
	return central.Operation{}, central.ErrNotFound
}

// newestOf gives the newest operation of the name that the first one of an identity
// has; where that has no name, or it is free, the newest of the identity itself.
func newestOf(c conn, caller, identity string, first central.Operation) (central.Operation, error) {
	newest, err := byName(c, first)
	if errors.Is(err, central.ErrNotFound) {
		return newestUnder(c, caller, identity, first)
	}
	return newest, err
}

// newestUnder gives the newest attempt that was made under an identity, however it
// ended. The name of a refund leads to none that failed; its identity does, since
// that is what the caller was told. They are numbered, so that two nodes' clocks
// have no say. An identity that never began anything leads to what it was given for.
func newestUnder(c conn, caller, identity string, first central.Operation) (central.Operation, error) {
	if !refunds(first) || identity == string(first.ID) {
		return first, nil
	}
	o, err := c.operation(`SELECT `+operationColumns+` FROM operations WHERE original = $1 AND caller = $2 AND identity = $3
		AND try = (SELECT max(try) FROM operations WHERE original = $1 AND caller = $2 AND identity = $3)
		ORDER BY created_at DESC, id DESC LIMIT 1`, string(first.Original), caller, identity)
	if errors.Is(err, central.ErrNotFound) {
		return first, nil
	}
	return o, err
}

func refunds(o central.Operation) bool { return o.Kind == central.KindRefund && o.Original != "" }

// again tells whether a call that would be a new operation may be another
// attempt at an earlier one: the bank refused that for its OTP, which is final,
// and the body is the same but for the OTP.
func again(earlier, o central.Operation) bool {
	return earlier.OTPRefused && sameName(earlier, o) && earlier.Route == o.Route && earlier.Fingerprint == o.Fingerprint
}

// sameName tells whether two operations are attempts under one name.
func sameName(a, b central.Operation) bool {
	if refunds(a) && refunds(b) {
		return a.Original == b.Original
	}
	return a.CallerRef != "" && a.CallerRef == b.CallerRef && a.Party == b.Party
}
