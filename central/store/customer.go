package store

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"galla/central"
	"galla/central/accounts"
)

// NameCustomer implements accounts.Customers. A name moves to another customer, such as
// after a change of the mobile number; search still finds it by the former one.
func (s Customers) NameCustomer(ctx context.Context, name accounts.CustomerName, who accounts.CustomerKey, at time.Time) error {
	const task = "record a customer's name"
	known, err := s.task(task).exists(ctx, `SELECT 1 FROM customer_names WHERE name = $1 AND customer = $2`, name, who[:])
	if err != nil || known {
		return err
	}
	return s.task(task).change(ctx, func(c conn) error {
		_, err := c.exec(`INSERT INTO customer_former_names (customer, name) SELECT customer, name FROM customer_names WHERE name = $1`+c.dialect.forUpdate+`
			ON CONFLICT (customer, name) DO NOTHING`, name)
		if err != nil {
			return err
		}
		_, err = c.exec(`INSERT INTO customer_names (name, customer, at) VALUES ($1, $2, $3)
			ON CONFLICT (name) DO UPDATE SET customer = excluded.customer, at = excluded.at`, name, who[:], at)
		return err
	})
}

// AliasCustomer implements accounts.Customers.
func (s Customers) AliasCustomer(ctx context.Context, name, known accounts.CustomerName, at time.Time) error {
	return s.task("record another name of a customer").exec(ctx,
		`INSERT INTO customer_names (name, customer, at) SELECT $1, customer, $2 FROM customer_names WHERE name = $3
		ON CONFLICT (name) DO NOTHING`, name, at, known)
}

// ProveCustomer implements accounts.Customers.
func (s Customers) ProveCustomer(ctx context.Context, merchant central.MerchantID, name accounts.CustomerName, at time.Time) error {
	return s.task("record that merchant %s passed a step with a customer", merchant).change(ctx, func(c conn) error { return recordProof(c, merchant, name, at) })
}

func recordProof(c conn, merchant central.MerchantID, name accounts.CustomerName, at time.Time) error {
	_, err := c.exec(`INSERT INTO customer_proofs (merchant, name, at) VALUES ($1, $2, $3) ON CONFLICT (merchant, name) DO NOTHING`,
		merchant, name, at)
	return err
}

// recordTransferProof records the proof of a transfer whose OTP the bank accepted. Without a
// merchant or a remitter there is no proof.
func recordTransferProof(c conn, o central.Operation, at time.Time) error {
	if o.Merchant == "" || o.Sender == "" {
		return nil
	}
	return recordProof(c, o.Merchant, accounts.CustomerByRemitter(o.Sender), at)
}

// CustomerProven implements accounts.Customers.
func (s Customers) CustomerProven(ctx context.Context, merchant central.MerchantID, name accounts.CustomerName) (bool, error) {
	return s.task("read whether merchant %s passed a step with a customer", merchant).exists(ctx,
		`SELECT 1 FROM customer_proofs WHERE merchant = $1 AND name = $2
		UNION ALL SELECT 1 FROM customer_names k JOIN customer_names n ON n.customer = k.customer
		JOIN customer_proofs p ON p.merchant = $1 AND p.name = n.name WHERE k.name = $2`, merchant, name)
}

// isFreeLookup tells whether a lookup is not counted.
func isFreeLookup(c conn, merchant central.MerchantID, who accounts.CustomerKey, since time.Time) (bool, error) {
	return c.exists(`SELECT 1 FROM customer_lookups WHERE merchant = $1 AND customer = $2 AND at > $3
		UNION ALL SELECT 1 FROM customer_names n JOIN customer_proofs p ON p.merchant = $1 AND p.name = n.name WHERE n.customer = $2`,
		merchant, who[:], since)
}

// CountLookup implements accounts.Customers. Most lookups are free and need no write. The
// others of one merchant run one after the other on all nodes, by the lock of its row.
func (s Customers) CountLookup(ctx context.Context, merchant central.MerchantID, who accounts.CustomerKey, most int, at time.Time) error {
	free, err := query(ctx, s.task("read the lookups of merchant %s", merchant), func(c conn) (bool, error) {
		return isFreeLookup(c, merchant, who, at.Add(-accounts.LookupWindow))
	})
	if err != nil || free {
		return err
	}
	over, err := update(ctx, s.task("count a lookup of merchant %s", merchant),
		func(c conn) (*accounts.LookupError, error) { return countLookup(c, merchant, who, most, at) })
	if err == nil && over != nil {
		err = over
	}
	return err
}

func countLookup(c conn, merchant central.MerchantID, who accounts.CustomerKey, most int, at time.Time) (*accounts.LookupError, error) {
	since := at.Add(-accounts.LookupWindow)
	held := 0
	if err := c.one(`SELECT 1 FROM merchants WHERE id = $1`+c.dialect.forUpdate, []any{merchant}, &held); err != nil {
		return nil, err
	}
	if known, err := isFreeLookup(c, merchant, who, since); err != nil || known {
		return nil, err
	}
	if _, err := c.exec(`DELETE FROM customer_lookups WHERE merchant = $1 AND at <= $2`, merchant, since); err != nil {
		return nil, err
	}
	var count int
	var first time.Time
	if err := c.one(`SELECT count(*), min(at) FROM customer_lookups WHERE merchant = $1`, []any{merchant}, &count, &first); err != nil {
		return nil, err
	}
	if count >= most {
		_, err := c.exec(`INSERT INTO customer_lookups_refused (merchant, count, at) VALUES ($1, 1, $2)
			ON CONFLICT (merchant) DO UPDATE SET count = customer_lookups_refused.count + 1, at = excluded.at`, merchant, at)
		wait := time.Second
		if !first.IsZero() {
			wait = max(wait, first.Sub(since))
		}
		return &accounts.LookupError{Limit: most, Wait: wait}, err
	}
	_, err := c.exec(`INSERT INTO customer_lookups (merchant, customer, at) VALUES ($1, $2, $3)
		ON CONFLICT (merchant, customer) DO UPDATE SET at = excluded.at`, merchant, who[:], at)
	return nil, err
}

// LookupsOf counts the unknown customers that a merchant looked up in the last hour, and the
// lookups that were refused.
func (s Customers) LookupsOf(ctx context.Context, merchant central.MerchantID, at time.Time) (accounts.Lookups, error) {
	return query(ctx, s.task("read the lookups of merchant %s", merchant), func(c conn) (l accounts.Lookups, err error) {
		if err := c.one(`SELECT count(*) FROM customer_lookups WHERE merchant = $1 AND at > $2`, []any{merchant, at.Add(-accounts.LookupWindow)}, &l.LastHour); err != nil {
			return l, err
		}
		err = c.one(`SELECT count, at FROM customer_lookups_refused WHERE merchant = $1`, []any{merchant}, &l.Refused, &l.RefusedAt)
		return l, instead(err, central.ErrNotFound, nil)
	})
}

// LookupsLimited is the number of merchants with a refused lookup since a time.
func (s Customers) LookupsLimited(ctx context.Context, since time.Time) (int, error) {
	return query(ctx, s.task("count the merchants with a refused lookup"), func(c conn) (merchants int, err error) {
		err = c.one(`SELECT count(*) FROM customer_lookups_refused WHERE at > $1`, []any{since}, &merchants)
		return merchants, err
	})
}

// CorrespondentOwner implements accounts.Correspondents.
func (s Customers) CorrespondentOwner(ctx context.Context, kind accounts.CorrespondentKind, id string) (string, error) {
	return query(ctx, s.task("read who registered %s %s", kind, id), func(c conn) (party string, err error) {
		err = c.one(`SELECT party FROM correspondents WHERE kind = $1 AND id = $2`, []any{kind, id}, &party)
		return party, err
	})
}

// AssignCorrespondent records which party registered a business correspondent or an agent
// for which none is recorded. central.ErrState: one is recorded.
func (s Customers) AssignCorrespondent(ctx context.Context, kind accounts.CorrespondentKind, id, party string, at time.Time) error {
	return s.task("record that %s registered %s %s", party, kind, id).changeRow(ctx, central.ErrState,
		`INSERT INTO correspondents (kind, id, party, at) VALUES ($1, $2, $3, $4) ON CONFLICT (kind, id) DO NOTHING`,
		kind, id, party, at)
}

// ForgetCorrespondent deletes the record of who registered one, if a wrong party was
// recorded. Then nobody may use it. central.ErrNotFound: there is none.
func (s Customers) ForgetCorrespondent(ctx context.Context, kind accounts.CorrespondentKind, id string) error {
	return s.task("delete who registered %s %s", kind, id).changeRow(ctx, central.ErrNotFound,
		`DELETE FROM correspondents WHERE kind = $1 AND id = $2`, kind, id)
}

// recordCorrespondent records which party registered a business correspondent or an agent,
// by the id in the bank's answer. The first party keeps it.
func recordCorrespondent(c conn, o central.Operation, a central.BankAnswer, at time.Time) error {
	var answer struct {
		BC    string `json:"bcId"`
		Agent string `json:"agentId"`
	}
	if json.Unmarshal(a.Data, &answer) != nil {
		return nil // without an id there is nothing to record
	}
	kind, id := accounts.BusinessCorrespondent, answer.BC
	if o.Kind == central.KindBCAgentRegister {
		kind, id = accounts.CorrespondentAgent, answer.Agent
	}
	if id == "" {
		return nil
	}
	_, err := c.exec(`INSERT INTO correspondents (kind, id, party, at) VALUES ($1, $2, $3, $4) ON CONFLICT (kind, id) DO NOTHING`,
		kind, id, o.Party, at)
	return err
}
