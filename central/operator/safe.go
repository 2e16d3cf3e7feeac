package operator

import (
	"bytes"
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

// Places of what is sealed: the table, with the row's name beside it.
const (
	factorPlace = "operators/v1"
	paperPlace  = "papers/v1"
)

// MaxPaper bounds a document that is kept, in bytes: a scanned letter of a few
// pages.
const MaxPaper = 5 << 20

// Safe seals what this room keeps under the central's master keys: the first
// seals, all open.
type Safe struct {
	store  Store
	papers Papers
	boxes  []*seal.Box
}

// NewSafe makes a safe.
func NewSafe(store Store, papers Papers, masters []secret.Key, rand io.Reader) (*Safe, error) {
	if store == nil || papers == nil || len(masters) == 0 {
		return nil, errors.New("operators' secrets need a database and a master key to be sealed under")
	}
	s := &Safe{store: store, papers: papers}
	for i, master := range masters {
		box, err := seal.New(master, rand)
		if err != nil {
			return nil, fmt.Errorf("master key %d of operators' secrets: %w", i+1, err)
		}
		s.boxes = append(s.boxes, box)
	}
	return s, nil
}

func (s *Safe) seal(plain []byte, place, name string) ([]byte, error) {
	return s.boxes[0].Seal(plain, []byte(place), []byte(name))
}

func (s *Safe) open(sealed []byte, place, name string) ([]byte, error) {
	for _, box := range s.boxes {
		if plain, err := box.Open(bytes.Clone(sealed), []byte(place), []byte(name)); err == nil {
			return plain, nil
		}
	}
	return nil, fmt.Errorf("what is sealed for %s: none of the %d master keys opens it: give the one it was sealed under, too", name, len(s.boxes))
}

// Document is a paper as people hand it in and read it.
type Document struct {
	Name    string
	SHA256  string // 64 hexadecimal digits
	Content []byte
}

// Keep seals and keeps a document. It may be kept already.
func (s *Safe) Keep(ctx context.Context, name string, content []byte, by string) (Document, error) {
	if len(content) == 0 || len(content) > MaxPaper {
		return Document{}, fmt.Errorf("the document is empty or has more than %d MiB", MaxPaper>>20)
	}
	sum := sha256.Sum256(content)
	d := Document{Name: clip(secret.HushAadhaar(filepath.Base(name)), maxSubject), SHA256: hex.EncodeToString(sum[:]), Content: content}
	sealed, err := s.seal(content, paperPlace, d.SHA256)
	if err != nil {
		return Document{}, fmt.Errorf("seal a document: %w", err)
	}
	return d, s.papers.KeepPaper(ctx, Paper{SHA256: d.SHA256, Name: d.Name, Bytes: int64(len(content)), Sealed: sealed, At: time.Now(), By: by})
}

// Read gives a document that was kept, or central.ErrNotFound.
func (s *Safe) Read(ctx context.Context, sum string) (Document, error) {
	p, err := s.papers.Paper(ctx, sum)
	if err != nil {
		return Document{}, err
	}
	content, err := s.open(p.Sealed, paperPlace, p.SHA256)
	return Document{Name: p.Name, SHA256: p.SHA256, Content: content}, err
}

// rewrapPage is how many documents one look brings.
const rewrapPage = 100

// Rewrap seals everything anew under the first master key, and tells how much
// there is. Afterwards the other master keys are not needed for it.
func (s *Safe) Rewrap(ctx context.Context) (int, error) {
	people, err := s.store.Operators(ctx)
	if err != nil {
		return 0, err
	}
	done := 0
	var wrong []error
	note := func(did bool, err error) {
		if err != nil && !errors.Is(err, central.ErrState) { // another has sealed it anew
			wrong = append(wrong, err)
		} else if did {
			done++
		}
	}
	for _, p := range people {
		note(s.rewrapFactor(ctx, p.Login))
	}
	for after := ""; ; {
		sums, err := s.papers.PaperSums(ctx, after, rewrapPage)
		if err != nil || len(sums) == 0 {
			return done, errors.Join(append(wrong, err)...)
		}
		for _, sum := range sums {
			note(s.rewrapPaper(ctx, sum))
		}
		after = sums[len(sums)-1]
	}
}

func (s *Safe) rewrapFactor(ctx context.Context, login string) (bool, error) {
	r, err := s.store.Operator(ctx, login)
	if err != nil || r.Sealed == nil {
		return false, err
	}
	plain, err := s.open(r.Sealed, factorPlace, login)
	if err != nil {
		return false, err
	}
	fresh, err := s.seal(plain, factorPlace, login)
	if err != nil {
		return false, err
	}
	return true, s.store.ResealOperator(ctx, login, r.Sealed, fresh)
}

func (s *Safe) rewrapPaper(ctx context.Context, sum string) (bool, error) {
	p, err := s.papers.Paper(ctx, sum)
	if err != nil {
		return false, err
	}
	plain, err := s.open(p.Sealed, paperPlace, sum)
	if err != nil {
		return false, err
	}
	fresh, err := s.seal(plain, paperPlace, sum)
	if err != nil {
		return false, err
	}
	return true, s.papers.ResealPaper(ctx, sum, p.Sealed, fresh)
}
