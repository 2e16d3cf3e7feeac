package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/go-json-experiment/json"

	"galla/central"
)

// merchantColumns are all columns of a merchant, in the order in which
// scanMerchant takes them.
const merchantColumns = `id, mid, legal_name, vendor, status, has_info, aeps_ready, tid, mobile, created_at,
	app_id, risk_flag, active, vpa, mcc, settlement_last4, settlement_ifsc, settlement_bank, settlement_holder, callback_url, callback_events`

func scanMerchant(row row) (central.Merchant, error) {
	var m central.Merchant
	var account central.SettlementAccount
	var last4 sql.NullString
	var callback central.Callback
	var events string
	err := row.Scan(&m.ID, optional[string]{&m.MID}, &m.LegalName, optional[central.VendorID]{&m.Vendor}, &m.Status,
		truth{&m.HasInfo}, truth{&m.AEPSReady}, optional[string]{&m.TID}, &m.Mobile, moment{&m.CreatedAt},
		&m.AppID, &m.RiskFlag, truth{&m.Active}, &m.VPA, &m.MCC,
		&last4, optional[string]{&account.IFSC}, optional[string]{&account.BankName}, optional[string]{&account.Holder},
		optional[string]{&callback.URL}, optional[string]{&events})
	if err != nil {
		return central.Merchant{}, fmt.Errorf("read a merchant's row: %w", err)
	}
	if last4.Valid {
		account.AccountLast4 = last4.String
		m.Settlement = &account
	}
	if callback.URL != "" {
		if err := json.Unmarshal([]byte(events), &callback.Events); err != nil {
			return central.Merchant{}, fmt.Errorf("merchant %s: the events of its callback are no JSON array of texts: %w", m.ID, err)
		}
		if len(callback.Events) == 0 {
			callback.Events = nil
		}
		m.Callback = &callback
	}
	return m, nil
}

func (c conn) merchants(statement string, args ...any) (list []central.Merchant, err error) {
	err = c.each(statement, args, func(row row) error {
		m, err := scanMerchant(row)
		list = append(list, m)
		return err
	})
	return list, err
}

// Merchant implements central.Directory; central.ErrNotFound if there is none.
func (s *DB) Merchant(ctx context.Context, id central.MerchantID) (central.Merchant, error) {
	var list []central.Merchant
	err := s.read(ctx, func(c conn) error {
		var err error
		list, err = c.merchants(`SELECT `+merchantColumns+` FROM merchants WHERE id = $1`, string(id))
		return err
	})
	if err == nil && len(list) == 0 {
		err = central.ErrNotFound
	}
	if err != nil {
		return central.Merchant{}, fmt.Errorf("read merchant %s: %w", id, err)
	}
	return list[0], nil
}

// MerchantsOf implements central.Administration; at most 1000 at a time.
func (s *DB) MerchantsOf(ctx context.Context, vendor central.VendorID, offset, limit int) (list []central.Merchant, total int, err error) {
	err = s.read(ctx, func(c conn) error {
		if err := c.one(`SELECT count(*) FROM merchants WHERE vendor = $1 AND status <> 'PENDING'`, []any{string(vendor)}, &total); err != nil {
			return err
		}
		var err error
		list, err = c.merchants(`SELECT `+merchantColumns+` FROM merchants
			WHERE vendor = $1 AND status <> 'PENDING' ORDER BY created_at, id LIMIT $2 OFFSET $3`,
			string(vendor), bounded(limit), max(0, offset))
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list the merchants of vendor %s: %w", vendor, err)
	}
	return list, total, nil
}

// settlementOf and callbackOf are what is optional of a merchant, as it is
// stored.
func settlementOf(m central.Merchant) [4]any {
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
