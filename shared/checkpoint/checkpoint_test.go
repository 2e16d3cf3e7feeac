package checkpoint

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"galla/shared/secret"
)

var seed = secret.NewKey(bytes.Repeat([]byte{7}, 32))

func keysOf(t testing.TB, seeds ...secret.Key) Keys {
	t.Helper()
	var texts []string
	for _, s := range seeds {
		text, err := PublicKey(s)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	k, err := ParseKeys(texts...)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func signed(t testing.TB, c Checkpoint) string {
	t.Helper()
	s, err := NewSigner(seed)
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Sign(c)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

var aCheckpoint = Checkpoint{Log: "0123456789abcdef", Epoch: 2, Size: 42, Root: tlog.Hash{1, 2, 3}, At: time.UnixMilli(1_795_000_000_123).UTC()}

// TestCheckpoint: what was signed is read, by its key alone, and no changed byte is.
func TestCheckpoint(t *testing.T) {
	text, known := signed(t, aCheckpoint), keysOf(t, seed)
	if c, err := known.Open(text); err != nil || c != aCheckpoint {
		t.Fatalf("read %+v, %v", c, err)
	}
	if _, err := keysOf(t, secret.NewKey(bytes.Repeat([]byte{8}, 32))).Open(text); !errors.Is(err, ErrCheckpoint) {
		t.Errorf("another key opens it: %v", err)
	}
	if _, err := keysOf(t, secret.NewKey(bytes.Repeat([]byte{8}, 32)), seed).Open(text); err != nil {
		t.Errorf("a former key does not open it: %v", err)
	}
	for i := range len(text) {
		changed := []byte(text)
		changed[i] ^= 1
		if c, err := known.Open(string(changed)); err == nil && c != aCheckpoint {
			t.Errorf("a change of byte %d was taken: %+v", i, c)
		}
	}
	if _, err := ParseKeys("sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8"); err == nil {
		t.Error("a key of another log was taken")
	}
}

func FuzzCheckpoint(f *testing.F) {
	f.Add(aCheckpoint.text())
	f.Add("galla-log/x/0\n1\n\n0\n")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := parseCheckpoint(text); err == nil && c.text() != text {
			t.Errorf("%q is read as %q", text, c.text())
		}
	})
}
