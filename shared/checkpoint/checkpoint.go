// Package checkpoint signs and reads checkpoints of the log that shows when the past was
// rewritten (central/transparency), and checks that one continues another.
//
// It promises that a checkpoint is read only with the signature of a known key and as it was
// written, byte for byte, and that Check accepts no two checkpoints with different pasts.
//
// Checkpoints leave a central as text, to be kept by files, auditors and terminals.
package checkpoint

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"galla/shared/secret"
)

// keyName names the key in a checkpoint's signature.
const keyName = "galla-log"

// Checkpoint says what a log had at a time.
type Checkpoint struct {
	Log   string // the log's random id
	Epoch int64  // grows with each restoration of the database from a backup
	Size  int64  // how many leaves the tree has
	Root  tlog.Hash
	At    time.Time
}

// origin begins the first line of a checkpoint.
const origin = "galla-log/"

// text is what is signed: the lines of a checkpoint (C2SP tlog-checkpoint), with the time as
// an extension line.
func (c Checkpoint) text() string {
	return fmt.Sprintf("%s%s/%d\n%d\n%s\n%d\n", origin, c.Log, c.Epoch, c.Size, base64.StdEncoding.EncodeToString(c.Root[:]), c.At.UnixMilli())
}

// ErrCheckpoint says that a text is no checkpoint, or has no signature of a known key.
var ErrCheckpoint = errors.New("this is no signed checkpoint")

// parseCheckpoint reads the text of a checkpoint.
func parseCheckpoint(text string) (c Checkpoint, err error) {
	parts := strings.Split(text, "\n")
	name, isLog := strings.CutPrefix(parts[0], origin)
	log, epoch, named := strings.Cut(name, "/")
	if !isLog || !named || len(parts) != 5 || parts[4] != "" {
		return c, fmt.Errorf("%w: it has not the lines of one", ErrCheckpoint)
	}
	root, errRoot := base64.StdEncoding.DecodeString(parts[2])
	epochNumber, errEpoch := strconv.ParseInt(epoch, 10, 64)
	size, errSize := strconv.ParseInt(parts[1], 10, 64)
	at, errAt := strconv.ParseInt(parts[3], 10, 64)
	if err := errors.Join(errRoot, errEpoch, errSize, errAt); err != nil || len(root) != tlog.HashSize || size < 0 || epochNumber < 0 || at < 0 {
		return c, fmt.Errorf("%w: a line of it can't be read", ErrCheckpoint)
	}
	c = Checkpoint{Log: log, Epoch: epochNumber, Size: size, Root: tlog.Hash(root), At: time.UnixMilli(at).UTC()}
	if c.text() != text {
		return Checkpoint{}, fmt.Errorf("%w: it is not written as Galla writes one", ErrCheckpoint)
	}
	return c, nil
}

// Signer signs checkpoints.
type Signer struct{ signer note.Signer }

// NewSigner makes a Signer of the seed of an Ed25519 key.
func NewSigner(seed secret.Key) (*Signer, error) {
	private := ed25519.NewKeyFromSeed(seed.Reveal())
	public, err := note.NewEd25519VerifierKey(keyName, private.Public().(ed25519.PublicKey))
	if err != nil {
		return nil, err
	}
	verifier, err := note.NewVerifier(public)
	if err != nil {
		return nil, err
	}
	return &Signer{ed25519Signer{verifier, private}}, nil
}

// ed25519Signer is a note.Signer of a key that is in memory already.
type ed25519Signer struct {
	note.Verifier
	private ed25519.PrivateKey
}

func (s ed25519Signer) Sign(text []byte) ([]byte, error) { return ed25519.Sign(s.private, text), nil }

// Sign writes and signs a checkpoint.
func (s *Signer) Sign(c Checkpoint) (string, error) {
	signed, err := note.Sign(&note.Note{Text: c.text()}, s.signer)
	return string(signed), err
}

// PublicKey is the key that verifies, as a text that people keep: galla-log+…
func PublicKey(seed secret.Key) (string, error) {
	return note.NewEd25519VerifierKey(keyName, ed25519.NewKeyFromSeed(seed.Reveal()).Public().(ed25519.PublicKey))
}

// Keys are public keys that verify checkpoints: the present one, and former ones.
type Keys struct{ known note.Verifiers }

// ParseKeys reads public keys.
func ParseKeys(texts ...string) (Keys, error) {
	var list []note.Verifier
	for _, text := range texts {
		v, err := note.NewVerifier(strings.TrimSpace(text))
		if err != nil || v.Name() != keyName {
			return Keys{}, fmt.Errorf("%.80q is no public key of checkpoints: it begins with %s+", text, keyName)
		}
		list = append(list, v)
	}
	return Keys{note.VerifierList(list...)}, nil
}

// Open checks the signature of a checkpoint, and reads it. ErrCheckpoint.
func (k Keys) Open(signed string) (Checkpoint, error) {
	n, err := note.Open([]byte(signed), k.known)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	return parseCheckpoint(n.Text)
}

// Unverified reads a checkpoint without a look at its signature: for its own signer, which asks
// whether it is due again, and for who keeps it and can judge by its past alone.
func Unverified(signed string) (Checkpoint, bool) {
	text, _, found := strings.Cut(signed, "\n\n")
	if !found {
		return Checkpoint{}, false
	}
	c, err := parseCheckpoint(text + "\n")
	return c, err == nil
}
