package webhook_test

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

	"galla/central/webhook"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"galla/central"
	"galla/shared/secret"
)

// TestSignatureOfTheSpecification is the test vector of the specification's own libraries.
func TestSignatureOfTheSpecification(t *testing.T) {
	raw, err := base64.StdEncoding.DecodeString("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	must(t, err)
	got := webhook.Signature([]secret.Key{secret.NewKey(raw)}, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
}

// TestTwoSecrets: while a merchant replaces a secret, either one verifies.
func TestTwoSecrets(t *testing.T) {
	keys := []secret.Key{secret.NewKey(bytes.Repeat([]byte{1}, 32)), secret.NewKey(bytes.Repeat([]byte{2}, 32))}
	body, now := []byte(`{"type":"operation.finished"}`), time.Now()
	header := http.Header{}
	header.Set(webhook.HeaderID, "evt_1")
	header.Set(webhook.HeaderTimestamp, webhook.Timestamp(now))
	header.Set(webhook.HeaderSignature, webhook.Signature(keys, "evt_1", now, body))
	for i, key := range keys {
		v, err := standard.NewWebhook(webhook.FormatSecret(key).Reveal())
		must(t, err)
		if err := v.Verify(body, header); err != nil {
			t.Errorf("secret %d: %v", i+1, err)
		}
		if err := v.Verify(append([]byte(" "), body...), header); err == nil {
			t.Errorf("secret %d verifies another body", i+1)
		}
	}
	other, err := standard.NewWebhook(webhook.FormatSecret(secret.NewKey(bytes.Repeat([]byte{3}, 32))).Reveal())
	must(t, err)
	if err := other.Verify(body, header); !errors.Is(err, standard.ErrNoMatchingSignature) {
		t.Errorf("a third secret: %v", err)
	}
}

// TestSecretsAreSealed: a sealed secret opens in its own row and under its master key only;
// a master key can be replaced.
func TestSecretsAreSealed(t *testing.T) {
	ctx := context.Background()
	db := openSQLite(t, filepath.Join(t.TempDir(), "central.db"), "node-a")
	old, next := secret.NewKey(bytes.Repeat([]byte{7}, 32)), secret.NewKey(bytes.Repeat([]byte{8}, 32))
	safe := func(masters ...secret.Key) *webhook.Vault {
		s, err := webhook.NewVault(db, masters, rand.Reader)
		must(t, err)
		return s
	}
	first, err := safe(old).Mint(ctx, webhook.OfMerchant(merchant1), time.Time{})
	must(t, err)
	second, err := safe(old).Mint(ctx, webhook.OfMerchant(merchant1), time.Time{})
	must(t, err)
	if _, err := safe(old).Mint(ctx, webhook.OfMerchant(merchant1), time.Time{}); !errors.Is(err, central.ErrState) {
		t.Errorf("a third secret: %v", err)
	}
	if first.Secret.Reveal() == second.Secret.Reveal() || !strings.HasPrefix(first.Secret.Reveal(), "whsec_") {
		t.Error("secrets are not what they should be")
	}
	list, err := db.ListSecrets(ctx, webhook.OfMerchant(merchant1))
	must(t, err)
	for i, made := range []webhook.NewSecret{first, second} {
		raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(made.Secret.Reveal(), "whsec_"))
		must(t, err)
		if bytes.Contains(list[i].Sealed, raw) {
			t.Error("a secret is stored in the clear")
		}
		key, err := safe(next, old).Open(list[i])
		if err != nil || !bytes.Equal(key.Reveal(), raw) {
			t.Errorf("secret %d does not open: %v", i+1, err)
		}
		if _, err := safe(next).Open(list[i]); err == nil || strings.Contains(err.Error(), made.Secret.Reveal()) {
			t.Errorf("under another master key: %v", err)
		}
	}
	moved := list[0]
	moved.ID = list[1].ID
	if _, err := safe(old).Open(moved); err == nil {
		t.Error("a secret opens in another's place")
	}
	if n, err := safe(next, old).Rewrap(ctx); n != 2 || err != nil {
		t.Errorf("%d sealed again, %v", n, err)
	}
	list, err = db.ListSecrets(ctx, webhook.OfMerchant(merchant1))
	must(t, err)
	if _, err := safe(next).Open(list[0]); err != nil {
		t.Errorf("after the rewrap: %v", err)
	}
	if n, err := safe(old).Rewrap(ctx); n != 0 || err == nil {
		t.Errorf("%d sealed under a master key that opens none: %v", n, err)
	}
}
