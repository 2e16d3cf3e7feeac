package api

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/shared/money"
	"galla/shared/op"
)

// Limits of a vendor's lists.
const (
	defaultPage = 1
	maxPage     = 1<<53 - 1 // every JSON reader holds it; its offset fits 64 bits
	defaultList = 10        // interface.md, section 8
	maxListed   = 100       // interface.md, section 8

	// maxEmbedded limits the merchants in vendor/me: each costs a query and about
	// 2 KB of the reply. GET /vendor/merchants pages through all of them.
	maxEmbedded = 50
	// newestShown is how many transactions each of them shows, and newestRead how
	// many operations are read for them: a merchant's other operations, such as
	// onboarding steps, are no transactions.
	newestShown = 10
	newestRead  = 50
)

// merchantData is interface.md, section 2.9.
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
	AccountNumber string `json:"accountNumber"` // all but the last four digits are hidden
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
		Status: m.Active, RiskFlag: m.RiskFlag, CreatedAt: isoTime(m.CreatedAt),
	}
	if s := m.Settlement; s != nil {
		data.Settlement = &settlementData{AccountNumber: "XXXXXX" + s.AccountLast4, IFSC: s.IFSC, BankName: s.BankName, Holder: s.Holder}
	}
	if c := m.Callback; c != nil {
		data.Callback = &callbackData{URL: c.URL, Events: append([]string{}, c.Events...)}
	}
	return data
}

// merchantsReply is the envelope of GET /vendor/merchants, the only one with
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

// listMerchants lists a vendor's merchants that are not pending. A page after the
// last one is empty.
func (h *Handler) listMerchants(c *activeRequest) action {
	page := c.fields.Count("page", maxPage, defaultPage)
	limit := c.fields.Limit("limit", maxListed, defaultList)
	vendor := c.Principal.Vendor
	return func(ctx context.Context) (central.Reply, error) {
		list, total, err := h.vendors.MerchantsOf(ctx, vendor, (page-1)*limit, limit)
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

// vendorData is the reply to GET /vendor/me (interface.md, section 4.6).
type vendorData struct {
	ID         central.VendorID     `json:"id"`
	LegalName  string               `json:"legal_name"`
	Status     bool                 `json:"status"` // active, as in a merchant's status
	Aggregator central.AggregatorID `json:"aggregatorId,omitzero"`
	Merchants  []embeddedMerchant   `json:"merchants"`
	// MerchantCount is how many there are; only the first maxEmbedded are listed.
	MerchantCount int `json:"merchantCount"`
}

type embeddedMerchant struct {
	merchantData
	Transactions []recentTransaction `json:"transactions"`
}

// recentTransaction is one of a merchant's newest transactions. Type is its kind,
// as in GET /limits.
type recentTransaction struct {
	ID        op.ID             `json:"id"`
	Type      central.Kind      `json:"type"`
	Amount    jsontext.Value    `json:"amount"` // rupees
	Status    string            `json:"status"`
	Reference central.Reference `json:"reference"`
	CreatedAt string            `json:"createdAt"`
}

// showVendor shows the vendor itself, with its merchants and their newest
// transactions.
func (h *Handler) showVendor(c *activeRequest) action {
	id := c.Principal.Vendor
	return func(ctx context.Context) (central.Reply, error) {
		v, err := h.ownVendor(ctx, c)
		if err != nil {
			return central.Reply{}, err
		}
		merchants, total, err := h.vendors.MerchantsOf(ctx, id, 0, maxEmbedded)
		if err != nil {
			return central.Reply{}, fmt.Errorf("list the merchants of vendor %s: %w", id, err)
		}
		data := vendorData{
			ID: v.ID, LegalName: v.LegalName, Status: v.Active, Aggregator: v.Aggregator,
			Merchants: []embeddedMerchant{}, MerchantCount: total,
		}
		for _, m := range merchants {
			recent, err := h.newestTransactions(ctx, m.ID)
			if err != nil {
				return central.Reply{}, err
			}
			data.Merchants = append(data.Merchants, embeddedMerchant{merchantOf(m), recent})
		}
		return successReply(200, "Vendor", data), nil
	}
}

// newestTransactions returns a merchant's newest transactions.
func (h *Handler) newestTransactions(ctx context.Context, m central.MerchantID) ([]recentTransaction, error) {
	operations, err := h.vendors.LatestOperations(ctx, m, newestRead)
	if err != nil {
		return nil, fmt.Errorf("list the newest operations of merchant %s: %w", m, err)
	}
	list := []recentTransaction{}
	for _, o := range operations {
		if (o.Kind.AEPS() || o.Kind.MovesMoney()) && len(list) < newestShown {
			status, _ := txnOutcome(o.State)
			list = append(list, recentTransaction{
				ID: o.ID, Type: o.Kind, Amount: rupees(o.Amount), Status: status,
				Reference: o.Reference, CreatedAt: isoTime(o.CreatedAt),
			})
		}
	}
	return list, nil
}

// rupees writes an amount as a JSON number.
func rupees(p money.Paise) jsontext.Value { return jsontext.Value(p.Number()) }
