package publish

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/secure-systems-lab/go-securesystemslib/encrypted"
	"github.com/sigstore/sigstore/pkg/signature"
	"github.com/theupdateframework/go-tuf/v2/metadata"

	"galla/shared/files"
	"galla/shared/secret"
)

// Roles whose keys there are, in the order in which a person thinks of them.
var roles = []string{metadata.ROOT, metadata.TARGETS, metadata.SNAPSHOT, metadata.TIMESTAMP}

const (
	keySuffix    = ".key"
	publicSuffix = ".pub"
	pemType      = "PRIVATE KEY"       // PKCS #8
	sealedType   = "GALLA RELEASE KEY" // the same, encrypted by a passphrase, as securesystemslib does
	publicType   = "PUBLIC KEY"        // PKIX
	publicHeader = "Public"            // of a sealed key, so that it is known without its passphrase
	maxKeys      = 64                  // files looked at in a folder of keys: more is another kind of folder
	maxKey       = 4 << 10             // bytes; an Ed25519 key has 119, and a sealed one some 900
)

// AskPassphrase gives the passphrase of a private key by the key's file; made says that the
// key is only now made, or sealed anew. It may ask a person.
type AskPassphrase func(file string, made bool) (secret.Key, error)

// isOnlineRole are the roles whose keys have no passphrase: they sign every day, where
// nobody is who could type one, and without the other roles' keys they can bring no
// program to a counter.
func isOnlineRole(role string) bool { return role == metadata.SNAPSHOT || role == metadata.TIMESTAMP }

// key is a private key and the file that it is in.
type key struct {
	file    string
	public  *metadata.Key
	id      string
	private ed25519.PrivateKey // nil as long as it is sealed
	sealed  []byte
}

// Format prints the file and the id, and never the key.
func (k key) Format(s fmt.State, _ rune) { _, _ = fmt.Fprintf(s, "key %.8s in %s", k.id, k.file) }

func newKey(file string, public ed25519.PublicKey) (*key, error) {
	named, err := metadata.KeyFromPublicKey(public)
	if err != nil {
		return nil, fmt.Errorf("key %s: %w", file, err)
	}
	id, err := named.ID()
	return &key{file: file, public: named, id: id}, err
}

// makeKey draws a key and writes it to a new file of the folder, with mode 0600,
// sealed by a passphrase where one can be asked for. The name is the given one and
// the first number that is free.
func makeKey(folder, name string, rand io.Reader, ask AskPassphrase) (*key, error) {
	_, private, err := ed25519.GenerateKey(rand)
	if err != nil {
		return nil, fmt.Errorf("draw a key of %s: %w", name, err)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of keys: %w", err)
	}
	for n := 1; ; n++ {
		path := filepath.Join(folder, fmt.Sprintf("%s-%d%s", name, n, keySuffix))
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) && n < maxKeys {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("write a key of %s: %w", name, err)
		}
		block, err := encode(path, private, ask)
		if err == nil {
			err = pem.Encode(f, block)
		}
		if err = errors.Join(err, f.Sync(), f.Close(), files.SyncFolder(folder)); err != nil {
			return nil, errors.Join(fmt.Errorf("write key %s: %w", path, err), os.Remove(path))
		}
		k, err := newKey(path, ed25519.PublicKey(private[ed25519.PublicKeySize:]))
		if err == nil {
			k.private = private
		}
		return k, err
	}
}

// encode is what a key's file holds; without ask it is not sealed.
func encode(file string, private ed25519.PrivateKey, ask AskPassphrase) (*pem.Block, error) {
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil || ask == nil {
		return &pem.Block{Type: pemType, Bytes: der}, err
	}
	passphrase, err := ask(file, true)
	if err != nil {
		return nil, err
	}
	sealed, err := encrypted.Encrypt(der, []byte(passphrase.Reveal()))
	public := base64.StdEncoding.EncodeToString(private[ed25519.PublicKeySize:])
	return &pem.Block{Type: sealedType, Headers: map[string]string{publicHeader: public}, Bytes: sealed}, err
}

// open unseals a key.
func (k *key) open(ask AskPassphrase) error {
	if k.private != nil {
		return nil
	}
	if ask == nil {
		return fmt.Errorf("key %s has a passphrase, and nobody can be asked for it", k.file)
	}
	passphrase, err := ask(k.file, false)
	if err != nil {
		return fmt.Errorf("key %s: %w", k.file, err)
	}
	der, err := encrypted.Decrypt(k.sealed, []byte(passphrase.Reveal()))
	if err != nil {
		return fmt.Errorf("key %s is not opened by this passphrase; nothing was signed", k.file)
	}
	private, err := parsePrivate(k.file, der)
	if err != nil {
		return err
	}
	if same, err := newKey(k.file, ed25519.PublicKey(private[ed25519.PublicKeySize:])); err != nil || same.id != k.id {
		return fmt.Errorf("key %s is not the one that its file names: restore it from its copy, or rotate it", k.file)
	}
	k.private = private
	return nil
}

func parsePrivate(file string, der []byte) (ed25519.PrivateKey, error) {
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	private, isEd25519 := parsed.(ed25519.PrivateKey)
	if err != nil || !isEd25519 {
		return nil, fmt.Errorf("key %s is no Ed25519 key: restore it from its copy, or rotate it", file)
	}
	return private, nil
}

// MakeKey draws a key for somebody, NAME-1.key in the folder or the next number that
// is free, and gives its file and that of its public half, which is nobody's secret
// and is named to Rotate.
func MakeKey(folder, name string, rand io.Reader, ask AskPassphrase) (file, public string, err error) {
	k, err := makeKey(folder, name, rand, ask)
	if err != nil {
		return "", "", err
	}
	der, err := x509.MarshalPKIXPublicKey(k.private.Public())
	if err != nil {
		return "", "", fmt.Errorf("write the public half of key %s: %w", k.file, err)
	}
	public = k.file[:len(k.file)-len(keySuffix)] + publicSuffix
	return k.file, public, files.WriteAtomic(public, pem.EncodeToMemory(&pem.Block{Type: publicType, Bytes: der}), 0o644, os.Rename)
}

// readPublic reads what MakeKey wrote for others.
func readPublic(file string) (*key, error) {
	text, err := files.ReadBounded(file, maxKey)
	if err != nil {
		return nil, fmt.Errorf("read a key: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != publicType {
		return nil, fmt.Errorf("%s is no PEM file of a public key: name the .pub file that 'galla-release key' has made", file)
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	public, isEd25519 := parsed.(ed25519.PublicKey)
	if err != nil || !isEd25519 {
		return nil, fmt.Errorf("%s is no Ed25519 key", file)
	}
	return newKey(file, public)
}

// Reseal gives the key in a file another passphrase; one that has none gets one.
func Reseal(file string, ask AskPassphrase) error {
	k, err := readKey(file)
	if err == nil {
		err = k.open(ask)
	}
	if err != nil {
		return err
	}
	block, err := encode(file, k.private, ask)
	if err != nil {
		return err
	}
	return files.WriteAtomic(file, pem.EncodeToMemory(block), 0o600, os.Rename)
}

// keyring is the keys that are at hand, by id.
type keyring map[string]*key

// readKeys reads every key of some folders.
func readKeys(folders []string) (keyring, error) {
	r := keyring{}
	for _, folder := range folders {
		paths, err := filepath.Glob(filepath.Join(folder, "*"+keySuffix))
		if err != nil || len(paths) > maxKeys {
			return nil, fmt.Errorf("the folder of keys %s has %d keys, want at most %d: name the folder that has only the releases' keys", folder, len(paths), maxKeys)
		}
		if _, err := os.Stat(folder); err != nil {
			return nil, fmt.Errorf("the folder of keys: %w", err)
		}
		for _, file := range paths {
			k, err := readKey(file)
			if err != nil {
				return nil, err
			}
			r[k.id] = k
		}
	}
	return r, nil
}

func readKey(file string) (*key, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("read a key: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("key %s can be read by others (mode %04o): if anybody may have, rotate it; then chmod 600", file, info.Mode().Perm())
	}
	text, err := files.ReadBounded(file, maxKey)
	if err != nil {
		return nil, fmt.Errorf("read a key: %w", err)
	}
	block, _ := pem.Decode(text)
	if block != nil && block.Type == sealedType {
		public, err := base64.StdEncoding.DecodeString(block.Headers[publicHeader])
		if err != nil || len(public) != ed25519.PublicKeySize {
			return nil, fmt.Errorf("key %s does not name its public half: restore it from its copy, or rotate it", file)
		}
		k, err := newKey(file, public)
		if err == nil {
			k.sealed = block.Bytes
		}
		return k, err
	}
	if block == nil || block.Type != pemType {
		return nil, fmt.Errorf("key %s is no PEM file of a private key: restore it from its copy, or rotate it", file)
	}
	private, err := parsePrivate(file, block.Bytes)
	if err != nil {
		return nil, err
	}
	k, err := newKey(file, ed25519.PublicKey(private[ed25519.PublicKeySize:]))
	if err == nil {
		k.private = private
	}
	return k, err
}

// sign signs metadata by the keys at hand that a root names for the role, and says
// so where they do not reach its threshold together with those that have signed
// before. A key that is sealed is opened where the others do not reach it.
func sign[T metadata.Roles](m *metadata.Metadata[T], role string, root *metadata.Metadata[metadata.RootType], keys keyring, ask AskPassphrase) error {
	wanted := root.Signed.Roles[role]
	if wanted == nil {
		return fmt.Errorf("root %d knows no role %s", root.Signed.Version, role)
	}
	has := func(id string) bool {
		return slices.ContainsFunc(m.Signatures, func(s metadata.Signature) bool { return s.KeyID == id })
	}
	count := 0
	var open, sealed []*key
	for _, id := range slices.Sorted(slices.Values(wanted.KeyIDs)) {
		switch k := keys[id]; {
		case has(id): // root is signed as the old root wants it and as the new one does
			count++
		case k == nil:
		case k.private != nil:
			open = append(open, k)
		default:
			sealed = append(sealed, k)
		}
	}
	for i, k := range slices.Concat(open, sealed) {
		if i >= len(open) && count >= wanted.Threshold {
			break
		}
		if err := k.open(ask); err != nil {
			return err
		}
		signer, err := signature.LoadED25519Signer(k.private)
		if err != nil {
			return fmt.Errorf("sign %s: %w", role, err)
		}
		if _, err := m.Sign(signer); err != nil {
			return fmt.Errorf("sign %s: %w", role, err)
		}
		count++
	}
	if count < wanted.Threshold {
		return &ThresholdError{Role: role, Have: count, Want: wanted.Threshold, Of: len(wanted.KeyIDs)}
	}
	return nil
}

// ThresholdError says that too few of a role's keys have signed; nothing was
// published.
type ThresholdError struct {
	Role           string
	Have, Want, Of int
}

func (e *ThresholdError) Error() string {
	return fmt.Sprintf("role %s wants %d signatures, and %d of its %d keys have signed or are at hand: name the folders of the others too, or write a draft that goes to their holders (--draft); nothing was published", e.Role, e.Want, e.Have, e.Of)
}
