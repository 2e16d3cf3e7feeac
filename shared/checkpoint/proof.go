package checkpoint

import (
	"encoding/base64"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// Proof shows that a checkpoint continues another one: some hashes of the log's tree.
type Proof []tlog.Hash

// maxProof bounds a proof: a tree of 2^62 leaves needs no more hashes.
const maxProof = 128

// Texts writes the hashes of a proof, in base64.
func (p Proof) Texts() []string {
	list := make([]string, len(p))
	for i, h := range p {
		list[i] = base64.StdEncoding.EncodeToString(h[:])
	}
	return list
}

// ParseProof reads the hashes of a proof.
func ParseProof(texts []string) (Proof, error) {
	if len(texts) > maxProof {
		return nil, fmt.Errorf("a proof has at most %d hashes, not %d", maxProof, len(texts))
	}
	p := make(Proof, len(texts))
	for i, text := range texts {
		h, err := tlog.ParseHash(text)
		if err != nil {
			return nil, fmt.Errorf("hash %d of a proof: %w", i+1, err)
		}
		p[i] = h
	}
	return p, nil
}

// ErrFork says that two checkpoints have different pasts.
var ErrFork = errors.New("the two checkpoints of the log have different pasts")

// Check checks that a checkpoint continues another one of the same log and epoch. ErrFork.
func (p Proof) Check(later, earlier Checkpoint) error {
	switch {
	case earlier.Size == 0:
		return nil
	case later.Size == earlier.Size && later.Root == earlier.Root:
		return nil
	case later.Size <= earlier.Size:
		return fmt.Errorf("%w: the later one has %d entries, the earlier one %d", ErrFork, later.Size, earlier.Size)
	}
	if err := tlog.CheckTree(tlog.TreeProof(p), later.Size, later.Root, earlier.Size, earlier.Root); err != nil {
		return fmt.Errorf("%w: %w", ErrFork, err)
	}
	return nil
}
