package callback

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"galla/central"
	"galla/shared/secret"
)

// TestSignatureOfTheSpecification is the vector that the specification's own
// libraries hold themselves against.
func TestSignatureOfTheSpecification(t *testing.T) {
	key, err := ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	must(t, err)
	got := signature([]secret.Key{key}, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
}

// TestTwoSecrets: while a merchant changes from one secret to another, whoever
// has either can verify.
func TestTwoSecrets(t *testing.T) {
	keys := []secret.Key{secret.NewKey(bytes.Repeat([]byte{1}, 32)), secret.NewKey(bytes.Repeat([]byte{2}, 32))}
	body, now := []byte(`{"type":"operation.settled"}`), time.Now()
	header := http.Header{}
	header.Set(headerID, "evt_1")
	header.Set(headerTimestamp, timestamp(now))
	header.Set(headerSignature, signature(keys, "evt_1", now, body))
	for i, key := range keys {
		v, err := standard.NewWebhook(formatSecret(key).Reveal())
		must(t, err)
		if err := v.Verify(body, header); err != nil {
			t.Errorf("secret %d: %v", i+1, err)
		}
		if err := v.Verify(append([]byte(" "), body...), header); err == nil {
			t.Errorf("secret %d verifies another body", i+1)
		}
	}
	stranger, err := standard.NewWebhook(formatSecret(secret.NewKey(bytes.Repeat([]byte{3}, 32))).Reveal())
	must(t, err)
	if err := stranger.Verify(body, header); !errors.Is(err, standard.ErrNoMatchingSignature) {
		t.Errorf("a third secret: %v", err)
	}
}

func FuzzParseSecret(f *testing.F) {
	for _, text := range []string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_%%%", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		key, err := ParseSecret(text)
		if err != nil {
			if rest, ok := strings.CutPrefix(text, secretPrefix); ok && len(rest) > 8 && strings.Contains(err.Error(), rest) {
				t.Fatal("the error quotes the secret")
			}
			return
		}
		if n := len(key.Reveal()); n < minSecretSize || n > maxSecretSize {
			t.Fatalf("a secret of %d bytes was taken", n)
		}
		if back := formatSecret(key).Reveal(); back != text {
			t.Fatal("a secret has two spellings")
		}
	})
}

// TestSecretsAreSealed: what the database has opens in its place and under its
// master key only; a master key can be replaced.
func TestSecretsAreSealed(t *testing.T) {
	ctx := context.Background()
	db := openSQLite(t, filepath.Join(t.TempDir(), "central.db"), "node-a")
	old, next := secret.NewKey(bytes.Repeat([]byte{7}, 32)), secret.NewKey(bytes.Repeat([]byte{8}, 32))
	safe := func(masters ...secret.Key) *Safe {
		s, err := NewSafe(db, masters, rand.Reader)
		must(t, err)
		return s
	}
	first, err := safe(old).Mint(ctx, shop)
	must(t, err)
	second, err := safe(old).Mint(ctx, shop)
	must(t, err)
	if _, err := safe(old).Mint(ctx, shop); !errors.Is(err, central.ErrState) {
		t.Errorf("a third secret: %v", err)
	}
	if first.Secret.Reveal() == second.Secret.Reveal() || !strings.HasPrefix(first.Secret.Reveal(), "whsec_") {
		t.Error("secrets are not what they should be")
	}
	list, err := db.SecretsOf(ctx, shop)
	must(t, err)
	for i, minted := range []Minted{first, second} {
		raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(minted.Secret.Reveal(), "whsec_"))
		must(t, err)
		if bytes.Contains(list[i].Sealed, raw) {
			t.Error("a secret is stored in the clear")
		}
		key, err := safe(next, old).open(list[i])
		if err != nil || !bytes.Equal(key.Reveal(), raw) {
			t.Errorf("secret %d does not open: %v", i+1, err)
		}
		if _, err := safe(next).open(list[i]); err == nil || strings.Contains(err.Error(), minted.Secret.Reveal()) {
			t.Errorf("under another master key: %v", err)
		}
	}
	moved := list[0]
	moved.ID = list[1].ID
	if _, err := safe(old).open(moved); err == nil {
		t.Error("a secret opens in another's place")
	}
	if n, err := safe(next, old).Rewrap(ctx); n != 2 || err != nil {
		t.Errorf("%d sealed anew, %v", n, err)
	}
	list, err = db.SecretsOf(ctx, shop)
	must(t, err)
	if _, err := safe(next).open(list[0]); err != nil {
		t.Errorf("after the rewrap: %v", err)
	}
	if n, err := safe(old).Rewrap(ctx); n != 0 || err == nil {
		t.Errorf("%d sealed under a master key that opens none: %v", n, err)
	}
}
