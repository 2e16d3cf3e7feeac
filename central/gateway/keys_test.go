package gateway

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"galla/central"
	"galla/central/httpapi"
	"galla/central/keys"
	"galla/shared/envelope"
	"galla/shared/secret"
)

func TestKeysLive(t *testing.T) {
	h := startGateway(t, nil)
	// A second key, made by another program, serves within ringLife; a third is
	// not to be had.
	issued, err := h.keyStore.Add(t.Context(), v1)
	must(t, err)
	if _, err := h.keyStore.Add(t.Context(), v1); !errors.Is(err, central.ErrState) {
		t.Errorf("a third key: %v", err)
	}
	eventually(t, "the new key serves", func() bool { return h.serves(t, issued) })
	old := keys.Issued{APIKey: secret.NewToken(apiKey1), Key: counting(0)}
	if !h.serves(t, old) {
		t.Error("the old key no longer serves")
	}
	id, err := h.keyStore.Revoke(t.Context(), apiKey1)
	if err != nil || id != keyID1 {
		t.Errorf("revoked %s, %v", id, err)
	}
	eventually(t, "the old key is refused", func() bool { return !h.serves(t, old) })
	if !h.serves(t, issued) {
		t.Error("the new key was revoked, too")
	}
	h.keys.flushUsage(t.Context())
	list, err := h.keyStore.List(t.Context(), v1)
	must(t, err)
	if len(list) != 2 || list[0].RevokedAt.IsZero() || list[1].UsedAt.IsZero() || list[1].Uses != leaseSize {
		t.Errorf("keys %+v", list)
	}
	if strings.Contains(fmt.Sprintf("%+v", list), apiKey1) || !strings.HasSuffix(issued.APIKey.Reveal(), list[1].Hint) {
		t.Error("the list shows an API key, or no hint of it")
	}
}

// serves tells whether a key is served: by its own seal, which opened does not
// know.
func (h *system) serves(t *testing.T, k keys.Issued) bool {
	t.Helper()
	key, err := envelope.New(k.Key)
	must(t, err)
	m := sealed(t, key, k.APIKey.Reveal(), "GET", "/process/aeps/banks", newID(), "{}", time.Now())
	out := h.Serve(t.Context(), m.message())
	return out.Authenticated && out.HTTP == 200
}

// message passes a message to the gateway without HTTP.
func (m message) message() central.GatewayMessage {
	return central.GatewayMessage{Method: m.method, Target: m.path, Body: m.body, RequestID: m.id, Header: func(name string) (values []string) {
		for _, h := range m.headers {
			if strings.EqualFold(h[0], name) {
				values = append(values, h[1])
			}
		}
		return values
	}}
}

func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for range 500 {
		if is() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("it never happened that %s", what)
}

func TestMasterKeysRotate(t *testing.T) {
	h := startGateway(t, nil)
	fresh := counting(2)
	both, err := keys.NewVendorKeys(h.db, []secret.Key{fresh, counting(1)}, h.cfg.Rand)
	must(t, err)
	alone, err := keys.NewVendorKeys(h.db, []secret.Key{fresh}, h.cfg.Rand)
	must(t, err)
	read := func(s *keys.VendorKeys) (n int) {
		list, err := s.List(t.Context(), "")
		must(t, err)
		for _, k := range list {
			if _, err := s.Open(k.VendorKey); err == nil {
				n++
			}
		}
		return n
	}
	if read(both) != 2 || read(alone) != 0 {
		t.Fatalf("%d and %d keys open, want 2 and 0", read(both), read(alone))
	}
	if _, err := alone.Rewrap(t.Context()); err == nil || !strings.Contains(err.Error(), "master key") {
		t.Errorf("rewrapped without the old master key: %v", err)
	}
	if n, err := both.Rewrap(t.Context()); n != 2 || err != nil {
		t.Fatalf("rewrapped %d keys, %v", n, err)
	}
	if read(alone) != 2 || read(h.keyStore) != 0 {
		t.Errorf("%d keys open under the new master key, %d under the old", read(alone), read(h.keyStore))
	}
	// A sealed key that is moved to another row does not open.
	list, err := alone.List(t.Context(), "")
	must(t, err)
	list[0].Sealed = list[1].Sealed
	if _, err := alone.Open(list[0].VendorKey); err == nil {
		t.Error("a key that was moved opens")
	}
}

func TestUsesAreBounded(t *testing.T) {
	h := startGateway(t, func(cfg *Config, _ *httpapi.Config) { cfg.Rate = float64(rate.Inf) })
	k := keys.Issued{APIKey: secret.NewToken(apiKey1), Key: counting(0)}
	if !h.serves(t, k) {
		t.Fatal("it does not serve")
	}
	use := func(n int64) {
		t.Helper()
		_, err := h.db.LeaseKeyUses(t.Context(), keyID1, n, maxUses)
		must(t, err)
		h.keys.current.Load().keys[keys.APIKeyHash(apiKey1)].uses.leased = 0
	}
	use(keys.ReplaceAfterUses - leaseSize)
	if h.Counts().KeysToReplace != 0 || !h.serves(t, k) || h.Counts().KeysToReplace != 1 || !strings.Contains(h.log.text(), "should be replaced") {
		t.Errorf("at 2^30 nobody was warned: %+v", h.Counts())
	}
	use(maxUses - keys.ReplaceAfterUses - 2*leaseSize)
	if !h.serves(t, k) {
		t.Fatal("refused below the bound")
	}
	h.keys.current.Load().keys[keys.APIKeyHash(apiKey1)].uses.leased = usesPerMessage
	if !h.serves(t, k) {
		t.Fatal("refused at the last use")
	}
	if h.serves(t, k) || h.Counts().Refused[CauseExhausted] != 1 {
		t.Errorf("served beyond 2^32: %+v", h.Counts())
	}
}
