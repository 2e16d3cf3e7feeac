package sim

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"galla/central"
	"galla/central/store"
	"galla/edge"
	"galla/shared/op"
	"galla/shared/secret"
)

// snapshot is what every story starts from: a system that was set up without faults,
// shut down and kept as files. Migrating databases, enrolling counters and registering
// a customer takes longer than many stories.
type snapshot struct {
	dir     string
	keys    *keys
	shops   []shop
	payee   payee
	takenAt time.Time // the moment at which it was shut down
}

// payee is a remitter and a beneficiary.
type payee struct {
	Sender      string
	Beneficiary int64
	Account     string
	IFSC        string
}

const (
	payer         = "9000000001" // the customer's phone
	snapshotStory = 0            // a seed that no story has
)

// scratch is a folder for the files of stories: in memory if the system has a place for
// that. A story crashes programs and no machines, and syncs to a disk would take most
// of its time.
func scratch(t *testing.T) string {
	t.Helper()
	const shared = "/dev/shm"
	info, err := os.Stat(shared)
	if err != nil || !info.IsDir() {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp(shared, "galla-sim-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("remove the stories' files: %v", err)
		}
	})
	return dir
}

// newSnapshot makes the base in a bubble of its own.
func newSnapshot(t *testing.T, dir string) (b *snapshot) {
	synctest.Test(t, func(t *testing.T) {
		made, err := makeKeys(filepath.Join(dir, "keys"))
		if err != nil {
			t.Fatal(err)
		}
		b = &snapshot{dir: filepath.Join(dir, "base"), keys: made}
		if err := os.Mkdir(b.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := b.runSetup(); err != nil {
			t.Fatalf("set up the system that all stories start from: %v", err)
		}
	})
	return b
}

// runSetup makes the setup before the stories.
func (b *snapshot) runSetup() error {
	h := newSystem(snapshotStory, b, b.dir, slog.New(slog.DiscardHandler))
	h.addBank()
	if err := errors.Join(h.startBank(), b.enrol(h)); err != nil {
		return err
	}
	if err := h.addNode(0).start(); err != nil {
		return err
	}
	for i, s := range b.shops {
		if err := h.addCounter(i, s).start(); err != nil {
			return err
		}
	}
	time.Sleep(5 * time.Second) // the counters connect and the bank lists arrive
	if err := b.registerRemitter(h, h.counters[0]); err != nil {
		return err
	}
	if err := h.close(); err != nil {
		return err
	}
	if h.violations != nil {
		return fmt.Errorf("%v", h.violations)
	}
	b.takenAt = time.Now().Truncate(time.Minute).Add(time.Minute)
	return nil
}

// enrol seeds the database and binds two counters of one merchant and one of
// another.
func (b *snapshot) enrol(h *system) error {
	db, err := store.OpenSQLite(context.Background(), filepath.Join(h.dir, "central.db"), store.Config{Node: "setup", Logger: h.log})
	if err != nil {
		return err
	}
	lakshmi := central.Merchant{
		ID: "c0000000-0000-4000-8000-000000000001", MID: "GAL0000001", LegalName: "Lakshmi Kirana Store", Status: central.MerchantApproved,
		HasInfo: true, AEPSReady: true, TID: "GAL00001", Mobile: "9800000001", VPA: "gal0000001@galla",
	}
	charminar := lakshmi
	charminar.ID, charminar.MID, charminar.LegalName = "c0000000-0000-4000-8000-000000000003", "GAL0000003", "Charminar General"
	charminar.TID, charminar.Mobile, charminar.VPA = "GAL00003", "9800000003", "gal0000003@galla"
	if err := db.Seed(context.Background(), store.Seed{Merchants: []central.Merchant{lakshmi, charminar}}); err != nil {
		return err
	}
	for i, m := range []central.Merchant{lakshmi, charminar, lakshmi} {
		public, key, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			return err
		}
		raw := make([]byte, 32)
		if _, err := io.ReadFull(rand.Reader, raw); err != nil {
			return err
		}
		s := shop{title: fmt.Sprintf("shop-%d", i+1), merchant: m.ID, legal: m.LegalName, vpa: m.VPA, public: public, key: key, sealKey: secret.NewKey(raw)}
		if err := h.enrol(db, &s); err != nil {
			return err
		}
		b.shops = append(b.shops, s)
	}
	return db.Close()
}

// registerRemitter makes the customer a remitter with a beneficiary, at a counter.
func (b *snapshot) registerRemitter(h *system, c *counter) error {
	a := agent{system: h, counter: c}
	aadhaar, err := secret.ParseAadhaar(customer)
	if err != nil {
		return err
	}
	reference := ""
	steps := []struct {
		route  op.RouteID
		fields func() map[string]any
		otp    bool
		finger bool
		keep   func(edge.Record)
	}{
		{op.CustomerOnboarding, func() map[string]any {
			return map[string]any{"name": "Shivshankar Choudhury", "mobile_no": payer, "city": "Pune", "state": "Maharashtra"}
		}, false, false, func(r edge.Record) { reference = r.ReplyValue("referenceid") }},
		{op.CustomerRequestOTP, func() map[string]any { return map[string]any{"referenceid": reference} }, false, false, func(r edge.Record) {
			b.payee.Account = r.ReplyValue("otpreqid")
		}},
		{op.CustomerValidateOTP, func() map[string]any {
			return map[string]any{"referenceid": reference, "otpreqid": b.payee.Account}
		}, true, false, nil},
		{op.CustomerVerifyUID, func() map[string]any { return map[string]any{"referenceid": reference} }, false, true, nil},
		{op.CustomerUpdateBio, func() map[string]any { return map[string]any{"referenceid": reference} }, false, true, nil},
		{op.CustomerSubmit, func() map[string]any { return map[string]any{"referenceid": reference} }, false, false, nil},
		{op.RemitterRegister, func() map[string]any { return map[string]any{"sender_mobilenumber": payer} }, false, false, func(r edge.Record) {
			b.payee = payee{Sender: r.ReplyValue("senderid"), Account: "001234567811", IFSC: "HDFC0000123"}
		}},
		{op.BeneficiaryAdd, func() map[string]any { return b.payee.fields("receivername", "Ravi Kapoor") }, false, false, func(r edge.Record) {
			_, _ = fmt.Sscan(r.ReplyValue("beneficiaryid"), &b.payee.Beneficiary)
		}},
	}
	for _, s := range steps {
		q := edge.Request{Route: s.route, Customer: "Shivshankar Choudhury", Consent: "en-1", User: "Fatima", UserID: edge.AgentID}
		if q.Fields, err = json.Marshal(s.fields()); err != nil {
			return err
		}
		if s.finger {
			q.Aadhaar = aadhaar
		}
		if s.otp {
			q.OTP = a.otp(payer)
		}
		v, err := c.daemon().Start(q)
		if err == nil && v.State == op.Reserved {
			err = c.daemon().Capture(v.ID)
		}
		if err == nil {
			v, err = c.daemon().Await(context.Background(), v.ID)
		}
		if err != nil || v.Result.StatusCode != "00" {
			return fmt.Errorf("%s: %s %s (%s): %v, %s", s.route, v.State, v.Result.StatusCode, v.Result.Message, err, v.Reason)
		}
		if s.keep != nil {
			s.keep(v.Record)
		}
	}
	if b.payee.Sender == "" || b.payee.Beneficiary == 0 {
		return fmt.Errorf("the customer was not introduced: %+v", b.payee)
	}
	return nil
}

// fields are a request's, which identify sender and account.
func (p payee) fields(more ...any) map[string]any {
	out := map[string]any{"senderId": p.Sender, "receiver_account_no": p.Account, "receiverIfscCode": p.IFSC}
	for i := 0; i < len(more); i += 2 {
		out[more[i].(string)] = more[i+1]
	}
	return out
}

// copyTo gives a story its files.
func (b *snapshot) copyTo(dir string) error {
	return os.CopyFS(dir, os.DirFS(b.dir))
}
