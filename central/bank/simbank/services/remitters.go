package services

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
	"galla/shared/money"
)

// remitter is a row of remitters with what the customer's onboarding says.
type remitter struct {
	id           int64
	sender       string
	name, mobile string
}

// Ways to find a remitter.
const (
	bySender       = `r.sender = ?`
	byMobileOf     = `e.mobile = ?`
	byEnrolmentRow = `e.id = ?`
)

func findRemitter(x books.Tx, where string, value any) (remitter, bool, error) {
	var r remitter
	ok, err := x.Row("find the remitter", `SELECT r.id, r.sender, e.name, e.mobile FROM remitters r JOIN enrolments e ON e.id = r.enrolment_id
		WHERE `+where, []any{value}, &r.id, &r.sender, &r.name, &r.mobile)
	return r, ok, err
}

// customerToRegister finds the customer whom a registration means: by mobile number, or
// by the sender's id or the reference of the onboarding.
func customerToRegister(x books.Tx, p network.Particulars) (enrolment, bool, error) {
	if p.Sender == "" {
		return findEnrolment(x, byMobile, p.Mobile)
	}
	r, known, err := findRemitter(x, bySender, p.Sender)
	if err != nil {
		return enrolment{}, false, err
	}
	e, found, err := findEnrolment(x, byReference, p.Sender)
	if known {
		e, found, err = findEnrolment(x, byMobile, r.mobile)
	}
	return e, found && (p.Mobile == "" || p.Mobile == e.mobile), err
}

func (s *Services) remitterRegister(x books.Tx, q books.Request) (books.Decision, error) {
	type registered struct {
		Sender string `json:"senderid"`
		Fee    rupees `json:"registrationFeeCharged"`
	}
	if q.Particulars.Sender == "" && q.Particulars.Mobile == "" {
		return malformed("mobile number"), nil
	}
	e, known, err := customerToRegister(x, q.Particulars)
	switch {
	case err != nil:
		return books.Decision{}, err
	case !known:
		return notFound("customer"), nil
	case e.step != customerApproved:
		return outOfOrder(customerSteps()[customerSteps().rank(customerApproved)].step), nil
	}
	r, known, err := findRemitter(x, byEnrolmentRow, e.id)
	if err != nil {
		return books.Decision{}, err
	}
	if known {
		return approved(registered{r.sender, 0})
	}
	if v, err := s.affordable(x, s.cfg.RegistrationFee); v != nil || err != nil {
		return declineOf(v), err
	}
	sender, err := s.newID()
	if err != nil {
		return books.Decision{}, err
	}
	err = x.Exec("register the remitter", `INSERT INTO remitters (sender, enrolment_id, registered_at) VALUES (?, ?, ?)`, sender, e.id, q.At.UnixMilli())
	if err != nil {
		return books.Decision{}, err
	}
	if err := x.TakeFee(q, s.cfg.RegistrationFee); err != nil {
		return books.Decision{}, err
	}
	if err := s.refillFloat(x, q); err != nil {
		return books.Decision{}, err
	}
	return approved(registered{sender, rupees(s.cfg.RegistrationFee)})
}

// affordable gives a decline where the float does not hold an amount.
func (s *Services) affordable(x books.Tx, amount money.Paise) (*books.Decision, error) {
	float, err := x.Float()
	if err != nil || amount <= float {
		return nil, err
	}
	v := declined(codeFunds, "THE FLOAT DOES NOT HOLD THE AMOUNT")
	return &v, nil
}

// refillFloat fills the float up where a request has left too little in it, so that a
// suite of transfers can run all day.
func (s *Services) refillFloat(x books.Tx, q books.Request) error {
	float, err := x.Float()
	if err != nil || float >= s.cfg.FloatRefill {
		return err
	}
	return x.FillFloat(q, s.cfg.FloatOpening-float)
}

// allowance is what a remitter may send now.
type allowance struct {
	day, month  money.Paise // left of the two
	transfer    money.Paise // the most in one transfer
	transferred int         // today
	used        money.Paise // today
}

func (s *Services) allowanceOf(x books.Tx, remitter int64, now time.Time) (allowance, error) {
	spent, err := x.RemitterTotals(remitter, now)
	return allowance{
		// The limits of the configuration may be lower than when it was spent.
		day: max(0, s.cfg.DayLimit-spent.Day), month: max(0, s.cfg.MonthLimit-spent.Month), transfer: s.cfg.TransferMax,
		transferred: spent.Transfers, used: spent.Day,
	}, err
}

// left is what may be sent today, by the day's limit and the month's.
func (a allowance) left() money.Paise { return min(a.day, a.month) }

// remitterData is a remitter (interface.md, section 2.6), with the month's limits. The
// contract reads the amount used today from the difference of the two limits,
// and the second as the day's ceiling: so the ceiling is lower where the month
// leaves less.
type remitterData struct {
	Sender        string            `json:"senderId"`
	Status        bool              `json:"status"`
	Remitter      bool              `json:"remitter"`
	Done          int               `json:"TransactionDone"` // today
	Left          rupees            `json:"AviableLimit"`
	Day           rupees            `json:"AviabledayLimit"`
	MonthLeft     rupees            `json:"AviableMonthLimit"`
	Month         rupees            `json:"monthLimit"`
	Beneficiaries []beneficiaryData `json:"beneficiarydetail"`
}

func (s *Services) remitterDetails(x books.Tx, t network.Transaction, now time.Time) (books.Decision, error) {
	r, known, err := findRemitter(x, byMobileOf, t.Particulars.Mobile)
	if err != nil {
		return books.Decision{}, err
	}
	if !known {
		return notFound("remitter"), nil
	}
	a, err := s.allowanceOf(x, r.id, now)
	if err != nil {
		return books.Decision{}, err
	}
	list, err := beneficiaries(x, `b.remitter_id = ? AND b.deleted_at IS NULL ORDER BY b.id`, r.id)
	if err != nil {
		return books.Decision{}, err
	}
	d := remitterData{
		Sender: r.sender, Status: true, Remitter: true, Done: a.transferred, Left: rupees(a.left()), Day: rupees(a.used + a.left()),
		MonthLeft: rupees(a.month), Month: rupees(s.cfg.MonthLimit), Beneficiaries: []beneficiaryData{},
	}
	for _, b := range list {
		d.Beneficiaries = append(d.Beneficiaries, b.data())
	}
	return approved(d)
}

// maxBeneficiaries bounds what one remitter keeps, so that details fit into one
// answer of the network, whatever the script of their texts.
const maxBeneficiaries = 100

// beneficiary is a row of beneficiaries with what was said of its account last.
type beneficiary struct {
	id                                 int64
	account, ifsc, name, mobile, email string
	address, city, region, branch      string
	verified                           int // status of the last verification
	deleted                            bool
}

// Statuses of an account and of a beneficiary (interface.md, section 3.3).
const (
	accountVerified    = 1
	accountFailed      = 0
	accountAmbiguous   = -1
	accountAmbiguous91 = 91

	beneficiaryUsable = 1
	beneficiaryWaits  = 0
)

// status is 1 unless the account's last verification did not succeed.
func (b beneficiary) status() int {
	if b.verified == accountVerified {
		return beneficiaryUsable
	}
	return beneficiaryWaits
}

// beneficiaries reads the rows that match.
func beneficiaries(x books.Tx, where string, args ...any) ([]beneficiary, error) {
	var out []beneficiary
	err := x.Rows("read beneficiaries", `SELECT b.id, b.account, b.ifsc, b.name, b.mobile, b.email, b.address, b.city, b.region, b.branch,
		coalesce(v.status, 1), b.deleted_at IS NOT NULL
		FROM beneficiaries b LEFT JOIN verifications v ON v.account = b.account AND v.ifsc = b.ifsc WHERE `+where, args,
		func(scan func(...any) error) error {
			var b beneficiary
			err := scan(&b.id, &b.account, &b.ifsc, &b.name, &b.mobile, &b.email, &b.address, &b.city, &b.region, &b.branch, &b.verified, &b.deleted)
			out = append(out, b)
			return err
		})
	return out, err
}

// beneficiaryOf finds a remitter's beneficiary by its account, deleted ones
// too.
func beneficiaryOf(x books.Tx, remitter int64, account, ifsc string) (beneficiary, bool, error) {
	found, err := beneficiaries(x, `b.remitter_id = ? AND b.account = ? AND b.ifsc = ?`, remitter, account, ifsc)
	if err != nil || len(found) == 0 {
		return beneficiary{}, false, err
	}
	return found[0], true, nil
}

// beneficiaryData is a beneficiary (interface.md, section 2.7). Its account number is a
// JSON number, so a text beside it keeps leading zeros.
type beneficiaryData struct {
	ID          int64          `json:"beneficiaryid"`
	Name        string         `json:"beneficiaryname"`
	Mobile      jsontext.Value `json:"beneficiarymobilenumber"`
	Email       string         `json:"beneficiaryemailid"`
	Bank        string         `json:"bank"`
	State       string         `json:"state"`
	City        string         `json:"city"`
	Branch      string         `json:"branch"`
	Address     string         `json:"address"`
	IFSC        string         `json:"ifscode"`
	Account     jsontext.Value `json:"accountnumber"`
	Status      int            `json:"beneficiarystatus"`
	IMPS        int            `json:"impsstatus"`
	AccountText string         `json:"accountnumberText"`
}

func (b beneficiary) data() beneficiaryData {
	return beneficiaryData{
		ID: b.id, Name: b.name, Mobile: number(b.mobile), Email: b.email, Bank: bankOf(b.ifsc), State: b.region, City: b.city,
		Branch: b.branch, Address: b.address, IFSC: b.ifsc, Account: number(b.account), Status: b.status(), IMPS: 1, AccountText: b.account,
	}
}

// number writes digits as a JSON number, of any length; none is 0.
func number(digits string) jsontext.Value {
	for len(digits) > 1 && digits[0] == '0' {
		digits = digits[1:]
	}
	if digits == "" {
		digits = "0"
	}
	return jsontext.Value(digits)
}

// senderOf finds the remitter that a request names, or gives the decline.
func senderOf(x books.Tx, p network.Particulars) (remitter, *books.Decision, error) {
	r, known, err := findRemitter(x, bySender, p.Sender)
	if err == nil && !known {
		v := notFound("sender")
		return remitter{}, &v, nil
	}
	return r, nil, err
}

// receiverOf finds the sender and the beneficiary that a request names, or
// gives the decline.
func receiverOf(x books.Tx, p network.Particulars) (remitter, beneficiary, *books.Decision, error) {
	r, v, err := senderOf(x, p)
	if v != nil || err != nil {
		return remitter{}, beneficiary{}, v, err
	}
	b, known, err := beneficiaryOf(x, r.id, p.Account, p.IFSC)
	if err == nil && (!known || b.deleted) {
		v := notFound("beneficiary of this sender")
		return remitter{}, beneficiary{}, &v, nil
	}
	return r, b, nil, err
}

func (s *Services) addBeneficiary(x books.Tx, q books.Request) (books.Decision, error) {
	p := q.Particulars
	f := firstInvalid(isName("receiver's name", p.Receiver), isAccount(p.Account), isIFSC(p.IFSC), orMobile("receiver's mobile number", p.ReceiverMobile),
		isText("receiver's email", p.ReceiverEmail), isText("address", p.Address), isText("city", p.City), isText("state", p.State), isText("branch", p.Branch))
	if f != "" {
		return malformed(f), nil
	}
	r, v, err := senderOf(x, p)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	b, known, err := beneficiaryOf(x, r.id, p.Account, p.IFSC)
	if err != nil {
		return books.Decision{}, err
	}
	if !known || b.deleted {
		var kept int
		if _, err := x.Row("count beneficiaries", `SELECT count(*) FROM beneficiaries WHERE remitter_id = ? AND deleted_at IS NULL`, []any{r.id}, &kept); err != nil {
			return books.Decision{}, err
		}
		if kept >= maxBeneficiaries {
			return overLimit(fmt.Sprintf("a sender has at most %d beneficiaries; none is left, delete one first", maxBeneficiaries)), nil
		}
	}
	err = x.Exec("add the beneficiary", `INSERT INTO beneficiaries (remitter_id, account, ifsc, name, mobile, email, address, city, region, branch, added_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (remitter_id, account, ifsc) DO UPDATE SET name = excluded.name, mobile = excluded.mobile,
		email = excluded.email, address = excluded.address, city = excluded.city, region = excluded.region, branch = excluded.branch, deleted_at = NULL`,
		r.id, p.Account, p.IFSC, p.Receiver, p.ReceiverMobile, p.ReceiverEmail, p.Address, p.City, p.State, p.Branch, q.At.UnixMilli())
	if err != nil {
		return books.Decision{}, err
	}
	if b, _, err = beneficiaryOf(x, r.id, p.Account, p.IFSC); err != nil {
		return books.Decision{}, err
	}
	return approved(struct {
		ID int64 `json:"beneficiaryid"`
	}{b.id})
}

func (s *Services) getBeneficiary(x books.Tx, t network.Transaction, _ time.Time) (books.Decision, error) {
	_, b, v, err := receiverOf(x, t.Particulars)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	return approved(b.data())
}

func (s *Services) deleteBeneficiary(x books.Tx, q books.Request) (books.Decision, error) {
	_, b, v, err := receiverOf(x, q.Particulars)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	if err := x.Exec("delete the beneficiary", `UPDATE beneficiaries SET deleted_at = ? WHERE id = ?`, q.At.UnixMilli(), b.id); err != nil {
		return books.Decision{}, err
	}
	return approved(status{"DELETED"})
}
