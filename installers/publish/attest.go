package publish

import (
	"bytes"
	"cmp"
	"context"
	"crypto"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"github.com/theupdateframework/go-tuf/v2/metadata"

	"galla/shared/files"
)

// Attest signs the statement of a folder by the keys of targets at hand, and writes it
// with all signatures beside it. The files must be those of the statement. It gives what
// is missing still: nil when enough have signed.
func (r *Repository) Attest(folder string) (*ThresholdError, error) {
	text, err := files.ReadBounded(filepath.Join(folder, StatementFile), maxProvenance)
	if err != nil {
		return nil, fmt.Errorf("the provenance: %w", err)
	}
	var s Statement
	if err = json.Unmarshal(text, &s); err == nil {
		err = s.check()
	}
	if err != nil {
		return nil, fmt.Errorf("the provenance of %s: %w", folder, err)
	}
	if s.Predicate.Definition.Internal["modified"] != "false" {
		return nil, fmt.Errorf("the files of %s were made from a source that is in no commit: commit it, and build again; nothing was signed", folder)
	}
	there, err := subjects(folder)
	if err != nil {
		return nil, err
	}
	same := func(a, b Resource) bool { return a.Name == b.Name && a.Digest["sha256"] == b.Digest["sha256"] }
	if !slices.EqualFunc(there, s.Subject, same) {
		return nil, fmt.Errorf("the files of %s are not those of its provenance: some were changed, added or removed since the build; nothing was signed", folder)
	}
	path := filepath.Join(folder, EnvelopeFile)
	e, err := readEnvelope(path)
	if errors.Is(err, fs.ErrNotExist) {
		e, err = &dsse.Envelope{PayloadType: payloadType, Payload: base64.StdEncoding.EncodeToString(text)}, nil
	}
	if err != nil {
		return nil, err
	}
	if payload, err := e.DecodeB64Payload(); err != nil || !bytes.Equal(payload, text) || e.PayloadType != payloadType {
		return nil, fmt.Errorf("%s is signed over another build: remove it, and let all sign again", path)
	}
	missing, err := r.signEnvelope(e)
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	return missing, files.WriteAtomic(path, append(line, '\n'), 0o644, os.Rename)
}

// signEnvelope adds signatures by the keys of targets at hand, as far as they are needed.
// Those that it has already must hold.
func (r *Repository) signEnvelope(e *dsse.Envelope) (*ThresholdError, error) {
	keys, threshold, err := publishers(r.root)
	if err != nil {
		return nil, err
	}
	if have := len(e.Signatures); have > 0 {
		all, err := dsse.NewMultiEnvelopeVerifier(min(have, len(keys)), keys...)
		if err != nil {
			return nil, err
		}
		if good, err := all.Verify(context.Background(), e); err != nil || len(good) != have {
			return nil, fmt.Errorf("of the %d signatures that the provenance has, %d hold: remove %s, and let all sign again", have, len(good), EnvelopeFile)
		}
	}
	payload, err := e.DecodeB64Payload()
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(slices.Values(r.root.Signed.Roles[metadata.TARGETS].KeyIDs)) {
		k := r.keys[id]
		if len(e.Signatures) >= threshold || k == nil || slices.ContainsFunc(e.Signatures, func(s dsse.Signature) bool { return s.KeyID == id }) {
			continue
		}
		if err := k.open(r.cfg.Ask); err != nil {
			return nil, err
		}
		signer, err := dsse.NewEnvelopeSigner(envelopeKey{k.id, k.private, nil})
		if err != nil {
			return nil, err
		}
		signed, err := signer.SignPayload(context.Background(), e.PayloadType, payload)
		if err != nil {
			return nil, fmt.Errorf("sign the provenance: %w", err)
		}
		e.Signatures = append(e.Signatures, signed.Signatures...)
	}
	if have := len(e.Signatures); have < threshold {
		return &ThresholdError{Role: metadata.TARGETS, Have: have, Want: threshold, Of: len(keys)}, nil
	}
	return nil, nil
}

// publishers gives the keys of targets that a root has, and how many of them must sign.
func publishers(root *metadata.Metadata[metadata.RootType]) (keys []dsse.Verifier, threshold int, err error) {
	role := root.Signed.Roles[metadata.TARGETS]
	if role == nil {
		return nil, 0, errors.New("the root names nobody who publishes")
	}
	for _, id := range role.KeyIDs {
		named := root.Signed.Keys[id]
		if named == nil {
			return nil, 0, fmt.Errorf("the root names key %.16s, and has it not", id)
		}
		public, err := named.ToPublicKey()
		if err != nil {
			return nil, 0, fmt.Errorf("key %.16s of the root: %w", id, err)
		}
		ours, isEd25519 := public.(ed25519.PublicKey)
		if !isEd25519 {
			return nil, 0, fmt.Errorf("key %.16s of the root is no Ed25519 key", id)
		}
		keys = append(keys, envelopeKey{id, nil, ours})
	}
	return keys, role.Threshold, nil
}

// VerifyProvenance gives the statement of an envelope's file, if as many keys of targets
// have signed it as a root wants. Whoever calls it trusts that root.
func VerifyProvenance(path string, root []byte) (*Statement, error) {
	trusted, err := metadata.Root().FromBytes(root)
	if err != nil {
		return nil, fmt.Errorf("the root: %w", err)
	}
	keys, threshold, err := publishers(trusted)
	if err != nil {
		return nil, err
	}
	e, err := readEnvelope(path)
	if err != nil {
		return nil, err
	}
	verifier, err := dsse.NewMultiEnvelopeVerifier(threshold, keys...)
	if err != nil {
		return nil, err
	}
	_, payload, err := verifier.VerifyAndDecode(context.Background(), e)
	if err != nil {
		return nil, fmt.Errorf("%s is not signed by %d keys of those who publish: %w", path, threshold, err)
	}
	var s Statement
	if err = json.Unmarshal(payload, &s); err == nil {
		err = s.check()
	}
	if err != nil || e.PayloadType != payloadType {
		return nil, fmt.Errorf("%s is signed, but says something else than where files come from: %w", path, cmp.Or(err, errors.ErrUnsupported))
	}
	return &s, nil
}

func readEnvelope(path string) (*dsse.Envelope, error) {
	text, err := files.ReadBounded(path, 2*maxProvenance)
	if err != nil {
		return nil, fmt.Errorf("the signed provenance: %w", err)
	}
	var e dsse.Envelope
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, fmt.Errorf("the signed provenance %s can't be read: %w", path, err)
	}
	return &e, nil
}

// envelopeKey is a key of targets as package dsse takes it.
type envelopeKey struct {
	id      string
	private ed25519.PrivateKey // to sign
	public  ed25519.PublicKey  // to verify
}

// Format prints the id, and never the key.
func (k envelopeKey) Format(s fmt.State, _ rune) { _, _ = fmt.Fprintf(s, "key %.8s", k.id) }

// KeyID is the id that root has for the key.
func (k envelopeKey) KeyID() (string, error) { return k.id, nil }

// Public is the half that verifies.
func (k envelopeKey) Public() crypto.PublicKey { return k.public }

// Sign signs.
func (k envelopeKey) Sign(_ context.Context, data []byte) ([]byte, error) {
	return ed25519.Sign(k.private, data), nil
}

// Verify verifies.
func (k envelopeKey) Verify(_ context.Context, data, signature []byte) error {
	if !ed25519.Verify(k.public, data, signature) {
		return errors.New("the signature does not hold")
	}
	return nil
}
