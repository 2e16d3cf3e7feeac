package galla

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

const event = `{"type":"operation.finished","timestamp":"2026-11-21T10:30:00.123Z","data":{"id":"o","reference":"GL1","txnStatus":"SUCCESS"}}`

var at = time.Unix(1_795_253_400, 0)

func newSecret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b)
	return "whsec_" + encodeBase64(b)
}

func sign(secret, id string, at time.Time, body string) string {
	key, _ := decodeBase64(strings.TrimPrefix(secret, "whsec_"))
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.%s", id, at.Unix(), body)
	return "v1," + encodeBase64(mac.Sum(nil))
}

func signed(secret, body string) http.Header {
	h := http.Header{}
	h.Set("webhook-id", "evt_1")
	h.Set("webhook-timestamp", fmt.Sprint(at.Unix()))
	h.Set("webhook-signature", sign(secret, "evt_1", at, body))
	return h
}

func verifier(t *testing.T, now time.Time, secrets ...string) *Verifier {
	t.Helper()
	v, err := NewVerifier(secrets...)
	if err != nil {
		t.Fatal(err)
	}
	v.Now = func() time.Time { return now }
	return v
}

func TestCallback(t *testing.T) {
	a, b := newSecret(), newSecret()
	two := signed(a, event)
	two.Set("webhook-signature", "v1,AAAA "+sign(b, "evt_1", at, event)+" "+two.Get("webhook-signature"))
	for name, c := range map[string]struct {
		v *Verifier
		h http.Header
	}{
		"one": {verifier(t, at, a), signed(a, event)}, "two secrets": {verifier(t, at, b, a), signed(a, event)},
		"two signatures": {verifier(t, at, a), two}, "late": {verifier(t, at.Add(Tolerance), a), signed(a, event)},
	} {
		e, err := c.v.Verify(c.h, []byte(event))
		if err != nil || e.WebhookID != "evt_1" || e.Type != "operation.finished" || e.Data.Reference != "GL1" {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
	if shown := fmt.Sprintf("%v %+v %#v %x", verifier(t, at, a), verifier(t, at, a), verifier(t, at, a), verifier(t, at, a)); strings.Contains(shown, a) || strings.Contains(shown, "[") {
		t.Error(shown)
	}
}

func TestFalseCallbacks(t *testing.T) {
	a := newSecret()
	with := func(name, value string) http.Header {
		h := signed(a, event)
		h.Set(name, value)
		return h
	}
	for i, c := range []struct {
		h    http.Header
		body string
		now  time.Time
		want error
	}{
		{with("webhook-id", ""), event, at, ErrMissingHeader}, {with("webhook-timestamp", ""), event, at, ErrMissingHeader}, {with("webhook-signature", ""), event, at, ErrMissingHeader},
		{with("webhook-timestamp", "soon"), event, at, ErrBadTimestamp}, {with("webhook-timestamp", fmt.Sprint(at.Unix()+1)), event, at, ErrBadSignature}, {with("webhook-id", "evt_2"), event, at, ErrBadSignature},
		{with("webhook-signature", "v2,AAAA"), event, at, ErrBadSignature}, {signed(a, event), strings.Replace(event, "SUCCESS", "FAILED", 1), at, ErrBadSignature},
		{signed(newSecret(), event), event, at, ErrBadSignature}, {signed(a, event), event, at.Add(Tolerance + time.Second), ErrTooOld}, {signed(a, event), event, at.Add(-Tolerance - time.Second), ErrTooOld},
		{signed(a, "x"), "x", at, ErrBadBody}, {signed(a, "{}"), "{}", at, ErrBadBody}, {signed(a, `{"type":"t","data":[]}`), `{"type":"t","data":[]}`, at, ErrBadBody},
	} {
		if _, err := verifier(t, c.now, a).Verify(c.h, []byte(c.body)); !errors.Is(err, c.want) {
			t.Errorf("%d: %v, want %v", i, err, c.want)
		}
	}
	for _, bad := range []string{"", "whsec_", "whsec_AAAA", a[6:], a + "="} {
		if _, err := NewVerifier(bad); err == nil || len(bad) > 10 && strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := NewVerifier(); err == nil {
		t.Error("no secret was taken")
	}
}

// FuzzCallback: no body or header of a stranger breaks the program, or is believed.
func FuzzCallback(f *testing.F) {
	f.Add("evt_1", "1795253400", "v1,AAAA", []byte(event))
	f.Fuzz(func(t *testing.T, id, at, signature string, body []byte) {
		h := http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {at}, "Webhook-Signature": {signature}}
		if _, err := verifier(t, time.Unix(1_795_253_400, 0), newSecret()).Verify(h, body); err == nil {
			t.Error("a callback without the secret was believed")
		}
	})
}

// FuzzReply: no reply of a stranger breaks the program, or is believed.
func FuzzReply(f *testing.F) {
	f.Add(200, "1795253400000", "AAECAwQFBgcICQoL", "AAECAwQFBgcICQoLDA0ODw==", "00", []byte(`{"payload":"Lb4="}`))
	f.Fuzz(func(t *testing.T, status int, at, iv, tag, sum string, body []byte) {
		c, key := &caller{cfg: Config{Now: time.Now}}, Key{make([]byte, keySize)}
		h := http.Header{"X-Timestamp": {at}, "X-Iv": {iv}, "X-Tag": {tag}, "X-Checksum": {sum}, "X-Request-Id": {"k"}}
		if p, err := openSealed(c, key, &call{key: "k"}, &reply{status: status, header: h, text: body}); err == nil && p.genuine {
			t.Error("a reply without the key was believed")
		}
	})
}
