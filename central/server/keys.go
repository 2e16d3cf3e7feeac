package server

import (
	"errors"
	"fmt"
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
	// vendorMasters seal vendors' keys: the first seals, all open.
	vendorMasters []secret.Key
}

// Files of the master keys of vendors' keys: the first seals, and whatever
// further ones there are open what was sealed under them.
const (
	masterFile   = "vendor-master.key"
	furtherFiles = "vendor-master-*.key"
	// maxMasters bounds the master keys at one time: a rotation needs two.
	maxMasters = 8
)

// loadKeys reads the keys. In the sandbox it makes those that are missing;
// otherwise it refuses with the list of them.
func loadKeys(cfg Config) (keys, error) {
	var k keys
	var master secret.Key
	files := []struct {
		name string
		key  *secret.Key
	}{
		{"fingerprint.key", &k.fingerprint},
		{"token-signing.key", &k.token},
		{"bank-network.key", &k.bank},
		{masterFile, &master},
	}
	if len(cfg.VendorMasterKeys) > 0 {
		files = files[:len(files)-1]
	}
	var missing []string
	for _, f := range files {
		path := filepath.Join(cfg.Data, "keys", f.name)
		var err error
		if cfg.Sandbox {
			*f.key, err = seal.EnsureKeyFile(path, cfg.Rand)
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
		return keys{}, fmt.Errorf("the central does not start without its keys; missing: %s (each 32 random bytes as 64 hex characters, mode 0600; GALLA_VENDOR_MASTER_KEY can take the place of "+masterFile+")", strings.Join(missing, ", "))
	}
	var err error
	k.vendorMasters, err = masters(cfg, master)
	return k, err
}

// loadMasters reads the master keys alone.
func loadMasters(cfg Config) ([]secret.Key, error) {
	if len(cfg.VendorMasterKeys) > 0 {
		return cfg.VendorMasterKeys, nil
	}
	first, err := seal.ReadKeyFile(filepath.Join(cfg.Data, "keys", masterFile))
	if err != nil {
		return nil, err
	}
	return masters(cfg, first)
}

// masters gives the master keys of vendors' keys: the configuration's, or those
// of the files, of which the first is read already.
func masters(cfg Config, first secret.Key) ([]secret.Key, error) {
	if len(cfg.VendorMasterKeys) > 0 {
		return cfg.VendorMasterKeys, nil
	}
	further, err := filepath.Glob(filepath.Join(cfg.Data, "keys", furtherFiles))
	if err != nil {
		return nil, fmt.Errorf("look for further master keys of vendors' keys: %w", err)
	}
	if len(further) >= maxMasters {
		return nil, fmt.Errorf("%d master keys of vendors' keys: at most %d serve at one time; seal all under the first (galla-central vendor key rewrap) and take the others away", len(further)+1, maxMasters)
	}
	all := []secret.Key{first}
	for _, path := range further {
		key, err := seal.ReadKeyFile(path)
		if err != nil {
			return nil, err
		}
		all = append(all, key)
	}
	return all, nil
}

// ParseMasterKeys reads master keys from a text, as the environment holds them:
// 64 hex characters each, separated by commas. The error quotes nothing.
func ParseMasterKeys(text string) ([]secret.Key, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var all []secret.Key
	for _, part := range strings.Split(text, ",") {
		key, err := seal.ParseKey(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("master key %d of vendors' keys: %w", len(all)+1, err)
		}
		all = append(all, key)
	}
	if len(all) > maxMasters {
		return nil, fmt.Errorf("%d master keys of vendors' keys: at most %d serve at one time", len(all), maxMasters)
	}
	return all, nil
}
