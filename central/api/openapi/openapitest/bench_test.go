package openapitest

import (
	"bytes"
	"flag"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"testing"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/central/api"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

var update = flag.Bool("update", false, "write the golden document and page anew")

// noLimits are limits that bound nothing.
type noLimits struct{}

func (noLimits) Check(time.Time, central.LimitSubject) ([]central.Quota, error) { return nil, nil }
func (noLimits) Lookups(central.MerchantID) int                                 { return 60 }
func (noLimits) InForce(time.Time) []central.Limit {
	return []central.Limit{{Kinds: []central.Kind{central.KindWithdrawal}, Scope: central.PerTransaction, Max: money.Rupee}}
}

// unavailable fails with every call, as a database that is away.
type unavailable struct{ api.SelfService }

// noPayments stands for payments that no test here reads.
type noPayments struct{ api.Payments }

// newHandler makes the real handler, over the given executor and store.
func newHandler(t testing.TB, executor central.Executor, store api.Store, customers accounts.CustomerStore, vendors central.VendorAdmin, registry api.Registry) *api.Handler {
	t.Helper()
	d, err := api.New(executor, registry, store, customers, vendors, api.Config{
		FingerprintKey: secret.NewKey(bytes.Repeat([]byte{7}, 32)), UplinkURL: "ws://127.0.0.1:7102/uplink", Audience: "galla-uplink",
		Limits: noLimits{}, UPIHandle: "galla", SelfService: unavailable{}, Payments: noPayments{}, Rand: mathrand.NewChaCha8([32]byte{1}), Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func document(t testing.TB) *Document {
	t.Helper()
	doc, err := New(newHandler(t, nil, nil, nil, nil, nil), op.Table())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
