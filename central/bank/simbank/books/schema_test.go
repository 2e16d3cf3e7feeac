package books

import (
	"strings"
	"testing"
	"time"

	"galla/central/bank/network"
	"galla/shared/money"
)

// refusals checks that the schema refuses each statement, with a text in the error.
func refusals(t *testing.T, b *Books, want map[string]string) {
	t.Helper()
	for statement, word := range want {
		err := b.db.commit(t.Context(), func(k ledger) error { return k.exec("try", statement) })
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v, want an error about %q", statement, err, word)
		}
	}
}

// TestSchemaOfServicesRefuses: the rules of transfers hold by themselves.
func TestSchemaOfServicesRefuses(t *testing.T) {
	b := openBooks(t, testConfig(t))
	err := b.Commit(t.Context(), func(x Tx) error {
		if err := x.OpenFloat(1_000*money.Rupee, time.Now()); err != nil {
			return err
		}
		for _, s := range []string{
			`INSERT INTO enrolments (id, reference, mobile, name, email, city, region, status, aadhaar_hmac, aadhaar_last4, begun_at)
				VALUES (1, '00000000-0000-4000-8000-000000000001', '9000000001', 'A', '', '', '', 'APPROVED', zeroblob(32), '7058', 1)`,
			`INSERT INTO remitters (id, sender, enrolment_id, registered_at) VALUES (1, '00000000-0000-4000-8000-000000000002', 1, 1)`,
			`INSERT INTO beneficiaries (id, remitter_id, account, ifsc, name, mobile, email, address, city, region, branch, added_at)
				VALUES (1, 1, '12345', 'SBIN0001234', 'R', '', '', '', '', '', '', 1)`,
		} {
			if err := x.Exec("prepare", s); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	serve := func(ref string, kind network.Kind, sum money.Paise, do func(Tx, Request) error) network.Answer {
		t.Helper()
		a, _, err := b.ExecuteService(t.Context(), network.Transaction{Reference: ref, STAN: "000001", Kind: kind, MID: "M", Amount: sum, NotAfter: time.Now().Add(time.Minute)},
			func(x Tx, q Request) (Decision, error) {
				v := Decision{Code: "00", Data: []byte(`{"a":1}`)}
				if kind == network.Transfer {
					v.Charge = 10_00
				}
				return v, do(x, q)
			})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	send := func(x Tx, q Request) error {
		return x.BookTransfer(q, Transfer{Remitter: 1, Beneficiary: 1, SenderMobile: "9000000001", Receiver: "R", Account: "12345", IFSC: "SBIN0001234", Charge: 10_00})
	}
	serve("T1", network.Transfer, 100_00, send)
	serve("T2", network.Transfer, 100_93, send)
	serve("R1", network.Refund, 100_00, func(x Tx, q Request) error {
		s, _, err := x.FindTransfer("T1")
		if err != nil {
			return err
		}
		return x.Refund(q, s)
	})
	refusals(t, b, map[string]string{
		`INSERT INTO refunds (transfer_id, transaction_id) VALUES (1, 2)`: "UNIQUE",
		`INSERT INTO refunds (transfer_id, transaction_id) VALUES (2, 1)`: "only a transfer that succeeded",
		`DELETE FROM refunds`:                                             "never deleted",
		`UPDATE refunds SET transfer_id = 2`:                              "never changed",
		`DELETE FROM transfers`:                                           "never deleted",
		`UPDATE transfers SET account = ''`:                               "never changed",
		`UPDATE transactions SET data = '{}' WHERE reference = 'T2'`:      "only a LOST or DEFERRED",
		`UPDATE transactions SET charge_paise = 0 WHERE reference = 'T2'`: "only a LOST or DEFERRED",
		`UPDATE enrolments SET status = 'STARTED'`:                        "stays approved",
		`UPDATE enrolments SET aadhaar_hmac = NULL, status = 'APPROVED'`:  "stays approved",
		`UPDATE remitter_debits SET paise = -1`:                           "CHECK",
		`INSERT INTO entries (transaction_id, purpose, debit_account, credit_account, amount_paise, narration, at) VALUES (1, 'RETURN', 9, 11, 1, 'X', 1)`:    "takes back what its transfer moved",
		`INSERT INTO entries (transaction_id, purpose, debit_account, credit_account, amount_paise, narration, at) VALUES (1, 'REFUND', 9, 8, 10000, 'X', 1)`: "gives back what its transfer took",
		`INSERT INTO entries (transaction_id, purpose, debit_account, credit_account, amount_paise, narration, at) VALUES (1, 'TRANSFER', 8, 9, 1, 'X', 1)`:   "UNIQUE",
		`INSERT INTO entries (transaction_id, purpose, debit_account, credit_account, amount_paise, narration, at) VALUES (3, 'FEE', 8, 9, 99999999, 'X', 1)`: "float_not_overdrawn",
		`INSERT INTO entries (transaction_id, purpose, debit_account, credit_account, amount_paise, narration, at) VALUES (3, 'FEE', 11, 9, 99999, 'X', 1)`:   "no_more_than_owed",
		`INSERT INTO entries (transaction_id, purpose, debit_account, credit_account, amount_paise, narration, at) VALUES (NULL, 'REFILL', 1, 2, 1, 'X', 1)`:  "opening_alone",
		`INSERT INTO transactions (reference, kind, stan, mid, tid, iin, amount_paise, state, code, rrn, auth_code, arrived_at, settled_at)
			VALUES ('X', 'DMT', '000001', '', '', '', 0, 'APPROVED', '00', '000000000001', '', 1, 1)`: "known_kind",
		`INSERT INTO transactions (reference, kind, stan, mid, tid, iin, amount_paise, state, code, rrn, auth_code, arrived_at, settled_at, data)
			VALUES ('X', 'REFUND', '000001', '', '', '', 0, 'DECLINED', '55', '000000000001', '', 1, 1, '{}')`: "data_not_declined",
		`INSERT INTO transactions (reference, kind, stan, mid, tid, iin, amount_paise, state, code, rrn, auth_code, arrived_at, settled_at, refusal)
			VALUES ('X', 'REFUND', '000001', '', '', '', 0, 'APPROVED', '00', '000000000001', '', 1, 1, 'LIMIT')`: "refused_declined",
		`INSERT INTO transactions (reference, kind, stan, mid, tid, iin, amount_paise, state, code, rrn, auth_code, arrived_at, settled_at, data)
			VALUES ('X', 'REFUND', '000001', '', '', '', 0, 'APPROVED', '00', '000000000001', '', 1, 1, 'no JSON')`: "json_valid",
	})
	found, err := b.Entries(t.Context(), Filter{Reference: "T1"})
	if err != nil || len(found) != 1 || len(found[0].Postings) != 4 {
		t.Errorf("entries %+v, %v", found, err)
	}
	trial, err := b.Trial(t.Context())
	if err != nil || trial.Debits != trial.Credits || trial.Debits != trial.Entries {
		t.Errorf("trial %+v, %v", trial, err)
	}
}
