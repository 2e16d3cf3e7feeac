package contract

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/shared/money"
	"galla/shared/op"
)

// Bounds of what vendors list.
const (
	defaultPage = 1
	maxPage     = 1<<53 - 1 // what every JSON reader holds; its offset fits 64 bits
	defaultList = 10        // section 8
	maxListed   = 100       // interface-decisions.md, 'Rules'

	// maxEmbedded bounds the merchants in vendor/me: each costs a query and
	// about 2 KB of the reply. GET /vendor/merchants pages through all of them.
	maxEmbedded = 50
	// newestShown are the transactions beside each of them, and newestRead the
	// operations that they are taken from: a merchant's other operations, such
	// as onboarding steps, are no transactions.
	newestShown = 10
	newestRead  = 50
)

func (d *Dispatcher) bindVendor() {
	d.bind(false, d.readMerchants, op.VendorMerchants)
	d.bind(false, d.readVendor, op.VendorMe)
	d.bind(false, d.readSlabs, op.SlabList)
	d.bind(false, d.readSlabCreate, op.SlabCreate)
	d.bind(false, d.readSlabChange, op.SlabChange)
	d.bind(false, d.readSlabDelete, op.SlabDelete)
	d.bind(false, d.readEarnings, op.Earnings)
	d.bind(false, d.readLimits, op.LimitsInForce)
}

// merchantData is section 2.9.
type merchantData struct {
	ID         central.MerchantID     `json:"id"`
	MID        string                 `json:"mid"`
	AppID      string                 `json:"appid"`
	LegalName  string                 `json:"legal_name"`
	MStatus    central.MerchantStatus `json:"mstatus"`
	Status     bool                   `json:"status"`
	RiskFlag   int                    `json:"riskflag"`
	CreatedAt  string                 `json:"createdAt"`
	Settlement *settlementData        `json:"settlementAccount,omitzero"`
	Callback   *callbackData          `json:"callback,omitzero"`
}

type settlementData struct {
	AccountNumber string `json:"accountNumber"` // all but the last four digits hidden
	IFSC          string `json:"ifsc"`
	BankName      string `json:"bankName"`
	Holder        string `json:"holder"`
}

type callbackData struct {
	URL    string   `json:"url"`
	Events []string `json:"events"`
}

func merchantOf(m central.Merchant) merchantData {
	data := merchantData{
		ID: m.ID, MID: m.MID, AppID: m.AppID, LegalName: m.LegalName, MStatus: m.Status,
		Status: m.Active, RiskFlag: m.RiskFlag, CreatedAt: stamp(m.CreatedAt),
	}
	if s := m.Settlement; s != nil {
		data.Settlement = &settlementData{AccountNumber: "XXXXXX" + s.AccountLast4, IFSC: s.IFSC, BankName: s.BankName, Holder: s.Holder}
	}
	if c := m.Callback; c != nil {
		data.Callback = &callbackData{URL: c.URL, Events: append([]string{}, c.Events...)}
	}
	return data
}

// merchantsReply is the envelope of GET /vendor/merchants, which alone has
// pagination.
type merchantsReply struct {
	StatusCode string         `json:"statusCode"`
	Message    string         `json:"message"`
	Data       []merchantData `json:"data"`
	Pagination paginationData `json:"pagination"`
}

type paginationData struct {
	Page       int `json:"page"`
	Limit      int `json:"limit"`
	Total      int `json:"total"`
	TotalPages int `json:"totalPages"`
}

// readMerchants lists a vendor's merchants that are not pending. A page behind
// the last one is empty.
func (d *Dispatcher) readMerchants(c *call) step {
	page := c.in.Count("page", maxPage, defaultPage)
	limit := c.in.Limit("limit", maxListed, defaultList)
	vendor := c.Principal.Vendor
	return func(ctx context.Context) (central.Reply, error) {
		list, total, err := d.vendors.MerchantsOf(ctx, vendor, (page-1)*limit, limit)
		if err != nil {
			return central.Reply{}, fmt.Errorf("list the merchants of vendor %s: %w", vendor, err)
		}
		out := merchantsReply{
			StatusCode: statusOK, Message: "Non-pending merchants", Data: []merchantData{},
			Pagination: paginationData{Page: page, Limit: limit, Total: total, TotalPages: (total + limit - 1) / limit},
		}
		for _, m := range list {
			out.Data = append(out.Data, merchantOf(m))
		}
		return central.Reply{HTTP: 200, Body: encode(out)}, nil
	}
}

// vendorData is the reply to GET /vendor/me (interface-decisions.md).
type vendorData struct {
	ID         central.VendorID     `json:"id"`
	LegalName  string               `json:"legal_name"`
	Status     bool                 `json:"status"` // as a merchant's: in service
	Aggregator central.AggregatorID `json:"aggregatorId,omitzero"`
	Merchants  []embeddedMerchant   `json:"merchants"`
	// MerchantCount tells how many there are, since only the first maxEmbedded
	// are shown.
	MerchantCount int `json:"merchantCount"`
}

type embeddedMerchant struct {
	merchantData
	Transactions []recentData `json:"transactions"`
}

// recentData is a transaction beside its merchant. Type is its kind, as GET
// /limits names kinds.
type recentData struct {
	ID        op.ID             `json:"id"`
	Type      central.Kind      `json:"type"`
	Amount    jsontext.Value    `json:"amount"` // rupees
	Status    string            `json:"status"`
	Reference central.Reference `json:"reference"`
	CreatedAt string            `json:"createdAt"`
}

// readVendor shows the vendor itself, with its merchants and their newest
// transactions.
func (d *Dispatcher) readVendor(c *call) step {
	id := c.Principal.Vendor
	return func(ctx context.Context) (central.Reply, error) {
		v, err := d.store.Vendor(ctx, id)
		if err != nil {
			return central.Reply{}, fmt.Errorf("read vendor %s: %w", id, err)
		}
		merchants, total, err := d.vendors.MerchantsOf(ctx, id, 0, maxEmbedded)
		if err != nil {
			return central.Reply{}, fmt.Errorf("list the merchants of vendor %s: %w", id, err)
		}
		data := vendorData{
			ID: v.ID, LegalName: v.LegalName, Status: v.Active, Aggregator: v.Aggregator,
			Merchants: []embeddedMerchant{}, MerchantCount: total,
		}
		for _, m := range merchants {
			recent, err := d.newest(ctx, m.ID)
			if err != nil {
				return central.Reply{}, err
			}
			data.Merchants = append(data.Merchants, embeddedMerchant{merchantOf(m), recent})
		}
		return done(200, "Vendor", data), nil
	}
}

// newest gives a merchant's newest transactions.
func (d *Dispatcher) newest(ctx context.Context, m central.MerchantID) ([]recentData, error) {
	operations, err := d.vendors.Newest(ctx, m, newestRead)
	if err != nil {
		return nil, fmt.Errorf("list the newest operations of merchant %s: %w", m, err)
	}
	list := []recentData{}
	for _, o := range operations {
		if (o.Kind.AEPS() || o.Kind.MovesMoney()) && len(list) < newestShown {
			list = append(list, recentData{
				ID: o.ID, Type: o.Kind, Amount: rupees(o.Amount), Status: outcomeWord(o.State),
				Reference: o.Reference, CreatedAt: stamp(o.CreatedAt),
			})
		}
	}
	return list, nil
}

// rupees writes an amount as a JSON number.
func rupees(p money.Paise) jsontext.Value { return jsontext.Value(p.Number()) }

// outcomeWord is an operation's state in the words of txnStatus. What was
// refused was never sent, and so has failed.
func outcomeWord(s op.State) string {
	switch s {
	case op.Succeeded:
		return "SUCCESS"
	case op.Reversed:
		return "REVERSED"
	case op.Failed, op.Refused:
		return "FAILED"
	default:
		return "PENDING"
	}
}
