package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"galla/central"
	"galla/central/customer"
)

var (
	_ customer.Customers      = (*DB)(nil)
	_ customer.Correspondents = (*DB)(nil)
)

// NameCustomer implements customer.Customers. A name that is of another customer by
// now, as after a change of the mobile number, is the new one's.
func (s *DB) NameCustomer(ctx context.Context, name customer.Name, who customer.Key, at time.Time) error {
	known := false
	err := s.read(ctx, func(c conn) (err error) {
		known, err = c.exists(`SELECT 1 FROM customer_names WHERE name = $1 AND customer = $2`, string(name), who[:])
		return err
	})
	if err == nil && !known {
		err = s.write(ctx, func(c conn) error {
			_, err := c.exec(`INSERT INTO customer_names (name, customer, at) VALUES ($1, $2, $3)
				ON CONFLICT (name) DO UPDATE SET customer = excluded.customer, at = excluded.at`, string(name), who[:], ms(at))
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("note a customer's name: %w", err)
	}
	return nil
}

// AliasCustomer implements customer.Customers.
func (s *DB) AliasCustomer(ctx context.Context, name, known customer.Name, at time.Time) error {
	err := s.write(ctx, func(c conn) error {
		_, err := c.exec(`INSERT INTO customer_names (name, customer, at) SELECT $1, customer, $2 FROM customer_names WHERE name = $3
			ON CONFLICT (name) DO NOTHING`, string(name), ms(at), string(known))
		return err
	})
	if err != nil {
		return fmt.Errorf("note another name of a customer: %w", err)
	}
	return nil
}

// ProveCustomer implements customer.Customers.
func (s *DB) ProveCustomer(ctx context.Context, merchant central.MerchantID, name customer.Name, at time.Time) error {
	err := s.write(ctx, func(c conn) error { return prove(c, merchant, name, at) })
	if err != nil {
		return fmt.Errorf("note that merchant %s passed a step with a customer: %w", merchant, err)
	}
	return nil
}

func prove(c conn, merchant central.MerchantID, name customer.Name, at time.Time) error {
	_, err := c.exec(`INSERT INTO customer_proofs (merchant, name, at) VALUES ($1, $2, $3) ON CONFLICT (merchant, name) DO NOTHING`,
		string(merchant), string(name), ms(at))
	return err
}

// proveTransfer is prove of a transfer whose OTP the bank took. One without a merchant
// or a remitter proves nothing, and is settled all the same.
func proveTransfer(c conn, o central.Operation, at time.Time) error {
	if o.Merchant == "" || o.Sender == "" {
		return nil
	}
	return prove(c, o.Merchant, customer.SenderName(o.Sender), at)
}

// CustomerProven implements customer.Customers.
func (s *DB) CustomerProven(ctx context.Context, merchant central.MerchantID, name customer.Name) (proven bool, err error) {
	err = s.read(ctx, func(c conn) (err error) {
		proven, err = c.exists(`SELECT 1 FROM customer_proofs WHERE merchant = $1 AND name = $2
			UNION ALL SELECT 1 FROM customer_names k JOIN customer_names n ON n.customer = k.customer
			JOIN customer_proofs p ON p.merchant = $1 AND p.name = n.name WHERE k.name = $2`, string(merchant), string(name))
		return err
	})
	if err != nil {
		return false, fmt.Errorf("look whether merchant %s passed a step with a customer: %w", merchant, err)
	}
	return proven, nil
}

// free tells whether a lookup counts nothing.
func free(c conn, merchant central.MerchantID, who customer.Key, since time.Time) (bool, error) {
	return c.exists(`SELECT 1 FROM customer_lookups WHERE merchant = $1 AND customer = $2 AND at > $3
		UNION ALL SELECT 1 FROM customer_names n JOIN customer_proofs p ON p.merchant = $1 AND p.name = n.name WHERE n.customer = $2`,
		string(merchant), who[:], ms(since))
}

// CountLookup implements customer.Customers. Most lookups count nothing: those leave
// the writer alone. The others of one merchant come one after the other, on all
// nodes, by its row.
func (s *DB) CountLookup(ctx context.Context, merchant central.MerchantID, who customer.Key, most int, at time.Time) error {
	since := at.Add(-customer.LookupSpan)
	known := false
	err := s.read(ctx, func(c conn) (err error) {
		known, err = free(c, merchant, who, since)
		return err
	})
	if err != nil {
		return fmt.Errorf("look at the lookups of merchant %s: %w", merchant, err)
	}
	if known {
		return nil
	}
	var over *customer.LookupError
	err = s.write(ctx, func(c conn) (err error) {
		over, err = countLookup(c, merchant, who, most, at)
		return err
	})
	if err != nil {
		return fmt.Errorf("count a lookup of merchant %s: %w", merchant, err)
	}
	if over != nil {
		return over
	}
	return nil
}

func countLookup(c conn, merchant central.MerchantID, who customer.Key, most int, at time.Time) (*customer.LookupError, error) {
	since := at.Add(-customer.LookupSpan)
	held := 0
	if err := c.one(`SELECT 1 FROM merchants WHERE id = $1`+c.dialect.hold, []any{string(merchant)}, &held); err != nil {
		return nil, err
	}
	if known, err := free(c, merchant, who, since); err != nil || known {
		return nil, err
	}
	if _, err := c.exec(`DELETE FROM customer_lookups WHERE merchant = $1 AND at <= $2`, string(merchant), ms(since)); err != nil {
		return nil, err
	}
	var count int
	var first time.Time
	if err := c.one(`SELECT count(*), min(at) FROM customer_lookups WHERE merchant = $1`, []any{string(merchant)}, &count, moment{&first}); err != nil {
		return nil, err
	}
	if count >= most {
		_, err := c.exec(`INSERT INTO lookups_refused (merchant, count, at) VALUES ($1, 1, $2)
			ON CONFLICT (merchant) DO UPDATE SET count = lookups_refused.count + 1, at = excluded.at`, string(merchant), ms(at))
		wait := time.Second
		if !first.IsZero() {
			wait = max(wait, first.Sub(since))
		}
		return &customer.LookupError{Most: most, Wait: wait}, err
	}
	_, err := c.exec(`INSERT INTO customer_lookups (merchant, customer, at) VALUES ($1, $2, $3)
		ON CONFLICT (merchant, customer) DO UPDATE SET at = excluded.at`, string(merchant), who[:], ms(at))
	return nil, err
}

// LookupsOf tells how many strangers a merchant has looked up within the hour, and
// how often it was refused, for people.
func (s *DB) LookupsOf(ctx context.Context, merchant central.MerchantID, at time.Time) (l customer.Lookups, err error) {
	err = s.read(ctx, func(c conn) error {
		if err := c.one(`SELECT count(*) FROM customer_lookups WHERE merchant = $1 AND at > $2`, []any{string(merchant), ms(at.Add(-customer.LookupSpan))}, &l.LastHour); err != nil {
			return err
		}
		err := c.one(`SELECT count, at FROM lookups_refused WHERE merchant = $1`, []any{string(merchant)}, &l.Refused, moment{&l.RefusedAt})
		if errors.Is(err, central.ErrNotFound) {
			err = nil
		}
		return err
	})
	if err != nil {
		return customer.Lookups{}, fmt.Errorf("read the lookups of merchant %s: %w", merchant, err)
	}
	return l, nil
}

// LookupsLimited is how many merchants were refused a lookup since a moment.
func (s *DB) LookupsLimited(ctx context.Context, since time.Time) (merchants int, err error) {
	err = s.read(ctx, func(c conn) error {
		return c.one(`SELECT count(*) FROM lookups_refused WHERE at > $1`, []any{ms(since)}, &merchants)
	})
	if err != nil {
		return 0, fmt.Errorf("count the merchants that were refused a lookup: %w", err)
	}
	return merchants, nil
}

// CorrespondentOwner implements customer.Correspondents.
func (s *DB) CorrespondentOwner(ctx context.Context, kind customer.Correspondent, id string) (party string, err error) {
	err = s.read(ctx, func(c conn) error {
		return c.one(`SELECT party FROM correspondents WHERE kind = $1 AND id = $2`, []any{string(kind), id}, &party)
	})
	if err != nil {
		return "", fmt.Errorf("look who registered %s %s: %w", kind, id, err)
	}
	return party, nil
}

// AssignCorrespondent records who registered a business correspondent or an agent of
// which nobody knows it: a registration from before it was recorded, whose reply is no
// longer kept. central.ErrState: somebody is known.
func (s *DB) AssignCorrespondent(ctx context.Context, kind customer.Correspondent, id, party string, at time.Time) error {
	err := s.write(ctx, func(c conn) error {
		added, err := c.exec(`INSERT INTO correspondents (kind, id, party, at) VALUES ($1, $2, $3, $4) ON CONFLICT (kind, id) DO NOTHING`,
			string(kind), id, party, ms(at))
		if err == nil && added == 0 {
			err = central.ErrState
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("record that %s registered %s %s: %w", party, kind, id, err)
	}
	return nil
}

// ForgetCorrespondent forgets who registered one, where a wrong one was recorded by
// hand: nobody may use it then. central.ErrNotFound.
func (s *DB) ForgetCorrespondent(ctx context.Context, kind customer.Correspondent, id string) error {
	err := s.write(ctx, func(c conn) error {
		gone, err := c.exec(`DELETE FROM correspondents WHERE kind = $1 AND id = $2`, string(kind), id)
		if err == nil && gone == 0 {
			err = central.ErrNotFound
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("forget who registered %s %s: %w", kind, id, err)
	}
	return nil
}

// registered records who registered a business correspondent or an agent, by the id
// that the bank's answer names. Whoever registered it first keeps it.
func registered(c conn, o central.Operation, a central.BankAnswer, at time.Time) error {
	var said struct {
		BC    string `json:"bcId"`
		Agent string `json:"agentId"`
	}
	if json.Unmarshal(a.Data, &said) != nil {
		return nil // an answer without an id names nothing that could be owned
	}
	kind, id := customer.BusinessCorrespondent, said.BC
	if o.Kind == central.KindBCAgentRegister {
		kind, id = customer.Agent, said.Agent
	}
	if id == "" {
		return nil
	}
	_, err := c.exec(`INSERT INTO correspondents (kind, id, party, at) VALUES ($1, $2, $3, $4) ON CONFLICT (kind, id) DO NOTHING`,
		string(kind), id, o.Party, ms(at))
	return err
}
