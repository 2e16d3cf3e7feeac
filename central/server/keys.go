package server

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"galla/shared/seal"
	"galla/shared/secret"
)

// keys are what a central can't start without.
type keys struct {
	fingerprint secret.Key // of request bodies
	token       secret.Key // seed of the Ed25519 key that signs tokens
	bank        secret.Key // shared with the bank network
}

// loadKeys reads the keys. In the sandbox it makes those that are missing;
// otherwise it refuses with the list of them.
func loadKeys(data string, sandbox bool, rand io.Reader) (keys, error) {
	var k keys
	files := []struct {
		name string
		key  *secret.Key
	}{
		{"fingerprint.key", &k.fingerprint},
		{"token-signing.key", &k.token},
		{"bank-network.key", &k.bank},
	}
	var missing []string
	for _, f := range files {
		path := filepath.Join(data, "keys", f.name)
		var err error
		if sandbox {
			*f.key, err = seal.EnsureKeyFile(path, rand)
		} else {
			*f.key, err = seal.ReadKeyFile(path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, path)
			continue
		}
		if err != nil {
			return keys{}, err
		}
	}
	if missing != nil {
		return keys{}, fmt.Errorf("the central does not start without its keys; missing: %s (each 32 random bytes as 64 hex characters, mode 0600)", strings.Join(missing, ", "))
	}
	return k, nil
}
