package keys

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

// Set has the keys that a central needs to start.
type Set struct {
	Fingerprint secret.Key // hashes request bodies
	Token       secret.Key // seed of the Ed25519 key that signs tokens
	Bank        secret.Key // shared with the bank network
	Log         secret.Key // seed of the Ed25519 key that signs checkpoints of the log (package transparency)
	// VendorMasters are the master keys of sealed secrets: the first seals, all open.
	VendorMasters []secret.Key
}

// Config says where the keys are.
type Config struct {
	Folder string // of the key files
	// Sandbox creates missing keys, and accepts weak ones.
	Sandbox bool
	// VendorMasters, if given, replace the files of master keys.
	VendorMasters []secret.Key
	Rand          io.Reader // for a sandbox's new keys
}

// Files of the master keys of vendors' keys: the first seals, the further ones only open.
const (
	MasterFile   = "vendor-master.key"
	furtherFiles = "vendor-master-*.key"
	// maxMasters bounds the number of master keys; a rotation needs two.
	maxMasters = 8
)

// LogFile is the file of the key that signs checkpoints of the log.
const LogFile = "log-signing.key"

// LoadLog reads only the key that signs checkpoints.
func LoadLog(cfg Config) (secret.Key, error) {
	return seal.ReadKeyFile(filepath.Join(cfg.Folder, LogFile))
}

// Load reads the keys. In a sandbox it creates missing ones; otherwise they are an error.
// The error names all keys that are missing or can't be read.
func Load(cfg Config) (Set, error) {
	var k Set
	var master secret.Key
	files := []struct {
		name string
		key  *secret.Key
	}{
		{"fingerprint.key", &k.Fingerprint},
		{"token-signing.key", &k.Token},
		{"bank-network.key", &k.Bank},
		{LogFile, &k.Log},
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
		wrong = append(wrong, fmt.Errorf("the central does not start without its keys; missing: %s (each 32 random bytes as 64 hex characters, mode 0600; GALLA_VENDOR_MASTER_KEY can replace "+MasterFile+")", strings.Join(missing, ", ")))
	}
	if slices.ContainsFunc(wrong, func(err error) bool { return errors.Is(err, fs.ErrPermission) }) {
		wrong = append(wrong, errors.New("run this as the account that owns the keys, or change their owner to this one (chown, chmod 0600)"))
	}
	if wrong != nil {
		return Set{}, errors.Join(wrong...)
	}
	var err error
	if k.VendorMasters, err = masters(cfg, master); err != nil || cfg.Sandbox {
		return k, err
	}
	return k, k.checkStrength()
}

// minDistinct is the least number of different bytes of a key. 32 random bytes have
// thirty on average, and practically never fewer than sixteen.
const minDistinct = 16

// checkStrength refuses keys that are not random, and a key with two purposes.
func (k Set) checkStrength() error {
	named := map[string]secret.Key{"fingerprint.key": k.Fingerprint, "token-signing.key": k.Token, "bank-network.key": k.Bank, LogFile: k.Log}
	for i, master := range k.VendorMasters {
		named[fmt.Sprintf("master key %d of vendors' keys", i+1)] = master
	}
	var wrong []error
	seen := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		raw := named[name].Reveal()
		if !looksRandom(raw) {
			wrong = append(wrong, fmt.Errorf("%s is weak: it is not random; create one with 'openssl rand -hex 32'", name))
		}
		if first, twice := seen[string(raw)]; twice {
			wrong = append(wrong, fmt.Errorf("%s and %s are the same key; each needs its own", first, name))
		}
		seen[string(raw)] = name
	}
	return errors.Join(wrong...)
}

// looksRandom reports whether a key may be random: it has many different bytes, and they
// are not a series.
func looksRandom(raw []byte) bool {
	distinct, steps := map[byte]bool{}, map[byte]bool{}
	for i, b := range raw {
		distinct[b] = true
		if i > 0 {
			steps[b-raw[i-1]] = true
		}
	}
	return len(distinct) >= minDistinct && len(steps) >= minDistinct/2
}

// LoadMasters reads only the master keys.
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

// masters returns the master keys: those of the configuration, or those of the files, the
// first of which is given.
func masters(cfg Config, first secret.Key) ([]secret.Key, error) {
	if len(cfg.VendorMasters) > 0 {
		return cfg.VendorMasters, nil
	}
	further, err := filepath.Glob(filepath.Join(cfg.Folder, furtherFiles))
	if err != nil {
		return nil, fmt.Errorf("list further master keys of vendors' keys: %w", err)
	}
	if len(further) >= maxMasters {
		return nil, fmt.Errorf("%d master keys of vendors' keys: at most %d are used at one time; seal all under the first (galla-central vendor key rewrap) and remove the others", len(further)+1, maxMasters)
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

// ParseMasterKeys parses master keys of an environment variable: 64 hex characters each,
// separated by commas. The error does not quote the text.
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
		return nil, fmt.Errorf("%d master keys of vendors' keys: at most %d are used at one time", len(all), maxMasters)
	}
	return all, nil
}
