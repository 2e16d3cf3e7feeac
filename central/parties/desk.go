package parties

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"galla/central"
	"galla/central/form"
)

// maxName bounds a company's name, in characters.
const maxName = 120

// Network is what of the bank network the desk asks.
type Network interface {
	Consult(ctx context.Context, req central.BankRequest) (central.BankAnswer, error)
}

// Desk keeps the roll. Its methods may be called from many goroutines.
type Desk struct {
	Store
	Programs
	network Network

	mu   sync.Mutex // held while a day is summed: two who ask wait for one look
	days map[central.Day]Day
}

// New makes the desk; ids and secrets are drawn from rand, and of secrets hash is
// kept.
func New(store Store, network Network, hash Hash, rand io.Reader) (*Desk, error) {
	if store == nil || network == nil || hash == nil || rand == nil {
		return nil, errors.New("the roll of parties needs a database, the bank network, the hash of programs' secrets and randomness")
	}
	return &Desk{Store: store, Programs: NewPrograms(store, hash, rand), network: network, days: map[central.Day]Day{}}, nil
}

// Fields are what was typed of a party, by the names of the fields below.
type Fields map[string]string

// Names of fields.
const (
	FieldName       = "legal_name"
	FieldMID        = "mid"
	FieldAppID      = "appid"
	FieldMobile     = "mobile"
	FieldVPA        = "vpa"
	FieldMCC        = "mcc"
	FieldVendor     = "vendor"
	FieldAggregator = "aggregator"
)

// reader reads fields under the rules that calls of the interface have.
func (f Fields) reader() *form.Reader {
	values := form.Values{}
	for name, text := range f {
		quoted, err := jsontext.AppendQuote(nil, text)
		if err != nil {
			quoted = []byte(`""`) // no UTF-8: as if it was not there
		}
		values[name] = quoted
	}
	return &form.Reader{Values: values}
}

// name reads a company's name. A long number in it is none of a name's: it may be
// a person's.
func name(in *form.Reader) string {
	s := in.Name(FieldName, form.Must, maxName)
	run := 0
	for _, r := range s {
		switch {
		case r == ' ' || r == '-': // as people write long numbers
			continue
		case !digit(r):
			run = 0
			continue
		}
		if run++; run == 10 {
			in.Fail(FieldName, "number", "must not contain a number of ten or more digits")
			return ""
		}
	}
	return s
}

func (d *Desk) id() (string, error) {
	id, err := uuid.NewRandomFromReader(d.rand)
	if err != nil {
		return "", fmt.Errorf("draw a party's id: %w", err)
	}
	return id.String(), nil
}

// AddMerchant enters a merchant as PENDING. *central.Error with the fields that
// are wrong; central.ErrTaken, central.ErrNotFound.
func (d *Desk) AddMerchant(ctx context.Context, f Fields) (central.Merchant, error) {
	in := f.reader()
	m := central.Merchant{
		LegalName: name(in), MID: in.Code(FieldMID, form.Must), AppID: in.ID(FieldAppID, form.May), Mobile: in.Mobile(FieldMobile, form.Must),
		Vendor: central.VendorID(in.UUID(FieldVendor, form.May)), Status: central.MerchantPending, HasInfo: true, CreatedAt: time.Now(),
	}
	m.VPA, m.MCC = vpa(in, f), mcc(in, f)
	if err := in.Err(); err != nil {
		return central.Merchant{}, err
	}
	id, err := d.id()
	if err != nil {
		return central.Merchant{}, err
	}
	m.ID = central.MerchantID(id)
	return d.Store.AddMerchant(ctx, m)
}

// mcc reads a merchant category code, or none.
func mcc(in *form.Reader, f Fields) string {
	code := f[FieldMCC]
	if code != "" && (len(code) != 4 || !form.Within(code, 4, digit)) {
		in.Fail(FieldMCC, "mcc", "must be the four digits of a merchant category code")
	}
	return code
}

// vpa reads a UPI address, or none.
func vpa(in *form.Reader, f Fields) string {
	address := f[FieldVPA]
	if !isVPA(address) {
		in.Fail(FieldVPA, "vpa", "must be a UPI address such as name@bank")
	}
	return address
}

func digit(r rune) bool { return r >= '0' && r <= '9' }

// isVPA tells whether a text is a UPI address, or none.
func isVPA(s string) bool {
	at := -1
	for i, r := range s {
		switch {
		case r == '@' && at < 0 && i > 0:
			at = i
		case digit(r), r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', at < 0 && (r == '.' || r == '-' || r == '_'):
		default:
			return false
		}
	}
	return s == "" || at > 0 && at < len(s)-1 && len(s) <= 100
}

// moves are the steps between statuses.
var moves = map[central.MerchantStatus][]central.MerchantStatus{
	central.MerchantPending:   {central.MerchantApproved, central.MerchantRejected},
	central.MerchantApproved:  {central.MerchantSuspended},
	central.MerchantSuspended: {central.MerchantApproved},
}

// Moves lists where a merchant may go from a status.
func Moves(from central.MerchantStatus) []central.MerchantStatus { return moves[from] }

// SetStatus moves a merchant to a status. central.ErrState: it can't go there
// from where it is; central.ErrNotFound.
func (d *Desk) SetStatus(ctx context.Context, id central.MerchantID, from, to central.MerchantStatus) error {
	for _, may := range Moves(from) {
		if may == to {
			return d.SetMerchantStatus(ctx, id, from, to)
		}
	}
	return fmt.Errorf("merchant %s from %s to %s: %w", id, from, to, central.ErrState)
}

// EnterVendor enters a vendor, who may call at once. Errors as of AddMerchant.
func (d *Desk) EnterVendor(ctx context.Context, f Fields) (central.Vendor, error) {
	in := f.reader()
	v := central.Vendor{LegalName: name(in), Aggregator: central.AggregatorID(in.UUID(FieldAggregator, form.May)), Active: true}
	if err := in.Err(); err != nil {
		return central.Vendor{}, err
	}
	id, err := d.id()
	if err != nil {
		return central.Vendor{}, err
	}
	v.ID = central.VendorID(id)
	return v, d.AddVendor(ctx, v)
}

// EnterAggregator enters an aggregator.
func (d *Desk) EnterAggregator(ctx context.Context, f Fields) (Aggregator, error) {
	in := f.reader()
	a := Aggregator{LegalName: name(in)}
	if err := in.Err(); err != nil {
		return Aggregator{}, err
	}
	id, err := d.id()
	if err != nil {
		return Aggregator{}, err
	}
	a.ID = central.AggregatorID(id)
	return a, d.AddAggregator(ctx, a)
}
