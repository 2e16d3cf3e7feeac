package services

import (
	"hash/fnv"
	"strings"
	"time"

	"galla/central/bank/simbank/books"
)

// ambiguousFor is how long an ambiguous verification stays so, before
// Config.TimeScale (interface.md, section 8).
const ambiguousFor = 30 * time.Second

// verification is a row of verifications.
type verification struct {
	status int
	asked  time.Time // for the first time
}

// scenarioOfAccount is what the last six digits of an account number ask for at
// first. They are rare ones: any other account is simply verified, those that
// people type to try things out among them.
func scenarioOfAccount(account string) int {
	switch {
	case strings.HasSuffix(account, "000091"):
		return accountAmbiguous91
	case strings.HasSuffix(account, "000090"):
		return accountAmbiguous
	case strings.HasSuffix(account, "000000"):
		return accountFailed
	}
	return accountVerified
}

// verifyAccount asks the receiver's bank whether an account exists. That it
// does not is a success of the question.
func (s *Services) verifyAccount(x books.Tx, q books.Request) (books.Decision, error) {
	p := q.Particulars
	if f := firstInvalid(isAccount(p.Account), isIFSC(p.IFSC), isText("receiver's name", p.Receiver), orMobile("receiver's mobile number", p.ReceiverMobile),
		isText("receiver's email", p.ReceiverEmail)); f != "" {
		return malformed(f), nil
	}
	if p.Sender != "" {
		if _, v, err := senderOf(x, p); v != nil || err != nil {
			return declineOf(v), err
		}
	}
	v := verification{asked: q.At}
	var asked int64
	known, err := x.Row("find the verification", `SELECT status, asked_at FROM verifications WHERE account = ? AND ifsc = ?`,
		[]any{p.Account, p.IFSC}, &v.status, &asked)
	if err != nil {
		return books.Decision{}, err
	}
	switch {
	case !known:
		v.status = scenarioOfAccount(p.Account)
	case (v.status == accountAmbiguous || v.status == accountAmbiguous91) && !q.At.Before(time.UnixMilli(asked).Add(s.scaled(ambiguousFor))):
		v.status = accountVerified
	}
	err = x.Exec("write the verification", `INSERT INTO verifications (account, ifsc, status, asked_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (account, ifsc) DO UPDATE SET status = excluded.status`, p.Account, p.IFSC, v.status, q.At.UnixMilli())
	if err != nil {
		return books.Decision{}, err
	}
	answer := struct {
		Status int    `json:"status"`
		Holder string `json:"account_holder_name,omitzero"`
	}{Status: v.status}
	if v.status == accountVerified {
		answer.Holder = holderOf(p.Account, p.IFSC)
	}
	return approved(answer)
}

// scaled is a wait on this bank's clock.
func (s *Services) scaled(d time.Duration) time.Duration {
	return time.Duration(float64(d) * s.cfg.TimeScale)
}

// holderOf is whom the other banks of the sandbox name as an account's holder:
// the same one each time.
func holderOf(account, ifsc string) string {
	given := []string{"Aarav", "Meena", "Imran", "Lakshmi", "Joseph", "Gurpreet", "Sunita", "Venkatesh", "Ayesha", "Rakesh", "Kavita"}
	family := []string{"Sharma", "Iyer", "Khan", "Das", "Fernandes", "Singh", "Patil", "Reddy", "Mondal", "Gupta", "Nair", "Yadav", "Joshi"}
	h := fnv.New32a()
	_, _ = h.Write([]byte(ifsc + account)) // a hash does not fail
	n := int(h.Sum32() >> 1)
	return given[n%len(given)] + " " + family[n/len(given)%len(family)]
}

// bankOf is the bank that the first four letters of an IFSC name; the letters
// themselves where this bank does not know it.
func bankOf(ifsc string) string {
	names := map[string]string{
		"SBIN": "State Bank of India", "PUNB": "Punjab National Bank", "BARB": "Bank of Baroda", "HDFC": "HDFC Bank", "ICIC": "ICICI Bank",
		"UTIB": "Axis Bank", "CNRB": "Canara Bank", "UBIN": "Union Bank of India", "BKID": "Bank of India", "IDIB": "Indian Bank",
		"IOBA": "Indian Overseas Bank", "CBIN": "Central Bank of India", "UCBA": "UCO Bank", "KKBK": "Kotak Mahindra Bank", "INDB": "IndusInd Bank",
		"IBKL": "IDBI Bank", "YESB": "YES Bank", "FDRL": "Federal Bank", "IPOS": "India Post Payments Bank", "AIRP": "Airtel Payments Bank",
	}
	code, _, _ := strings.Cut(ifsc, "0")
	if name := names[code]; name != "" {
		return name
	}
	return ifsc[:min(len(ifsc), 4)]
}
