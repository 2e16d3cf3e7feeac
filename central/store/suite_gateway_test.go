package store

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"galla/central"
)

// bareVendor has no aggregator.
const bareVendor central.VendorID = "b0000000-0000-4000-8000-00000000000c"

func newVendorKey(vendor central.VendorID, n int) central.VendorKey {
	return central.VendorKey{
		ID: central.KeyID(newID()), Vendor: vendor, ClientHash: sha256.Sum256(fmt.Appendf(nil, "client %d of %s", n, vendor)),
		Hint: "ab12", Sealed: bytes.Repeat([]byte{byte(n)}, 61), CreatedAt: t0.Add(time.Duration(n) * time.Second),
	}
}

func suiteVendorKeys(t *testing.T, s *DB) {
	first, second, third := newVendorKey(vendor1, 1), newVendorKey(vendor1, 2), newVendorKey(vendor1, 3)
	wantErr(t, "first", s.AddVendorKey(background, first), nil)
	wantErr(t, "the same again", s.AddVendorKey(background, first), central.ErrTaken)
	wantErr(t, "second", s.AddVendorKey(background, second), nil)
	wantErr(t, "third", s.AddVendorKey(background, third), central.ErrState)
	wantErr(t, "nobody's", s.AddVendorKey(background, newVendorKey("nobody", 1)), central.ErrNotFound)
	other := newVendorKey(bareVendor, 4)
	wantErr(t, "another vendor's", s.AddVendorKey(background, other), nil)
	for _, k := range []*central.VendorKey{&first, &second, &third, &other} {
		k.CreatedAt = truncateToMillis(k.CreatedAt)
	}

	list, err := s.VendorKeysOf(background, vendor1)
	wantErr(t, "list", err, nil)
	wantSame(t, "keys", list, []central.VendorKey{first, second})
	live, err := s.LiveVendorKeys(background)
	wantErr(t, "live", err, nil)
	wantSame(t, "live keys", live, []central.VendorKey{first, second, other})

	wantErr(t, "revoke nobody's", s.RevokeVendorKey(background, "none", t0), central.ErrNotFound)
	wantErr(t, "revoke", s.RevokeVendorKey(background, first.ID, t0), nil)
	wantErr(t, "revoke again", s.RevokeVendorKey(background, first.ID, t0.Add(time.Hour)), nil)
	first.RevokedAt = truncateToMillis(t0)
	wantErr(t, "third", s.AddVendorKey(background, third), nil)
	back := third
	back.ID = central.KeyID(newID())
	back.ClientHash = first.ClientHash
	wantErr(t, "a revoked API key comes back", s.AddVendorKey(background, back), central.ErrTaken)
	all, err := s.VendorKeysOf(background, "")
	wantErr(t, "list all", err, nil)
	wantSame(t, "all keys", all, []central.VendorKey{first, second, third, other})

	resealed := bytes.Repeat([]byte{9}, 61)
	wantErr(t, "reseal", s.ResealVendorKey(background, second.ID, second.Sealed, resealed), nil)
	wantErr(t, "reseal again", s.ResealVendorKey(background, second.ID, second.Sealed, resealed), central.ErrState)
	live, err = s.LiveVendorKeys(background)
	wantErr(t, "live", err, nil)
	second.Sealed = resealed
	wantSame(t, "live keys", live, []central.VendorKey{second, third, other})
}

func suiteKeyUses(t *testing.T, s *DB) {
	k := newVendorKey(vendor1, 1)
	wantErr(t, "add", s.AddVendorKey(background, k), nil)
	const bound = 1 << 32
	uses, err := s.LeaseKeyUses(background, k.ID, 4096, bound)
	wantErr(t, "lease", err, nil)
	wantSame(t, "uses", uses, int64(4096))
	_, err = s.LeaseKeyUses(background, k.ID, bound-4095, bound)
	wantErr(t, "lease beyond the bound", err, central.ErrState)
	uses, err = s.LeaseKeyUses(background, k.ID, bound-4096, bound)
	wantErr(t, "lease up to the bound", err, nil)
	wantSame(t, "uses", uses, int64(bound))
	_, err = s.LeaseKeyUses(background, k.ID, 1, bound)
	wantErr(t, "lease one more", err, central.ErrState)
	_, err = s.LeaseKeyUses(background, "none", 1, bound)
	wantErr(t, "lease of no key", err, central.ErrState)

	wantErr(t, "saw", s.RecordVendorKeyUse(background, map[central.KeyID]time.Time{k.ID: t0, "none": t0}), nil)
	wantErr(t, "saw before", s.RecordVendorKeyUse(background, map[central.KeyID]time.Time{k.ID: t0.Add(-time.Hour)}), nil)
	list, err := s.VendorKeysOf(background, vendor1)
	wantErr(t, "list", err, nil)
	wantSame(t, "used", list[0].UsedAt, truncateToMillis(t0))
	wantSame(t, "uses", list[0].Uses, int64(bound))

	wantErr(t, "revoke", s.RevokeVendorKey(background, k.ID, t0), nil)
	other := newVendorKey(vendor1, 2)
	wantErr(t, "add", s.AddVendorKey(background, other), nil)
	wantErr(t, "revoke", s.RevokeVendorKey(background, other.ID, t0), nil)
	_, err = s.LeaseKeyUses(background, other.ID, 1, bound)
	wantErr(t, "lease of a revoked key", err, central.ErrState)
}

func suiteReplays(t *testing.T, s *DB) {
	a, b := newVendorKey(vendor1, 1), newVendorKey(bareVendor, 2)
	wantErr(t, "add", s.AddVendorKey(background, a), nil)
	wantErr(t, "add", s.AddVendorKey(background, b), nil)
	iv := central.IV{1, 2, 3}
	until := t0.Add(time.Minute)
	wantErr(t, "first", s.SpendIV(background, a.ID, iv, until), nil)
	wantErr(t, "replay", s.SpendIV(background, a.ID, iv, until), central.ErrTaken)
	wantErr(t, "under another key", s.SpendIV(background, b.ID, iv, until), nil)
	if spent, err := s.IVSpent(background, a.ID, iv); err != nil || !spent {
		t.Errorf("spent %v, %v", spent, err)
	}
	if spent, err := s.IVSpent(background, a.ID, central.IV{9}); err != nil || spent {
		t.Errorf("spent %v, %v, though never seen", spent, err)
	}
	if err := s.SpendIV(background, "none", iv, until); err == nil {
		t.Error("a message under no key was recorded")
	}
	// What expired is forgotten, and nothing else.
	wantErr(t, "later", s.SpendIV(background, a.ID, central.IV{4}, until.Add(time.Minute)), nil)
	more, err := s.ForgetIVs(background, until)
	wantErr(t, "forget", err, nil)
	wantSame(t, "more to forget", more, false)
	if spent, err := s.IVSpent(background, a.ID, central.IV{4}); err != nil || !spent {
		t.Errorf("spent %v, %v, though it did not expire", spent, err)
	}
	if spent, err := s.IVSpent(background, b.ID, iv); err != nil || spent {
		t.Errorf("spent %v, %v, though it expired", spent, err)
	}

	var accepted atomic.Int64
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			if s.SpendIV(background, a.ID, central.IV{5}, until) == nil {
				accepted.Add(1)
			}
		})
	}
	all.Wait()
	if n := accepted.Load(); n != 1 {
		t.Errorf("%d of 32 copies of a message were accepted at once", n)
	}
}

func TestKeysInSQL(t *testing.T) { onBoth(t, keysInSQL) }

func keysInSQL(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	k := newVendorKey(vendor1, 1)
	wantErr(t, "add", s.AddVendorKey(background, k), nil)
	wantErr(t, "add", s.AddVendorKey(background, newVendorKey(vendor1, 2)), nil)
	wantErr(t, "spend", s.SpendIV(background, k.ID, central.IV{1}, t0.Add(time.Minute)), nil)
	wantErr(t, "lease", func() error { _, err := s.LeaseKeyUses(background, k.ID, 10, 1<<32); return err }(), nil)
	for name, statement := range map[string]string{
		"a third live key": `INSERT INTO vendor_keys (id, vendor, client_hash, hint, sealed, created_at)
			VALUES ('x', '` + string(vendor1) + `', zeroblob(32), '', zeroblob(61), 1)`,
		"a key in the clear":          `UPDATE vendor_keys SET sealed = zeroblob(32)`,
		"an API key in the hint":      `UPDATE vendor_keys SET hint = 'vk_sandbox'`,
		"a use taken back":            `UPDATE vendor_keys SET uses = uses - 1 WHERE uses > 0`,
		"too many uses":               `UPDATE vendor_keys SET uses = 4294967297`,
		"another owner":               `UPDATE vendor_keys SET vendor = '` + string(bareVendor) + `'`,
		"a deleted key":               `DELETE FROM vendor_keys`,
		"a message of nobody":         `INSERT INTO gateway_messages (vendor_key, iv, expires_at) VALUES ('x', zeroblob(12), 1)`,
		"a short IV":                  `INSERT INTO gateway_messages (vendor_key, iv, expires_at) VALUES ('` + string(k.ID) + `', zeroblob(11), 1)`,
		"a message that lives longer": `UPDATE gateway_messages SET expires_at = expires_at + 1`,
	} {
		if err := tryWrite(s, on.sql(statement)); err == nil {
			t.Errorf("the schema takes %s: %s", name, statement)
		}
	}
	wantErr(t, "revoke", s.RevokeVendorKey(background, k.ID, t0), nil)
	if err := tryWrite(s, `UPDATE vendor_keys SET revoked_at = NULL`); err == nil {
		t.Error("the schema takes a revoked key that lives again")
	}
}
