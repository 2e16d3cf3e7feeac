package staff

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"galla/central"
	"galla/shared/seal"
	"galla/shared/secret"
)

// What a sealed text is for; it is bound to it together with the row's name.
const (
	factorPurpose   = "staff-factor/v1"
	documentPurpose = "documents/v1"
)

// MaxDocument bounds a document, in bytes: a scanned letter of a few pages.
const MaxDocument = 5 << 20

// Vault seals second factors and documents under the master keys: the first key seals,
// any of them opens.
type Vault struct {
	members   MemberStore
	documents DocumentStore
	ring      *seal.Ring
}

// NewVault returns a Vault.
func NewVault(members MemberStore, documents DocumentStore, masters []secret.Key, rand io.Reader) (*Vault, error) {
	if members == nil || documents == nil {
		return nil, errors.New("the vault of second factors and documents needs a database")
	}
	ring, err := seal.NewRing(masters, rand)
	if err != nil {
		return nil, fmt.Errorf("second factors and documents: %w", err)
	}
	return &Vault{members: members, documents: documents, ring: ring}, nil
}

func (s *Vault) seal(plain []byte, purpose, name string) ([]byte, error) {
	return s.ring.Seal(plain, []byte(purpose), []byte(name))
}

func (s *Vault) open(sealed []byte, purpose, name string) ([]byte, error) {
	plain, _, err := s.ring.Open(sealed, []byte(purpose), []byte(name))
	if err != nil {
		return nil, fmt.Errorf("the secret of %s: %w", name, err)
	}
	return plain, nil
}

func (s *Vault) reseal(sealed []byte, purpose, name string) ([]byte, error) {
	fresh, err := s.ring.Reseal(sealed, []byte(purpose), []byte(name))
	if err != nil {
		return nil, fmt.Errorf("the secret of %s: %w", name, err)
	}
	return fresh, nil
}

// Document is evidence, as people upload and read it.
type Document struct {
	Name    string
	SHA256  string // 64 hexadecimal digits
	Content []byte
}

// StoreDocument seals and stores a document, which may be stored already.
func (s *Vault) StoreDocument(ctx context.Context, name string, content []byte, by string) (Document, error) {
	if len(content) == 0 || len(content) > MaxDocument {
		return Document{}, fmt.Errorf("the document is empty or has more than %d MiB", MaxDocument>>20)
	}
	sum := sha256.Sum256(content)
	d := Document{Name: truncate(secret.RedactAadhaar(filepath.Base(name)), maxSubject), SHA256: hex.EncodeToString(sum[:]), Content: content}
	sealed, err := s.seal(content, documentPurpose, d.SHA256)
	if err != nil {
		return Document{}, fmt.Errorf("seal a document: %w", err)
	}
	return d, s.documents.AddDocument(ctx, SealedDocument{SHA256: d.SHA256, Name: d.Name, Bytes: int64(len(content)), Sealed: sealed, At: time.Now(), By: by})
}

// ReadDocument returns a stored document, or central.ErrNotFound.
func (s *Vault) ReadDocument(ctx context.Context, sum string) (Document, error) {
	p, err := s.documents.Document(ctx, sum)
	if err != nil {
		return Document{}, err
	}
	content, err := s.open(p.Sealed, documentPurpose, p.SHA256)
	return Document{Name: p.Name, SHA256: p.SHA256, Content: content}, err
}

// rewrapBatch is how many hashes one query returns.
const rewrapBatch = 100

// Rewrap seals everything again under the first master key, and returns how many
// secrets there are. Afterwards the other master keys are not needed for them.
func (s *Vault) Rewrap(ctx context.Context) (int, error) {
	members, err := s.members.Members(ctx)
	if err != nil {
		return 0, err
	}
	done := 0
	var errs []error
	count := func(did bool, err error) {
		if err != nil && !errors.Is(err, central.ErrState) { // it was sealed again meanwhile
			errs = append(errs, err)
		} else if did {
			done++
		}
	}
	for _, m := range members {
		count(s.rewrapFactor(ctx, m.Login))
	}
	for after := ""; ; {
		sums, err := s.documents.DocumentHashes(ctx, after, rewrapBatch)
		if err != nil || len(sums) == 0 {
			return done, errors.Join(append(errs, err)...)
		}
		for _, sum := range sums {
			count(s.rewrapDocument(ctx, sum))
		}
		after = sums[len(sums)-1]
	}
}

func (s *Vault) rewrapFactor(ctx context.Context, login string) (bool, error) {
	r, err := s.members.MemberAccount(ctx, login)
	if err != nil || r.Sealed == nil {
		return false, err
	}
	fresh, err := s.reseal(r.Sealed, factorPurpose, login)
	if err != nil {
		return false, err
	}
	return true, s.members.ResealMemberFactor(ctx, login, r.Sealed, fresh)
}

func (s *Vault) rewrapDocument(ctx context.Context, sum string) (bool, error) {
	p, err := s.documents.Document(ctx, sum)
	if err != nil {
		return false, err
	}
	fresh, err := s.reseal(p.Sealed, documentPurpose, sum)
	if err != nil {
		return false, err
	}
	return true, s.documents.ResealDocument(ctx, sum, p.Sealed, fresh)
}
