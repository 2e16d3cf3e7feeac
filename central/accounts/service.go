package accounts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"galla/central"
	"galla/central/api/field"
	"galla/shared/ist"
)

// Bounds of fields, in characters.
const (
	maxName    = 120 // of a company's name
	maxAddress = 120 // what a receipt shows of an address
	maxVPA     = 100
)

// Network is the part of the bank network that Service asks.
type Network interface {
	Consult(ctx context.Context, req central.BankRequest) (central.BankAnswer, error)
}

// PartyEditor creates parties and changes them by the rules of their fields. It needs no
// bank network, so commands use it, too.
type PartyEditor struct {
	Parties
	PartyChanges
	ids io.Reader
}

// NewPartyEditor returns a PartyEditor. Ids are drawn from rand.
func NewPartyEditor(parties Parties, changes PartyChanges, rand io.Reader) PartyEditor {
	return PartyEditor{parties, changes, rand}
}

// Service manages parties. Its methods are safe for concurrent use.
type Service struct {
	Terminals
	PartyEditor
	FloatReadings
	Statistics
	HealthStore
	StoredDays
	ClientIssuer
	network Network
	parties partyDays

	mu   sync.Mutex // of days
	days map[ist.Day]*dayCache
}

// New returns a Service. Ids and secrets are drawn from rand; of secrets, the hash is
// stored.
func New(store Store, network Network, hash Hash, rand io.Reader) (*Service, error) {
	if !store.complete() || network == nil || hash == nil || rand == nil {
		return nil, errors.New("accounts: a store, the bank network, a hash of secrets and a source of randomness are needed")
	}
	return &Service{
		Terminals: store.Terminals, PartyEditor: NewPartyEditor(store.Parties, store.PartyChanges, rand), FloatReadings: store.FloatReadings,
		Statistics: store.Statistics, HealthStore: store.HealthStore, StoredDays: store.StoredDays, ClientIssuer: NewClientIssuer(store.Clients, hash, rand), network: network, days: map[ist.Day]*dayCache{},
	}, nil
}

// Fields are the typed values of a party's form, by field name.
type Fields map[string]string

// Names of fields.
const (
	FieldName       = "legal_name"
	FieldMID        = "mid"
	FieldAppID      = "appid"
	FieldMobile     = "mobile"
	FieldAddress    = "address"
	FieldVPA        = "vpa"
	FieldMCC        = "mcc"
	FieldVendor     = "vendor"
	FieldAggregator = "aggregator"
)

// reader reads fields by the rules of the interface's requests.
func (f Fields) reader() *field.Reader {
	values := make(field.Values, 0, len(f))
	for name, text := range f {
		quoted, err := jsontext.AppendQuote(nil, text)
		if err != nil {
			quoted = []byte(`""`) // not UTF-8: as if it were empty
		}
		values = append(values, field.Field{Name: []byte(name), Value: quoted})
	}
	return &field.Reader{Values: values}
}

// Forms of a party's fields.
var (
	vpaForm    = regexp.MustCompile(`^[A-Za-z0-9._-]+@[A-Za-z0-9]+$`)
	fourDigits = regexp.MustCompile(`^[0-9]{4}$`)
	tenDigits  = regexp.MustCompile(`[0-9](?:[ -]*[0-9]){9}`) // long numbers may be grouped
)

// companyName reads a company's name. A number of ten or more digits is refused: it may be
// a person's.
func companyName(in *field.Reader) string {
	name := in.Name(FieldName, field.Must, maxName)
	if tenDigits.MatchString(name) {
		in.Fail(FieldName, "number", "must not contain a number of ten or more digits")
		return ""
	}
	return name
}

func (e PartyEditor) newID() (string, error) {
	id, err := uuid.NewRandomFromReader(e.ids)
	if err != nil {
		return "", fmt.Errorf("draw a party's id: %w", err)
	}
	return id.String(), nil
}

// CreateMerchant adds a merchant as PENDING. *central.Error names wrong fields; other
// errors are those of Parties.AddMerchant.
func (e PartyEditor) CreateMerchant(ctx context.Context, f Fields) (central.Merchant, error) {
	in := f.reader()
	m := central.Merchant{
		LegalName: companyName(in), MID: in.Code(FieldMID, field.Must), AppID: in.ID(FieldAppID, field.May), Mobile: in.Mobile(FieldMobile, field.Must),
		Vendor: central.VendorID(in.UUID(FieldVendor, field.May)), Status: central.MerchantPending, HasInfo: true, CreatedAt: time.Now(),
	}
	m.VPA, m.MCC, m.Address = vpa(in, f), mcc(in, f), shopAddress(in)
	if err := in.Err(); err != nil {
		return central.Merchant{}, err
	}
	id, err := e.newID()
	if err != nil {
		return central.Merchant{}, err
	}
	m.ID = central.MerchantID(id)
	return e.Parties.AddMerchant(ctx, m)
}

// shopAddress reads the optional address of the shop. A number of ten or more digits is
// refused, as in the name: receipts show it.
func shopAddress(in *field.Reader) string {
	address := in.Name(FieldAddress, field.May, maxAddress)
	if tenDigits.MatchString(address) {
		in.Fail(FieldAddress, "number", "must not contain a number of ten or more digits")
		return ""
	}
	return address
}

// mcc reads an optional merchant category code.
func mcc(in *field.Reader, f Fields) string {
	code := f[FieldMCC]
	if code != "" && !fourDigits.MatchString(code) {
		in.Fail(FieldMCC, "mcc", "must be the four digits of a merchant category code")
	}
	return code
}

// vpa reads an optional UPI address.
func vpa(in *field.Reader, f Fields) string {
	address := f[FieldVPA]
	if address != "" && (len(address) > maxVPA || !vpaForm.MatchString(address)) {
		in.Fail(FieldVPA, "vpa", "must be a UPI address such as name@bank")
	}
	return address
}

// transitions are the allowed changes of status.
var transitions = map[central.MerchantStatus][]central.MerchantStatus{
	central.MerchantPending:   {central.MerchantApproved, central.MerchantRejected},
	central.MerchantApproved:  {central.MerchantSuspended},
	central.MerchantSuspended: {central.MerchantApproved},
}

// Transitions lists the statuses that may follow a status.
func Transitions(from central.MerchantStatus) []central.MerchantStatus { return transitions[from] }

// SetStatus changes a merchant's status. central.ErrState: the change is not allowed;
// central.ErrNotFound.
func (e PartyEditor) SetStatus(ctx context.Context, id central.MerchantID, from, to central.MerchantStatus) error {
	if slices.Contains(Transitions(from), to) {
		return e.SetMerchantStatus(ctx, id, from, to)
	}
	return fmt.Errorf("merchant %s from %s to %s: %w", id, from, to, central.ErrState)
}

// CreateVendor adds an active vendor. Errors are those of CreateMerchant.
func (e PartyEditor) CreateVendor(ctx context.Context, f Fields) (central.Vendor, error) {
	in := f.reader()
	v := central.Vendor{LegalName: companyName(in), Aggregator: central.AggregatorID(in.UUID(FieldAggregator, field.May)), Active: true}
	if err := in.Err(); err != nil {
		return central.Vendor{}, err
	}
	id, err := e.newID()
	if err != nil {
		return central.Vendor{}, err
	}
	v.ID = central.VendorID(id)
	return v, e.AddVendor(ctx, v)
}

// CreateAggregator adds an aggregator.
func (e PartyEditor) CreateAggregator(ctx context.Context, f Fields) (Aggregator, error) {
	in := f.reader()
	a := Aggregator{LegalName: companyName(in)}
	if err := in.Err(); err != nil {
		return Aggregator{}, err
	}
	id, err := e.newID()
	if err != nil {
		return Aggregator{}, err
	}
	a.ID = central.AggregatorID(id)
	return a, e.AddAggregator(ctx, a)
}
