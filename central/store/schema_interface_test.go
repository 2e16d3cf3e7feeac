package store

import (
	"fmt"
	"strings"
	"testing"

	"galla/central"
	"galla/shared/op"
)

// TestSchemaRefusesMore tries past the methods what the tables of the second
// migration must not take.
func TestSchemaRefusesMore(t *testing.T) { onBoth(t, schemaRefusesMore) }

func schemaRefusesMore(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	o := created(t, s, withRef("R-1"), func(o *central.Operation) {
		o.Original, o.Sender = "GL-x", "sender"
		o.KYC = &central.KYCStep{Service: central.ServiceAEPS, To: central.KYCSubmitted}
	})
	transfer := earned(t, s, "TRANSFER", 1, t0)
	refund := refundOf(t, s, transfer)
	wantErr(t, "refund", step(s, refund.ID, op.Succeeded), nil)
	kept := earned(t, s, "TRANSFER", 1, t0)
	if _, err := createWith(s, daily("k", 5, 0, 0)); err != nil {
		t.Fatal(err)
	}
	x := newSlab("TRANSFER", 10, 20)
	x.IsDefault = true
	slab := added(t, s, x)
	gone := added(t, s, newSlab("TRANSFER", 20, 30))
	wantErr(t, "delete", s.RemoveSlab(background, vendor1, gone.ID, t0), nil)
	onboards(t, s, merchant2, central.KYCPANVerified, op.Succeeded, t0)

	operation := func(set string) string { return fmt.Sprintf("UPDATE operations SET %s WHERE id = '%s'", set, o.ID) }
	slabs := func(set string) string {
		return fmt.Sprintf("UPDATE commission_slabs SET %s WHERE id = '%s'", set, slab.ID)
	}
	entry := func(values string) string {
		return "INSERT INTO ledger_entries (operation, purpose, reversal, debit, credit, amount, written_by, at) VALUES " + values
	}
	cases := []struct{ name, statement string }{
		{"another party", operation("party = 'merchant:other'")},
		{"another caller's reference", operation("caller_ref = 'R-2'")},
		{"another transfer", operation("original = 'GL-y'")},
		{"another sender", operation("sender = 'other'")},
		{"another onboarding", operation("kyc_to = 'APPROVED'")},
		{"no onboarding", operation("kyc_to = NULL, kyc_service = NULL")},
		{"another operation to reverse", operation("reverses = '" + string(kept.ID) + "'")},
		{"a charge before the end", operation("charge = 5")},
		{"a final operation's charge", "UPDATE operations SET charge = 5 WHERE id = '" + string(kept.ID) + "'"},
		{"a step back", "UPDATE service_kyc SET state = 'OTP_VERIFIED' WHERE merchant = '" + string(merchant2) + "'"},
		{"an onboarding's other state", "UPDATE service_kyc SET state = 'READY' WHERE merchant = '" + string(merchant2) + "'"},
		{"another's onboarding", "UPDATE service_kyc SET merchant = '" + string(merchant3) + "' WHERE merchant = '" + string(merchant2) + "'"},
		{"a forgotten onboarding", "DELETE FROM service_kyc"},
		{"an onboarding of nobody", "INSERT INTO service_kyc VALUES ('nobody', 'AEPS', 'APPROVED', 1, 1)"},
		{"a count below zero", "UPDATE quota_usage SET count = -1"},
		{"a sum below zero", "UPDATE quota_usage SET sum = -1"},
		{"a changed reservation", "UPDATE reservations SET amount = 4"},
		{"a second reservation", "INSERT INTO reservations SELECT * FROM reservations"},
		{"a count that is taken away", "DELETE FROM quota_usage"},
		{"a second default", "INSERT INTO commission_slabs SELECT 'other', vendor, aggregator, payment_method, provider, txn_type, method_key, provider_key, type_key, 90, 91, 1, rate_type, 1, 1, 1, NULL FROM commission_slabs WHERE is_default = 1"},
		{"a second default in other letters", "INSERT INTO commission_slabs SELECT 'other', vendor, aggregator, 'dmt', 'Nsdl', 'transfer', method_key, provider_key, type_key, 90, 91, 1, rate_type, 1, 1, 1, NULL FROM commission_slabs WHERE is_default = 1"},
		{"an equal band", "INSERT INTO commission_slabs SELECT 'other', vendor, aggregator, payment_method, provider, txn_type, method_key, provider_key, type_key, min_amount, max_amount, 1, rate_type, 0, 1, 1, NULL FROM commission_slabs WHERE is_default = 1"},
		{"an empty key", slabs("provider_key = ''")},
		{"an empty band", slabs("max_amount = 10")},
		{"a negative end", slabs("min_amount = -1")},
		{"a negative rate", slabs("rate = -1")},
		{"a fraction of a rate", slabs("rate = 0.5")},
		{"a rate of another kind", slabs("rate_type = 'SHARE'")},
		{"another vendor's slab", slabs("vendor = '" + string(vendor2) + "'")},
		{"a deleted slab's return", "UPDATE commission_slabs SET deleted_at = NULL WHERE id = '" + string(gone.ID) + "'"},
		{"a slab that is gone", "DELETE FROM commission_slabs"},
		{"a second reversal", fmt.Sprintf("INSERT INTO reversals VALUES ('%s', '%s', 1)", transfer.ID, o.ID)},
		{"one refund of two", fmt.Sprintf("INSERT INTO reversals VALUES ('%s', '%s', 1)", kept.ID, refund.ID)},
		{"a reversal of itself", fmt.Sprintf("INSERT INTO reversals VALUES ('%[1]s', '%[1]s', 1)", kept.ID)},
		{"another commission", "UPDATE commissions SET commission = 1"},
		{"another day", "UPDATE commissions SET day = '2026-11-22'"},
		{"a second mark of reversal", "UPDATE commissions SET reversed_at = 9 WHERE operation = '" + string(transfer.ID) + "'"},
		{"half a mark of reversal", "UPDATE commissions SET reversed_at = 9 WHERE operation = '" + string(kept.ID) + "'"},
		{"a commission that is gone", "DELETE FROM commissions"},
		{"a changed ledger", "UPDATE ledger_entries SET amount = 1"},
		{"a shorter ledger", "DELETE FROM ledger_entries"},
		{"an entry twice", entry(fmt.Sprintf("('%[1]s', 'TDS', 0, 'a', 'b', 1, '%[1]s', 1)", kept.ID))},
		{"an entry of nothing", entry(fmt.Sprintf("('%[1]s', 'X', 0, 'a', 'b', 0, '%[1]s', 1)", kept.ID))},
		{"an entry within one account", entry(fmt.Sprintf("('%[1]s', 'X', 0, 'a', 'a', 1, '%[1]s', 1)", kept.ID))},
		{"a reversal written by itself", entry(fmt.Sprintf("('%[1]s', 'X', 1, 'a', 'b', 1, '%[1]s', 1)", kept.ID))},
		{"an entry written by another", entry(fmt.Sprintf("('%s', 'X', 0, 'a', 'b', 1, '%s', 1)", kept.ID, o.ID))},
		{"a whole account number", "UPDATE merchants SET settlement_last4 = '00420042' WHERE settlement_last4 IS NOT NULL"},
		{"half an account", "UPDATE merchants SET settlement_ifsc = 'X' WHERE settlement_last4 IS NULL"},
		{"half a callback", "UPDATE merchants SET callback_url = 'X' WHERE callback_url IS NULL"},
		{"a category that is none", "UPDATE merchants SET mcc = '12345'"},
	}
	for _, c := range cases {
		if on == onPostgres && strings.HasPrefix(c.name, "a fraction") {
			continue // as in schemaRefuses
		}
		if err := tryWrite(s, on.sql(c.statement)); err == nil {
			t.Errorf("the schema takes %s: %s", c.name, c.statement)
		}
	}
}

// TestSlabsAreBounded: a vendor has at most so many slabs.
func TestSlabsAreBounded(t *testing.T) { onBoth(t, slabsAreBounded) }

func slabsAreBounded(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	wantErr(t, "add all but one", s.write(background, func(c conn) error {
		_, err := c.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
			INSERT INTO commission_slabs SELECT 'slab ' || i, $2, $3, 'DMT', 'NSDL', 'T' || i, 'DMT', 'NSDL', 'T' || i, NULL, NULL, 1, 'FIXED', 0, 1, 1, NULL FROM n`,
			maxSlabs-1, string(vendor1), string(aggregator1))
		return err
	}), nil)
	last := added(t, s, newSlab("LAST", -1, -1))
	_, err := s.AddSlab(background, newSlab("OVER", -1, -1))
	wantErr(t, "one slab too many", err, central.ErrState)
	wantErr(t, "delete one", s.RemoveSlab(background, vendor1, last.ID, t0), nil)
	added(t, s, newSlab("OVER", -1, -1))
}
