package store

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"galla/central"
)

// merchantColumns are the columns of a merchant, in the order of scanMerchant.
const merchantColumns = `id, mid, legal_name, vendor, status, has_info, aeps_ready, tid, mobile, created_at,
	app_id, risk_flag, active, vpa, mcc, settlement_last4, settlement_ifsc, settlement_bank, settlement_holder, callback_url, callback_events, address`

func scanMerchant(row row, m *central.Merchant) error {
	var account central.SettlementAccount
	var last4 *string
	var callback central.Callback
	var events string
	err := row.Scan(&m.ID, &m.MID, &m.LegalName, &m.Vendor, &m.Status,
		&m.HasInfo, &m.AEPSReady, &m.TID, &m.Mobile, &m.CreatedAt,
		&m.AppID, &m.RiskFlag, &m.Active, &m.VPA, &m.MCC,
		&last4, &account.IFSC, &account.BankName, &account.Holder,
		&callback.URL, &events, &m.Address)
	if err != nil {
		return err
	}
	if last4 != nil {
		account.AccountLast4 = *last4
		m.Settlement = &account
	}
	if callback.URL != "" {
		if err := json.Unmarshal([]byte(events), &callback.Events); err != nil {
			return fmt.Errorf("merchant %s: the events of its callback are not a JSON array of texts: %w", m.ID, err)
		}
		if len(callback.Events) == 0 {
			callback.Events = nil
		}
		m.Callback = &callback
	}
	return nil
}

// Merchant implements central.Directory; central.ErrNotFound if there is none.
func (s Accounts) Merchant(ctx context.Context, id central.MerchantID) (central.Merchant, error) {
	return oneRow(ctx, s.task("read merchant %s", id), scanMerchant, `SELECT `+merchantColumns+` FROM merchants WHERE id = $1`, id)
}

// MerchantsOf implements central.VendorAdmin, at most 1000 at a time.
func (s Accounts) MerchantsOf(ctx context.Context, vendor central.VendorID, offset, limit int) (list []central.Merchant, total int, err error) {
	list, err = query(ctx, s.task("list the merchants of vendor %s", vendor), func(c conn) ([]central.Merchant, error) {
		if err := c.one(`SELECT count(*) FROM merchants WHERE vendor = $1 AND status <> 'PENDING'`, []any{vendor}, &total); err != nil {
			return nil, err
		}
		return allRows(c, scanMerchant, `SELECT `+merchantColumns+` FROM merchants
			WHERE vendor = $1 AND status <> 'PENDING' ORDER BY created_at, id LIMIT $2 OFFSET $3`,
			vendor, clampLimit(limit), max(0, offset))
	})
	return list, total, err
}

// settlementAccountOf and callbackOf are the optional parts of a merchant as they are
// stored.
func settlementAccountOf(m central.Merchant) [4]any {
	if m.Settlement == nil {
		return [4]any{}
	}
	return [4]any{m.Settlement.AccountLast4, m.Settlement.IFSC, m.Settlement.BankName, m.Settlement.Holder}
}

func callbackOf(m central.Merchant) ([2]any, error) {
	if m.Callback == nil {
		return [2]any{}, nil
	}
	events, err := json.Marshal(m.Callback.Events)
	if err != nil {
		return [2]any{}, fmt.Errorf("write the events of its callback as JSON: %w", err)
	}
	return [2]any{m.Callback.URL, string(events)}, nil
}
