package seal

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"galla/shared/secret"
)

func testBox(t testing.TB, fill byte) *Box {
	t.Helper()
	b, err := New(secret.NewKey(bytes.Repeat([]byte{fill}, KeySize)), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSealedValuesOpenInTheirPlaceOnly(t *testing.T) {
	box, other := testBox(t, 1), testBox(t, 2)
	rapid.Check(t, func(t *rapid.T) {
		plain := rapid.SliceOf(rapid.Byte()).Draw(t, "plain")
		a := rapid.SliceOf(rapid.Byte()).Draw(t, "a")
		b := rapid.SliceOf(rapid.Byte()).Draw(t, "b")
		sealed, err := box.Seal(plain, a, b)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := box.Open(sealed, a, b); err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("does not open in its place: %v", err)
		}
		if _, err := box.Open(sealed, append(bytes.Clone(a), b...)); !errors.Is(err, ErrOpen) {
			t.Fatalf("opens in a place with its parts joined: %v", err)
		}
		if _, err := other.Open(sealed, a, b); !errors.Is(err, ErrOpen) {
			t.Fatalf("opens under another key: %v", err)
		}
		i := rapid.IntRange(0, len(sealed)-1).Draw(t, "byte")
		bit := rapid.IntRange(0, 7).Draw(t, "bit")
		sealed[i] ^= 1 << bit
		if _, err := box.Open(sealed, a, b); !errors.Is(err, ErrOpen) {
			t.Fatalf("opens with bit %d of byte %d flipped: %v", bit, i, err)
		}
	})
}

func TestKeySizeIsChecked(t *testing.T) {
	if _, err := New(secret.NewKey([]byte("short")), rand.Reader); err == nil {
		t.Error("a short key was taken")
	}
}

func TestEnsureKeyFileGivesOneKeyToAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys", "queue.key")
	const starters = 16
	keys := make([]secret.Key, starters)
	var wg sync.WaitGroup
	for i := range starters {
		wg.Go(func() {
			key, err := EnsureKeyFile(path, rand.Reader)
			if err != nil {
				t.Error(err)
			}
			keys[i] = key
		})
	}
	wg.Wait()
	for _, k := range keys[1:] {
		if !k.Equal(keys[0]) {
			t.Fatal("two starters hold different keys")
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key file: %v, mode %v, want 0600", err, info.Mode())
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("%d files beside the key, want none", len(left)-1)
	}
}

func TestADamagedKeyFileIsNotReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k")
	if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := EnsureKeyFile(path, rand.Reader); err == nil {
		t.Error("a damaged key file was taken")
	}
	if text, _ := os.ReadFile(path); string(text) != "abc" {
		t.Error("a damaged key file was overwritten")
	}
}

func FuzzOpen(f *testing.F) {
	box := testBox(f, 1)
	sealed, err := box.Seal([]byte("value"), []byte("place"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sealed)
	f.Add([]byte{version})
	f.Fuzz(func(t *testing.T, data []byte) {
		plain, err := box.Open(data, []byte("place"))
		if err == nil && !bytes.Equal(data, sealed) {
			t.Fatalf("a forged value opened to %q", plain)
		}
	})
}
