package seal

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"galla/shared/files"
	"galla/shared/secret"
)

// ReadKeyFile reads a key of KeySize bytes, written as 64 hex characters and
// an optional newline. A missing file is fs.ErrNotExist.
func ReadKeyFile(path string) (secret.Key, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return secret.Key{}, fmt.Errorf("read key: %w", err)
	}
	key, err := ParseKey(string(bytes.TrimSpace(text)))
	if err != nil {
		return secret.Key{}, fmt.Errorf("key file %s: must hold %d hex characters; restore it from a backup, a new key can't open what the old one sealed", path, 2*KeySize)
	}
	return key, nil
}

// ParseKey reads a key of KeySize bytes from 64 hex characters. The error does
// not quote them.
func ParseKey(text string) (secret.Key, error) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != KeySize {
		return secret.Key{}, fmt.Errorf("a sealing key is %d hex characters", 2*KeySize)
	}
	return secret.NewKey(raw), nil
}

// EnsureKeyFile reads the key at path, or makes a random one there, with mode 0600, its
// folder with 0700. If several processes start at the same moment, one makes the key
// and all read it: the file appears whole, by a hard link, or not at all.
func EnsureKeyFile(path string, rand io.Reader) (secret.Key, error) {
	key, err := ReadKeyFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return secret.Key{}, fmt.Errorf("make folder for key: %w", err)
	}
	raw := make([]byte, KeySize)
	if _, err := io.ReadFull(rand, raw); err != nil {
		return secret.Key{}, fmt.Errorf("draw key: %w", err)
	}
	if err := files.WriteOnce(path, []byte(hex.EncodeToString(raw)+"\n"), 0o600); err != nil {
		return secret.Key{}, fmt.Errorf("write key %s: %w", path, err)
	}
	return ReadKeyFile(path)
}
