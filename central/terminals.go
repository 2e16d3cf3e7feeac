package central

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"time"

	"galla/shared/op"
	"galla/shared/secret"
)

// CodeLife is how long an enrolment code can be used (uplink.md, section 2.1).
const CodeLife = 15 * time.Minute

// maxTerminalName bounds a terminal's name, in characters.
const maxTerminalName = 64

// TerminalRegistry enrols and revokes terminals.
type TerminalRegistry struct {
	store    Terminals
	notifier *Notifier
	rand     io.Reader
}

// NewTerminalRegistry makes a registry; rand is the source of codes and ids.
func NewTerminalRegistry(store Terminals, notifier *Notifier, rand io.Reader) *TerminalRegistry {
	return &TerminalRegistry{store: store, notifier: notifier, rand: rand}
}

// CreateEnrolmentCode makes a one-time enrolment code for a merchant's next
// terminal. An unused code ends with the credential that made it; the zero
// credential is staff. Only the code's hash is stored.
func (r *TerminalRegistry) CreateEnrolmentCode(ctx context.Context, merchant MerchantID, by Credential) (EnrolmentCode, error) {
	var bits [10]byte
	if _, err := io.ReadFull(r.rand, bits[:]); err != nil {
		return EnrolmentCode{}, fmt.Errorf("generate an enrolment code: %w", err)
	}
	text := CrockfordText(bits[:]) // 80 bits, 16 characters
	text = text[:4] + "-" + text[4:8] + "-" + text[8:12] + "-" + text[12:]
	now := time.Now()
	code := EnrolmentCode{Code: secret.NewToken(text), Merchant: merchant, ExpiresAt: now.Add(CodeLife)}
	err := r.store.AddEnrolmentCode(ctx, codeHash(code.Code), merchant, by, now, code.ExpiresAt)
	switch {
	case errors.Is(err, ErrCredentialRevoked):
		return EnrolmentCode{}, NewError(Unauthenticated, "Not authenticated: the client was suspended, or has another secret")
	case errors.Is(err, ErrState):
		return EnrolmentCode{}, NewError(FailedPrecondition, "The merchant is not approved, or its vendor's account is not active")
	case err != nil:
		return EnrolmentCode{}, storeError("record an enrolment code", err)
	}
	return code, nil
}

// Enrol uses up a code and binds the terminal's public key (Ed25519, 32 bytes) to
// the code's merchant. An unknown, used or expired code is Unauthenticated, with
// one message for all three.
func (r *TerminalRegistry) Enrol(ctx context.Context, code secret.Token, publicKey []byte, name string) (Terminal, error) {
	var wrong []FieldError
	if len(publicKey) != 32 {
		wrong = append(wrong, FieldError{Field: "publicKey", Rule: "ed25519", Message: "must be the 32 bytes of an Ed25519 public key, in base64"})
	}
	if n := len([]rune(name)); n == 0 || n > maxTerminalName {
		wrong = append(wrong, FieldError{Field: "name", Rule: "length", Message: fmt.Sprintf("must have 1 to %d characters", maxTerminalName)})
	}
	if wrong != nil {
		return Terminal{}, &Error{Fault: Invalid, Message: "Invalid request", Fields: wrong}
	}
	id, err := op.NewID(r.rand) // version 7: sorts by age
	if err != nil {
		return Terminal{}, fmt.Errorf("generate a terminal id: %w", err)
	}
	t, err := r.store.EnrolTerminal(ctx, codeHash(code), Terminal{
		ID: TerminalID(id), Name: name, PublicKey: publicKey, CreatedAt: time.Now(),
	})
	if errors.Is(err, ErrNotFound) {
		return Terminal{}, NewError(Unauthenticated, "The enrolment code is not valid: it is unknown, used or older than 15 minutes")
	}
	if err != nil {
		return Terminal{}, storeError("enrol a terminal", err)
	}
	return t, nil
}

// List gives a merchant's terminals, oldest first.
func (r *TerminalRegistry) List(ctx context.Context, merchant MerchantID) ([]Terminal, error) {
	list, err := r.store.TerminalsOf(ctx, merchant)
	if err != nil {
		return nil, storeError("list terminals", err)
	}
	return list, nil
}

// Revoke revokes a merchant's terminal at once, its open connection included.
// Another merchant's terminal is NotFound.
func (r *TerminalRegistry) Revoke(ctx context.Context, merchant MerchantID, id TerminalID) error {
	t, err := r.store.Terminal(ctx, id)
	if errors.Is(err, ErrNotFound) || (err == nil && t.Merchant != merchant) {
		return NewError(NotFound, "No such terminal")
	}
	if err != nil {
		return storeError("read a terminal", err)
	}
	if err := r.store.RevokeTerminal(ctx, id, time.Now()); err != nil {
		return storeError("revoke a terminal", err)
	}
	r.notifier.Notify(TerminalTopic(id))
	return nil
}

func codeHash(code secret.Token) [32]byte {
	return sha256.Sum256([]byte("galla/enrolment-code/v1\n" + code.Reveal()))
}
