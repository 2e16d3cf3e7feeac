package openapi

import (
	"bytes"
	"flag"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"testing"
	"time"

	"galla/central"
	"galla/central/contract"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

var update = flag.Bool("update", false, "write the golden document and page anew")

// nothing are limits that bound nothing.
type nothing struct{}

func (nothing) Judge(time.Time, central.Subject) ([]central.Quota, error) { return nil, nil }
func (nothing) Lookups(central.MerchantID) int                            { return 60 }
func (nothing) InForce(time.Time) []central.Limit {
	return []central.Limit{{Kinds: []central.Kind{central.KindWithdrawal}, Scope: central.PerTransaction, Max: money.Rupee}}
}

// dispatcher is the real one, over the given desk and store.
func dispatcher(t testing.TB, desk central.Desk, store contract.Store, vendors central.Administration, registry contract.Registry) *contract.Dispatcher {
	t.Helper()
	d, err := contract.New(desk, registry, store, vendors, contract.Config{
		FingerprintKey: secret.NewKey(bytes.Repeat([]byte{7}, 32)), UplinkURL: "ws://127.0.0.1:7102/uplink", Audience: "galla-uplink",
		Limits: nothing{}, Handle: "galla", Rand: mathrand.NewChaCha8([32]byte{1}), Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func document(t testing.TB) *Document {
	t.Helper()
	doc, err := New(dispatcher(t, nil, nil, nil, nil), op.Table())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
