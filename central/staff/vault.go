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

func (v *Vault) seal(plain []byte, purpose, name string) ([]byte, error) {
	return v.ring.Seal(plain, []byte(purpose), []byte(name))
}

func (v *Vault) open(sealed []byte, purpose, name string) ([]byte, error) {
	plain, _, err := v.ring.Open(sealed, []byte(purpose), []byte(name))
	if err != nil {
		return nil, fmt.Errorf("the secret of %s: %w", name, err)
	}
	return plain, nil
}

func (v *Vault) reseal(sealed []byte, purpose, name string) ([]byte, error) {
	fresh, err := v.ring.Reseal(sealed, []byte(purpose), []byte(name))
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
func (v *Vault) StoreDocument(ctx context.Context, name string, content []byte, by string) (Document, error) {
	if len(content) == 0 || len(content) > MaxDocument {
		return Document{}, fmt.Errorf("the document is empty or has more than %d MiB", MaxDocument>>20)
	}
	sum := sha256.Sum256(content)
	d := Document{Name: truncate(secret.RedactAadhaar(filepath.Base(name)), maxSubject), SHA256: hex.EncodeToString(sum[:]), Content: content}
	sealed, err := v.seal(content, documentPurpose, d.SHA256)
	if err != nil {
		return Document{}, fmt.Errorf("seal a document: %w", err)
	}
	return d, v.documents.AddDocument(ctx, SealedDocument{SHA256: d.SHA256, Name: d.Name, Bytes: int64(len(content)), Sealed: sealed, At: time.Now(), By: by})
}

// ReadDocument returns a stored document, or central.ErrNotFound.
func (v *Vault) ReadDocument(ctx context.Context, sum string) (Document, error) {
	p, err := v.documents.Document(ctx, sum)
	if err != nil {
		return Document{}, err
	}
	content, err := v.open(p.Sealed, documentPurpose, p.SHA256)
	return Document{Name: p.Name, SHA256: p.SHA256, Content: content}, err
}

// rewrapBatch is how many hashes one query returns.
const rewrapBatch = 100

// Rewrap seals everything again under the first master key, and returns how many
// secrets there are. Afterwards the other master keys are not needed for them.
func (v *Vault) Rewrap(ctx context.Context) (int, error) {
	done := 0
	var errs []error
	count := func(did bool, err error) {
		if err != nil && !errors.Is(err, central.ErrState) { // it was sealed again meanwhile
			errs = append(errs, err)
		} else if did {
			done++
		}
	}
	for after := ""; ; {
		logins, err := v.members.LoginsAfter(ctx, after, rewrapBatch)
		if err != nil {
			return done, errors.Join(append(errs, err)...)
		}
		for _, login := range logins {
			count(v.rewrapFactor(ctx, login))
			after = login
		}
		if len(logins) < rewrapBatch {
			break
		}
	}
	for after := ""; ; {
		sums, err := v.documents.DocumentHashes(ctx, after, rewrapBatch)
		if err != nil || len(sums) == 0 {
			return done, errors.Join(append(errs, err)...)
		}
		for _, sum := range sums {
			count(v.rewrapDocument(ctx, sum))
		}
		after = sums[len(sums)-1]
	}
}

func (v *Vault) rewrapFactor(ctx context.Context, login string) (bool, error) {
	r, err := v.members.MemberAccount(ctx, login)
	if err != nil || r.Sealed == nil {
		return false, err
	}
	fresh, err := v.reseal(r.Sealed, factorPurpose, login)
	if err != nil {
		return false, err
	}
	return true, v.members.ResealMemberFactor(ctx, login, r.Sealed, fresh)
}

func (v *Vault) rewrapDocument(ctx context.Context, sum string) (bool, error) {
	p, err := v.documents.Document(ctx, sum)
	if err != nil {
		return false, err
	}
	fresh, err := v.reseal(p.Sealed, documentPurpose, sum)
	if err != nil {
		return false, err
	}
	return true, v.documents.ResealDocument(ctx, sum, p.Sealed, fresh)
}
