package credential

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"galla/shared/seal"
	"galla/shared/secret"
)

// Keys are what a central can't start without.
type Keys struct {
	Fingerprint secret.Key // of request bodies
	Token       secret.Key // seed of the Ed25519 key that signs tokens
	Bank        secret.Key // shared with the bank network
	// VendorMasters seal vendors' keys: the first seals, all open.
	VendorMasters []secret.Key
}

// Config says where keys are.
type Config struct {
	Folder string // of the key files
	// Sandbox makes keys that are missing, and takes weak ones.
	Sandbox bool
	// VendorMasters, if given, take the place of the files of master keys.
	VendorMasters []secret.Key
	Rand          io.Reader // a sandbox's new keys are drawn from it
}

// Files of the master keys of vendors' keys: the first seals, and whatever
// further ones there are open what was sealed under them.
const (
	MasterFile   = "vendor-master.key"
	furtherFiles = "vendor-master-*.key"
	// maxMasters bounds the master keys at one time: a rotation needs two.
	maxMasters = 8
)

// Load reads the keys. In the sandbox it makes those that are missing;
// otherwise it refuses. The error names all that are missing or can't be read.
func Load(cfg Config) (Keys, error) {
	var k Keys
	var master secret.Key
	files := []struct {
		name string
		key  *secret.Key
	}{
		{"fingerprint.key", &k.Fingerprint},
		{"token-signing.key", &k.Token},
		{"bank-network.key", &k.Bank},
		{MasterFile, &master},
	}
	if len(cfg.VendorMasters) > 0 {
		files = files[:len(files)-1]
	}
	var missing []string
	var wrong []error
	for _, f := range files {
		path := filepath.Join(cfg.Folder, f.name)
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
			wrong = append(wrong, err)
		}
	}
	if missing != nil {
		wrong = append(wrong, fmt.Errorf("the central does not start without its keys; missing: %s (each 32 random bytes as 64 hex characters, mode 0600; GALLA_VENDOR_MASTER_KEY can take the place of "+MasterFile+")", strings.Join(missing, ", ")))
	}
	if slices.ContainsFunc(wrong, func(err error) bool { return errors.Is(err, fs.ErrPermission) }) {
		wrong = append(wrong, errors.New("run this as the account that the keys belong to, or give them to this one (chown, chmod 0600)"))
	}
	if wrong != nil {
		return Keys{}, errors.Join(wrong...)
	}
	var err error
	if k.VendorMasters, err = masters(cfg, master); err != nil || cfg.Sandbox {
		return k, err
	}
	return k, k.weak()
}

// minDistinct is how many different bytes a key has at least. Of 32 random ones
// thirty are different on the average; fewer than sixteen do not happen.
const minDistinct = 16

// weak refuses keys that nobody drew at random, and one that serves twice.
func (k Keys) weak() error {
	named := map[string]secret.Key{"fingerprint.key": k.Fingerprint, "token-signing.key": k.Token, "bank-network.key": k.Bank}
	for i, master := range k.VendorMasters {
		named[fmt.Sprintf("master key %d of vendors' keys", i+1)] = master
	}
	var wrong []error
	seen := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		raw := named[name].Reveal()
		if !drawn(raw) {
			wrong = append(wrong, fmt.Errorf("%s is weak: nobody drew it at random; make one with 'openssl rand -hex 32'", name))
		}
		if first, twice := seen[string(raw)]; twice {
			wrong = append(wrong, fmt.Errorf("%s and %s are the same key; each needs its own", first, name))
		}
		seen[string(raw)] = name
	}
	return errors.Join(wrong...)
}

// drawn tells whether a key can have been drawn at random: it has many
// different bytes, and they are no series.
func drawn(raw []byte) bool {
	distinct, steps := map[byte]bool{}, map[byte]bool{}
	for i, b := range raw {
		distinct[b] = true
		if i > 0 {
			steps[b-raw[i-1]] = true
		}
	}
	return len(distinct) >= minDistinct && len(steps) >= minDistinct/2
}

// LoadMasters reads the master keys alone.
func LoadMasters(cfg Config) ([]secret.Key, error) {
	if len(cfg.VendorMasters) > 0 {
		return cfg.VendorMasters, nil
	}
	first, err := seal.ReadKeyFile(filepath.Join(cfg.Folder, MasterFile))
	if err != nil {
		return nil, err
	}
	return masters(cfg, first)
}

// masters gives the master keys of vendors' keys: the configuration's, or those
// of the files, of which the first is read already.
func masters(cfg Config, first secret.Key) ([]secret.Key, error) {
	if len(cfg.VendorMasters) > 0 {
		return cfg.VendorMasters, nil
	}
	further, err := filepath.Glob(filepath.Join(cfg.Folder, furtherFiles))
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
