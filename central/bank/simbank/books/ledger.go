package books

import (
	"fmt"
	"time"

	"galla/central/bank/network"
	"galla/shared/ist"
	"galla/shared/money"
)

// Codes of the accounts that are no customers'.
const (
	accountFunds    = "funds"                // what the bank holds against its customers' opening balances
	accountAcquirer = "settlement.acquirer"  // owed to the acquirer for cash that agents paid out
	accountMerchant = "settlement.merchant." // and the MID: owed to a merchant for purchases
)

// Purposes of entries.
const (
	purposeOpening  = "OPENING"
	purposeDebit    = "DEBIT"
	purposeReversal = "REVERSAL"
)

// openAccounts writes the row of new books, the bank's own accounts, and the
// customers that are missing, with their opening balances.
func (b *Books) openAccounts(k ledger, made bool) error {
	now := time.Now()
	if !made {
		err := k.exec("write the books' cover", `INSERT INTO books (id, key_check, opened_at) VALUES (1, ?, ?)`, b.keyCheck(), now.UnixMilli())
		if err != nil {
			return err
		}
	}
	funds, err := k.account(accountFunds, "Funds held for customers", "FUNDS")
	if err != nil {
		return err
	}
	if _, err := k.account(accountAcquirer, "Settlement with the acquirer", "SETTLEMENT"); err != nil {
		return err
	}
	for _, c := range b.cfg.Customers {
		if err := b.openCustomer(k, c, funds, now); err != nil {
			return fmt.Errorf("customer %s: %w", c.Aadhaar.Masked(), err)
		}
	}
	return nil
}

func (b *Books) openCustomer(k ledger, c Customer, funds int64, now time.Time) error {
	_, known, err := k.customer(b.aadhaarHMAC(c.Aadhaar))
	if err != nil || known {
		return err
	}
	var n int64
	if _, err := k.row("count customers", `SELECT count(*) FROM customers`, nil, &n); err != nil {
		return err
	}
	account, err := k.account(fmt.Sprintf("customer.%d", n+1), c.Name, "CUSTOMER")
	if err != nil {
		return err
	}
	masked := c.Aadhaar.Masked()
	err = k.exec("insert customer", `INSERT INTO customers (account_id, aadhaar_hmac, aadhaar_last4, name, bank, iin, mobile)
		VALUES (?, ?, ?, ?, ?, ?, ?)`, account, b.aadhaarHMAC(c.Aadhaar), masked[len(masked)-4:], c.Name, c.Bank, c.IIN, c.Mobile)
	if err != nil || c.Opening == 0 {
		return err
	}
	return k.post(entry{purpose: purposeOpening, debit: funds, credit: account, amount: c.Opening, narration: "OPENING BALANCE", at: now})
}

// account gives the id of an account, which it opens where it is missing.
func (k ledger) account(code, title, kind string) (int64, error) {
	err := k.exec("open account "+code, `INSERT INTO accounts (code, title, kind) VALUES (?, ?, ?) ON CONFLICT (code) DO NOTHING`, code, title, kind)
	if err != nil {
		return 0, err
	}
	var id int64
	_, err = k.row("find account "+code, `SELECT id FROM accounts WHERE code = ?`, []any{code}, &id)
	return id, err
}

// customer is a row of customers with its account's balance.
type customer struct {
	id, account int64
	last4       string
	bank        string
	iin         string
	mobile      string
	balance     money.Paise
}

const selectCustomer = `SELECT c.id, c.account_id, c.aadhaar_last4, c.bank, c.iin, c.mobile, a.credits_paise - a.debits_paise
	FROM customers c JOIN accounts a ON a.id = c.account_id WHERE `

func (k ledger) customer(aadhaar []byte) (customer, bool, error) {
	var c customer
	ok, err := k.row("find customer", selectCustomer+`c.aadhaar_hmac = ?`, []any{aadhaar},
		&c.id, &c.account, &c.last4, &c.bank, &c.iin, &c.mobile, &c.balance)
	return c, ok, err
}

func (k ledger) customerByID(id int64) (customer, error) {
	var c customer
	_, err := k.row("find customer", selectCustomer+`c.id = ?`, []any{id},
		&c.id, &c.account, &c.last4, &c.bank, &c.iin, &c.mobile, &c.balance)
	return c, err
}

// entry is one movement from an account to another.
type entry struct {
	transaction   int64 // 0: none
	payment       int64 // 0: none
	purpose       string
	debit, credit int64
	amount        money.Paise
	narration     string // at most 17 characters, as a mini statement shows it
	at            time.Time
}

func (k ledger) post(e entry) error {
	return k.exec("post "+e.purpose, `INSERT INTO entries (transaction_id, payment_id, purpose, debit_account, credit_account, amount_paise, narration, at)
		VALUES (nullif(?, 0), nullif(?, 0), ?, ?, ?, ?, ?, ?)`, e.transaction, e.payment, e.purpose, e.debit, e.credit, e.amount, e.narration, e.at.UnixMilli())
}

// debited is what a customer was debited on a day, reversals taken off.
func (k ledger) debited(customer int64, day string) (money.Paise, error) {
	var sum money.Paise
	_, err := k.row("read the day's debits", `SELECT paise FROM daily_debits WHERE customer_id = ? AND day = ?`, []any{customer, day}, &sum)
	return sum, err
}

func (k ledger) addDebited(customer int64, day string, amount money.Paise) error {
	if amount < 0 { // an INSERT's row is checked before its conflict is seen
		return k.exec("count the day's debits", `UPDATE daily_debits SET paise = paise + ? WHERE customer_id = ? AND day = ?`, amount, customer, day)
	}
	return k.exec("count the day's debits", `INSERT INTO daily_debits (customer_id, day, paise) VALUES (?, ?, ?)
		ON CONFLICT (customer_id, day) DO UPDATE SET paise = paise + excluded.paise`, customer, day, amount)
}

// payDebit takes the amount of a debit from the customer's account, counts it
// against the day, and tells the customer. It gives the balance after it.
func (k ledger) payDebit(r record, c customer, now time.Time) error {
	payee, narration, what, err := k.payee(r)
	if err != nil {
		return err
	}
	err = k.post(entry{transaction: r.id, purpose: purposeDebit, debit: c.account, credit: payee, amount: r.amount, narration: narration, at: now})
	if err != nil {
		return err
	}
	if err := k.addDebited(c.id, day(now), r.amount); err != nil {
		return err
	}
	return k.addMessage(c.mobile, now, fmt.Sprintf("Rs %s debited from your %s account on %s by %s. RRN %s. Balance Rs %s. Not you? Call your bank.",
		r.amount, c.bank, now.In(ist.Zone()).Format("02-01-2006 15:04"), what, r.rrn, c.balance-r.amount))
}

// reverseDebit reverses the debit of a transaction.
func (k ledger) reverseDebit(r record, now time.Time) error {
	var e entry
	ok, err := k.row("find the debit", `SELECT debit_account, credit_account, amount_paise FROM entries WHERE transaction_id = ? AND purpose = ?`,
		[]any{r.id, purposeDebit}, &e.credit, &e.debit, &e.amount)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("reverse %s: it has no debit", r.reference)
	}
	e.transaction, e.purpose, e.narration, e.at = r.id, purposeReversal, "AEPS WDL REVERSAL", now
	if r.kind == network.Purchase {
		e.narration = "AADHAAR PAY REV"
	}
	if err := k.post(e); err != nil {
		return err
	}
	if err := k.addDebited(r.customer, day(r.arrived), -e.amount); err != nil {
		return err
	}
	c, err := k.customerByID(r.customer)
	if err != nil {
		return err
	}
	return k.addMessage(c.mobile, now, fmt.Sprintf("Rs %s credited back to your %s account on %s: transaction RRN %s failed and was reversed. Balance Rs %s.",
		e.amount, c.bank, now.In(ist.Zone()).Format("02-01-2006 15:04"), r.rrn, c.balance))
}

// payee gives the account that a debit is credited to, the debit's narration,
// and its name in a message.
func (k ledger) payee(r record) (account int64, narration, what string, err error) {
	if r.kind == network.Purchase {
		account, err = k.account(accountMerchant+r.mid, "Settlement with merchant "+r.mid, "SETTLEMENT")
		return account, "AADHAAR PAY", "Aadhaar Pay purchase", err
	}
	account, err = k.account(accountAcquirer, "Settlement with the acquirer", "SETTLEMENT")
	return account, "AEPS CASH WDL", "AePS cash withdrawal", err
}

// addMessage puts a text into a customer's inbox.
func (k ledger) addMessage(mobile string, at time.Time, text string) error {
	return k.exec("write a message", `INSERT INTO messages (mobile, at, text) VALUES (?, ?, ?)`, mobile, at.UnixMilli(), text)
}

// statementLines bounds the entries of a mini statement, as the field's have
// nine at most.
const statementLines = 9

// statement writes a customer's newest entries (domain.md): dd/MM, a
// space, 17 characters of narration, a space, C or D, a space, the amount; then
// the balance.
func (k ledger) statement(c customer) (string, error) {
	var lines string
	err := k.rows("read the newest entries", `
		SELECT at, narration, side, amount_paise FROM (
			SELECT * FROM (SELECT id, at, narration, 'D' AS side, amount_paise FROM entries WHERE debit_account = ?1 ORDER BY id DESC LIMIT ?2)
			UNION ALL
			SELECT * FROM (SELECT id, at, narration, 'C' AS side, amount_paise FROM entries WHERE credit_account = ?1 ORDER BY id DESC LIMIT ?2)
		) ORDER BY id DESC LIMIT ?2`, []any{c.account, statementLines},
		func(scan func(...any) error) error {
			var at int64
			var narration, side string
			var amount money.Paise
			if err := scan(&at, &narration, &side, &amount); err != nil {
				return err
			}
			lines += fmt.Sprintf("%s %-17s %s %s\n", time.UnixMilli(at).In(ist.Zone()).Format("02/01"), narration, side, amount)
			return nil
		})
	return lines + "Balance:+" + c.balance.String(), err
}
