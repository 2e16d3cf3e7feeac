package transparency

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"galla/central"
	"galla/central/reconcile"
	"galla/central/staff"
	"galla/shared/money"
	"galla/shared/op"
)

// Source says of which table an entry is.
type Source string

// The sources.
const (
	// Operation is a money operation that is final: the row, its whole history, its earning
	// and its entries of the ledger. The key is its id.
	Operation Source = "operation"
	// Open is a money operation that is not final yet: what never changes of its row, and as
	// many steps of its history as Part says. The key is its id.
	Open Source = "open"
	// Audit is an entry of the audit log. The key is its id.
	Audit Source = "audit"
	// Case is a step of a reconciliation case. The key is the case's name, and Part the step.
	Case Source = "case"
)

// Sources lists all sources.
func Sources() []Source { return []Source{Operation, Open, Audit, Case} }

// Entry names what a leaf is of.
type Entry struct {
	Source Source
	Key    string
	Part   int // of Open and Case
}

func (e Entry) String() string {
	if e.Part > 0 {
		return fmt.Sprintf("%s %s, step %d", e.Source, e.Key, e.Part)
	}
	return string(e.Source) + " " + e.Key
}

// Record is the content of an entry, as the tables have it now.
type Record struct {
	Entry
	At time.Time // when it happened; records are sealed in about this order
	// Text is the content, one line for each value, without what retention erases.
	Text string
	// Erasable is the digest of what retention erases; Erased says that it did.
	Erasable [sha256.Size]byte
	Erased   bool
}

// leaf is what the tree has of a record.
func (r Record) leaf() []byte {
	return []byte("galla-log/v1 " + r.Entry.String() + "\n" + r.Text + "erasable " + hex.EncodeToString(r.Erasable[:]) + "\n")
}

// lines writes names and values, one line each. %q keeps a value in its line.
type lines struct{ strings.Builder }

func (l *lines) add(name string, value any) {
	switch v := value.(type) {
	case time.Time:
		if v.IsZero() {
			value = ""
		} else {
			value = v.UnixMilli()
		}
	case money.Paise:
		value = int64(v)
	}
	fmt.Fprintf(l, "%s %q\n", name, fmt.Sprint(value))
}

// LedgerEntry is an entry of the commission ledger.
type LedgerEntry struct {
	Operation op.ID // whose earning it is
	central.Posting
	Reversal bool
	At       time.Time
}

// Earning is what an operation earned.
type Earning struct {
	central.Earning
	Day string
	At  time.Time
}

// OperationParts are the rows of an operation.
type OperationParts struct {
	central.Operation
	Steps    []central.Step
	Earning  *Earning      // nil: none
	Ledger   []LedgerEntry // that the operation wrote, in a fixed order
	Archived bool
}

// OperationRecord is the record of a final operation.
func OperationRecord(p OperationParts) Record {
	r := Record{Entry: Entry{Source: Operation, Key: string(p.ID)}, At: p.FinishedAt, Erased: p.Archived}
	var l lines
	addFacts(&l, p.Operation)
	o := p.Operation
	for _, x := range []struct {
		name  string
		value any
	}{
		{"state", o.State}, {"finished", o.FinishedAt}, {"sent", o.SentAt}, {"pending", o.PendingReference}, {"code", o.Code}, {"rrn", o.RRN},
		{"charge", o.Charge}, {"http", o.HTTP},
	} {
		l.add(x.name, x.value)
	}
	addSteps(&l, p.Steps)
	if e := p.Earning; e != nil {
		l.add("earning", fmt.Sprintf("%s %s %s %s %s %s %s %d %d %d %d %d %d %s %d", e.Vendor, e.Aggregator, e.Merchant, e.PaymentMethod, e.Provider, e.TxnType, e.Slab,
			e.Amount, e.Charge, e.GST, e.ProviderCost, e.Commission, e.TDS, e.Day, e.At.UnixMilli()))
	}
	for _, x := range p.Ledger {
		l.add("ledger", fmt.Sprintf("%s %s %v %s %s %d %d", x.Operation, x.Purpose, x.Reversal, x.Debit, x.Credit, x.Amount, x.At.UnixMilli()))
	}
	r.Text, r.Erasable = l.String(), erasable(p.Reply, p.Steps)
	return r
}

// OpenRecord is the record of an operation that was not final after a number of steps.
func OpenRecord(p OperationParts, steps int) Record {
	r := Record{Entry: Entry{Source: Open, Key: string(p.ID), Part: steps}, At: p.CreatedAt, Erased: p.Archived}
	known := p.Steps[:min(steps, len(p.Steps))]
	var l lines
	addFacts(&l, p.Operation)
	addSteps(&l, known)
	r.Text, r.Erasable = l.String(), erasable(nil, known)
	return r
}

// addFacts adds what never changes of an operation.
func addFacts(l *lines, o central.Operation) {
	kyc := ""
	if o.KYC != nil {
		kyc = string(o.KYC.Service) + " " + string(o.KYC.To)
	}
	for _, x := range []struct {
		name  string
		value any
	}{
		{"id", o.ID}, {"caller", o.Caller}, {"identity", o.Identity}, {"route", o.Route}, {"fingerprint", hex.EncodeToString(o.Fingerprint[:])},
		{"merchant", o.Merchant}, {"terminal", o.Terminal}, {"tid", o.TID}, {"kind", o.Kind}, {"amount", o.Amount}, {"aadhaar", o.Aadhaar}, {"iin", o.IIN},
		{"reference", o.Reference}, {"stan", o.STAN}, {"party", o.Party}, {"callerRef", o.CallerRef}, {"attempt", o.Attempt}, {"original", o.Original},
		{"sender", o.Sender}, {"kyc", kyc}, {"reverses", o.Reverses}, {"notAfter", o.NotAfter}, {"created", o.CreatedAt},
	} {
		l.add(x.name, x.value)
	}
}

func addSteps(l *lines, steps []central.Step) {
	for i, s := range steps {
		l.add("step", fmt.Sprintf("%d %d %s %s %s", i+1, s.At.UnixMilli(), s.Node, s.From, s.To))
	}
}

// erasable is the digest of what retention erases.
func erasable(reply []byte, steps []central.Step) (sum [sha256.Size]byte) {
	h := sha256.New()
	part := func(b []byte) {
		one := sha256.Sum256(b)
		_, _ = h.Write(one[:]) // a hash does not fail
	}
	part(reply)
	for _, s := range steps {
		part([]byte(s.Reason))
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// AuditRecord is the record of an entry of the audit log.
func AuditRecord(e staff.AuditEntry) Record {
	var l lines
	for _, x := range []struct {
		name  string
		value any
	}{
		{"at", e.At}, {"node", e.Node}, {"person", e.Person}, {"role", e.Role}, {"from", e.From}, {"action", e.Action}, {"subject", e.Subject},
		{"outcome", e.Outcome}, {"was", e.Was}, {"became", e.Became}, {"note", e.Note},
	} {
		l.add(x.name, x.value)
	}
	return Record{Entry: Entry{Source: Audit, Key: e.ID}, At: e.At, Text: l.String()}
}

// CaseRecord is the record of a step of a reconciliation case.
func CaseRecord(id reconcile.CaseID, number int, s reconcile.Step) Record {
	var l lines
	for _, x := range []struct {
		name  string
		value any
	}{
		{"at", s.At}, {"by", s.By}, {"account", s.Account}, {"node", s.Node}, {"action", s.Action}, {"verdict", s.Verdict}, {"charge", s.Charge},
		{"reason", s.Reason}, {"document", s.Document.Name}, {"sha256", s.Document.SHA256},
	} {
		l.add(x.name, x.value)
	}
	return Record{Entry: Entry{Source: Case, Key: id.String(), Part: number}, At: s.At, Text: l.String()}
}
