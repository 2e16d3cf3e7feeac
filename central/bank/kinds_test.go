package bank

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"galla/central"
	"galla/central/bank/network"
	"galla/shared/freeport"
	"galla/shared/money"
	"galla/shared/secret"
)

const secretOTP = "482915"

// vocabulary joins every kind of the central with the network's.
func vocabulary() map[central.Kind]network.Kind {
	return map[central.Kind]network.Kind{
		central.KindWithdrawal: network.Withdrawal, central.KindBalance: network.Balance, central.KindMiniStatement: network.MiniStatement,
		central.KindPurchase: network.Purchase, central.KindAgentAuth: network.AgentAuth, central.KindCashDeposit: network.CashDeposit,
		central.KindAgentOnboarding: network.AgentOnboarding, central.KindAgentOTP: network.AgentOTP, central.KindAgentOTPCheck: network.AgentOTPCheck,
		central.KindAgentPAN: network.AgentPAN, central.KindAgentUID: network.AgentUID, central.KindAgentBiometric: network.AgentBiometric,
		central.KindAgentSubmit: network.AgentSubmit, central.KindAgentStatus: network.AgentStatus, central.KindAgentDetail: network.AgentDetail,
		central.KindCustomerDetail: network.CustomerDetail, central.KindCustomerOnboarding: network.CustomerOnboarding,
		central.KindCustomerOTP: network.CustomerOTP, central.KindCustomerOTPCheck: network.CustomerOTPCheck, central.KindCustomerUID: network.CustomerUID,
		central.KindCustomerBiometric: network.CustomerBiometric, central.KindCustomerSubmit: network.CustomerSubmit,
		central.KindCustomerStatus: network.CustomerStatus, central.KindRemitterRegister: network.RemitterRegister,
		central.KindRemitterDetails: network.RemitterDetails, central.KindAccountVerification: network.AccountVerification,
		central.KindBeneficiaryAdd: network.BeneficiaryAdd, central.KindBeneficiaryGet: network.BeneficiaryGet,
		central.KindBeneficiaryDelete: network.BeneficiaryDelete, central.KindTransferOTP: network.TransferOTP, central.KindTransfer: network.Transfer,
		central.KindTransferCharges: network.TransferCharges, central.KindRefundOTP: network.RefundOTP, central.KindRefund: network.Refund,
		central.KindFloatBalance: network.FloatBalance, central.KindLogin: network.Login, central.KindBCRegister: network.BCRegister,
		central.KindBCAgentRegister: network.BCAgentRegister, central.KindBCAgentInitialize: network.BCAgentInitialize, central.KindBCStatus: network.BCStatus,
		central.KindReceiptMessage: network.ReceiptMessage,
	}
}

// declared lists the values of the constants of a type in a file.
func declared(t *testing.T, path, typeName string) map[string]bool {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := v.Type.(*ast.Ident); ok && id.Name == typeName && len(v.Values) == 1 {
			s, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			out[s] = true
		}
		return true
	})
	return out
}

// TestKindsAndStatusesAreTheCentrals: the two vocabularies are joined by
// conversion, so they must be equal, and no word may be missing.
func TestKindsAndStatusesAreTheCentrals(t *testing.T) {
	ours, theirs := declared(t, "../bank.go", "Kind"), declared(t, "network/message.go", "Kind")
	for a, b := range vocabulary() {
		switch {
		case string(a) != string(b):
			t.Errorf("%s and %s differ", a, b)
		case !ours[string(a)] || !theirs[string(b)]:
			t.Errorf("%s is not declared on both sides", a)
		case a.IsConsultation() != b.IsConsultation():
			t.Errorf("%s consults on one side only", a)
		case a != central.KindCashDeposit && a.AEPS() != b.AEPS():
			t.Errorf("%s is an AEPS transaction on one side only", a)
		case a.MovesMoney() != (b.Debits() || b == network.Transfer || b == network.Refund):
			t.Errorf("%s moves money on one side only", a)
		case !b.Known():
			t.Errorf("%s is not known to the protocol", b)
		}
		delete(ours, string(a))
		delete(theirs, string(b))
	}
	delete(ours, string(central.KindInitialize)) // the central's own
	delete(ours, string(central.KindUPIPayment)) // never sent: the network reports them
	delete(ours, string(central.KindUPIRefund))
	if len(ours) != 0 || len(theirs) != 0 {
		t.Errorf("nobody joins %v of the central and %v of the network", ours, theirs)
	}
	for ours, theirs := range map[central.BankStatus]network.Status{
		central.BankApproved: network.Success, central.BankDeclined: network.Failed, central.BankInProgress: network.Pending,
		central.BankReversed: network.Reversed, central.BankNotFound: network.NotFound,
	} {
		if string(ours) != string(theirs) {
			t.Errorf("%s and %s differ", ours, theirs)
		}
	}
	for ours, theirs := range map[central.Refusal]network.Refusal{
		central.RefusedOrder: network.RefusedOrder, central.RefusedNotFound: network.RefusedNotFound, central.RefusedLimit: network.RefusedLimit,
	} {
		if string(ours) != string(theirs) || !theirs.Valid() {
			t.Errorf("refusals %s and %s differ", ours, theirs)
		}
	}
}

// documented reads the table of kinds in the package comment: what each needs,
// as Faults names it.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "// The others have the members below")
	table, _, _ = strings.Cut(table, "// # Answers")
	out := map[string][]string{}
	line := regexp.MustCompile(`(?m)^//\t([A-Z_]+)( \(c\))?(.*)$((?:\n//\t {10,}.*$)*)`)
	aside := regexp.MustCompile(`\([^)]*\)`)
	for _, m := range line.FindAllStringSubmatch(table, -1) {
		needed, _, _ := strings.Cut(m[3]+strings.ReplaceAll(m[4], "\n//\t", " "), ";")
		needed = strings.ReplaceAll(aside.ReplaceAllString(needed, ""), " or ", "|")
		members := []string{}
		for _, member := range strings.FieldsFunc(needed, func(c rune) bool { return c == ',' || c == ' ' }) {
			switch member {
			case "aadhaar", "pidData", "otp", "amountPaise":
			default:
				member = "particulars." + member
			}
			members = append(members, member)
		}
		slices.Sort(members)
		out[m[1]] = members
		if network.Kind(m[1]).IsConsultation() != (m[2] != "") {
			t.Errorf("%s: the document marks consultations wrongly", m[1])
		}
	}
	return out
}

// TestTheDocumentNamesWhatKindsNeed: the package comment is the protocol.
func TestTheDocumentNamesWhatKindsNeed(t *testing.T) {
	table := documented(t)
	for _, kind := range vocabulary() {
		if kind.AEPS() {
			continue
		}
		bare := transaction(aRequest(t))
		bare = network.Transaction{Reference: bare.Reference, STAN: bare.STAN, Kind: kind, NotAfter: bare.NotAfter, MID: bare.MID}
		needed := bare.InvalidMembers()
		slices.Sort(needed)
		if got, there := table[string(kind)]; !there || !slices.Equal(got, needed) {
			t.Errorf("%s: the document says %v (%v), the protocol wants %v", kind, got, there, needed)
		}
		delete(table, string(kind))
	}
	if len(table) != 0 {
		t.Errorf("the document has kinds that there are not: %v", table)
	}
}

// serviceRequest is a request of a kind that is no AEPS transaction, with what
// the kind needs and a text in each of its particulars.
func serviceRequest(t testing.TB, kind central.Kind) central.BankRequest {
	t.Helper()
	full := aRequest(t)
	r := central.BankRequest{
		Reference: full.Reference, STAN: full.STAN, Kind: kind, MID: "c0000000-0000-4000-8000-000000000001", NotAfter: full.NotAfter,
	}
	v := reflect.ValueOf(&r.Particulars).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.String {
			f.SetString(fmt.Sprintf("%c%d", 'A'+i, i))
		} else {
			f.SetInt(int64(i))
		}
	}
	for _, m := range invalidMembersOf(transaction(r)) {
		switch m {
		case "amountPaise":
			r.Amount = 2000 * money.Rupee
		case "otp":
			r.OTP = secret.NewOTP(secretOTP)
		case "aadhaar":
			r.Aadhaar = full.Aadhaar
		case "pidData":
			r.PidData = full.PidData
		default:
			t.Fatalf("%s: %s is wrong, and the test does not know what to do", kind, m)
		}
	}
	return r
}

// bankOf is a network that answers any request as reply says, and keeps it.
func bankOf(t *testing.T, reply func(network.Transaction) network.Answer) (c *Client, got *network.Transaction, path *string) {
	t.Helper()
	got, path = new(network.Transaction), new(string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*path = r.URL.Path
		if r.Header.Get(network.HeaderChecksum) != network.RequestChecksum(testKey(), r.Method, r.URL.Path, body) {
			t.Error("the request is not signed")
		}
		tx, err := network.DecodeTransaction(body)
		if err != nil || tx.InvalidMembers() != nil {
			t.Errorf("the request is wrong: %v, %v", err, tx.InvalidMembers())
		}
		*got = tx
		b, err := network.EncodeAnswer(reply(tx))
		if err != nil {
			t.Error(err)
		}
		w.Header().Set(network.HeaderChecksum, network.ReplyChecksum(testKey(), 200, tx.Reference, b))
		_, _ = w.Write(b)
	}))
	t.Cleanup(s.Close)
	return newClient(t, Config{BaseURL: s.URL}), got, path
}

func success(t network.Transaction) network.Answer {
	a := network.Answer{Reference: t.Reference, Status: network.Success, Code: "00", Message: "SUCCESS", STAN: t.STAN}
	if !t.Kind.AEPS() && t.Kind.Known() {
		a.Data = []byte(`{"kind":"` + string(t.Kind) + `","amount":24999.50}`)
	}
	return a
}

// deliver calls Send or Consult, whichever the kind goes by.
func deliver(t *testing.T, c *Client, r central.BankRequest) (central.BankAnswer, error) {
	if r.Kind.IsConsultation() {
		return c.Consult(t.Context(), r)
	}
	return c.Send(t.Context(), r)
}

// TestEveryKindGoesItsWay: path, members and data of each, over real HTTP.
func TestEveryKindGoesItsWay(t *testing.T) {
	c, got, path := bankOf(t, success)
	for kind := range vocabulary() {
		r := aRequest(t)
		r.Kind = kind
		if !network.Kind(kind).AEPS() {
			r = serviceRequest(t, kind)
		}
		a, err := deliver(t, c, r)
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		want := network.PathTransactions
		if kind.IsConsultation() {
			want = network.PathConsultations
		}
		if *path != want {
			t.Errorf("%s went to %s, want %s", kind, *path, want)
		}
		if got.Kind != network.Kind(kind) || got.MID != r.MID || got.TID != r.TID || got.Amount != r.Amount || got.OTP.Reveal() != r.OTP.Reveal() ||
			!got.Aadhaar.Equal(r.Aadhaar) || got.PidData.Reveal() != r.PidData.Reveal() || central.Particulars(got.Particulars) != r.Particulars {
			t.Errorf("%s: the bank got %+v of %+v", kind, got, r)
		}
		if !network.Kind(kind).AEPS() && string(a.Data) != `{"kind":"`+string(kind)+`","amount":24999.50}` {
			t.Errorf("%s: data %s", kind, a.Data)
		}
		// The other call is refused, before anything is dialled.
		*path = ""
		other := c.Consult
		if kind.IsConsultation() {
			other = c.Send
		}
		if _, err := other(t.Context(), r); !central.NotSent(err) || *path != "" {
			t.Errorf("%s by the other call: %v at %q, want an error that says not sent", kind, err, *path)
		}
	}
	initialize := serviceRequest(t, central.KindLogin)
	initialize.Kind = central.KindInitialize
	if _, err := c.Send(t.Context(), initialize); !central.NotSent(err) {
		t.Errorf("the central's own kind was sent: %v", err)
	}
}

func TestRefusalsAndCharges(t *testing.T) {
	var answer network.Answer
	c, _, _ := bankOf(t, func(tx network.Transaction) network.Answer {
		a := answer
		a.Reference, a.STAN = tx.Reference, tx.STAN
		return a
	})
	for _, refusal := range []network.Refusal{"", network.RefusedOrder, network.RefusedNotFound, network.RefusedLimit} {
		answer = network.Answer{Status: network.Failed, Code: "61", Message: "why", Refusal: refusal}
		for _, kind := range []central.Kind{central.KindTransfer, central.KindTransferOTP} {
			a, err := deliver(t, c, serviceRequest(t, kind))
			if err != nil || a.Status != central.BankDeclined || a.Refusal != central.Refusal(refusal) || a.Code != "61" || a.Message != "why" || a.Data != nil {
				t.Errorf("%s declined with %q: %+v, %v", kind, refusal, a, err)
			}
		}
	}
	answer = network.Answer{Status: network.Success, Code: "00", RRN: "632512345678", Data: []byte(`{"rrn":"632512345678"}`), Charge: 20 * money.Rupee}
	a, err := c.Send(t.Context(), serviceRequest(t, central.KindTransfer))
	if err != nil || a.Charge != 20*money.Rupee || a.RRN != "632512345678" || string(a.Data) != `{"rrn":"632512345678"}` {
		t.Errorf("a transfer: %+v, %v", a, err)
	}
	// A consultation that was used before is asked again: 94 is a decline.
	answer = network.Answer{Status: network.Failed, Code: network.CodeDuplicate, Message: "DUPLICATE"}
	if a, err := c.Consult(t.Context(), serviceRequest(t, central.KindLogin)); err != nil || a.Code != network.CodeDuplicate {
		t.Errorf("a consultation declined with 94: %+v, %v", a, err)
	}
	if _, err := c.Send(t.Context(), serviceRequest(t, central.KindTransfer)); !errors.Is(err, ErrDuplicate) || central.NotSent(err) {
		t.Errorf("a transfer declined with 94: %v", err)
	}
}

// TestRepliesThatAreNotBelieved: each is an error that is pending.
func TestRepliesThatAreNotBelieved(t *testing.T) {
	data := []byte(`{"` + canary + `":1}`)
	ok := network.Answer{Status: network.Success, Code: "00", Data: data}
	with := func(change func(*network.Answer)) network.Answer {
		a := ok
		change(&a)
		return a
	}
	failed := func(a *network.Answer) { a.Status, a.Code, a.Data = network.Failed, "05", nil }
	for name, tt := range map[string]struct {
		kind   central.Kind
		answer network.Answer
		want   error
	}{
		"no data":                    {central.KindTransfer, with(func(a *network.Answer) { a.Data = nil }), errData},
		"no data of a consultation":  {central.KindLogin, with(func(a *network.Answer) { a.Data = nil }), errData},
		"data of a decline":          {central.KindTransfer, with(func(a *network.Answer) { failed(a); a.Data = data }), errData},
		"data of a withdrawal":       {central.KindWithdrawal, ok, errData},
		"unknown refusal":            {central.KindTransfer, with(func(a *network.Answer) { failed(a); a.Refusal = "BECAUSE" }), errRefusal},
		"refusal of a success":       {central.KindTransfer, with(func(a *network.Answer) { a.Refusal = network.RefusedOrder }), errRefusal},
		"refusal of a withdrawal":    {central.KindWithdrawal, with(func(a *network.Answer) { failed(a); a.Refusal = network.RefusedLimit }), errRefusal},
		"negative charge":            {central.KindTransfer, with(func(a *network.Answer) { a.Charge = -1 }), errCharge},
		"charge without end":         {central.KindTransfer, with(func(a *network.Answer) { a.Charge = money.Max + 1 }), errCharge},
		"charge of a refund":         {central.KindRefund, with(func(a *network.Answer) { a.Charge = 1 }), errCharge},
		"pending consultation":       {central.KindRefundOTP, with(func(a *network.Answer) { a.Status, a.Code = network.Pending, "68" }), errStatus},
		"reversed consultation":      {central.KindRefundOTP, with(func(a *network.Answer) { a.Status, a.Code = network.Reversed, "22" }), errStatus},
		"unknown to a consultation":  {central.KindRefundOTP, network.Answer{Status: network.NotFound}, errStatus},
		"reversed transfer":          {central.KindTransfer, with(func(a *network.Answer) { a.Status, a.Code = network.Reversed, "22" }), errStatus},
		"success without 00":         {central.KindLogin, with(func(a *network.Answer) { a.Code = "05" }), errCode},
		"decline with 00":            {central.KindLogin, with(func(a *network.Answer) { failed(a); a.Code = "00" }), errCode},
		"another reference":          {central.KindLogin, with(func(a *network.Answer) { a.Reference = "GL1" }), errForeignReference},
		"another consultation's":     {central.KindLogin, with(func(a *network.Answer) { a.STAN = "000043" }), errForeignSTAN},
		"another transfer's number":  {central.KindTransfer, with(func(a *network.Answer) { a.STAN = "000043" }), errForeignSTAN},
		"decline without its reason": {central.KindLogin, with(func(a *network.Answer) { failed(a); a.Code = "" }), errCode},
	} {
		t.Run(name, func(t *testing.T) {
			c, _, _ := bankOf(t, func(tx network.Transaction) network.Answer {
				a := tt.answer
				if a.Reference == "" {
					a.Reference = tx.Reference
				}
				if a.STAN == "" {
					a.STAN = tx.STAN
				}
				return a
			})
			r := aRequest(t)
			if r.Kind = tt.kind; !tt.kind.AEPS() {
				r = serviceRequest(t, tt.kind)
			}
			_, err := deliver(t, c, r)
			if !errors.Is(err, tt.want) || central.NotSent(err) {
				t.Errorf("error %v, want %v, pending", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), canary) {
				t.Errorf("the error shows the body: %v", err)
			}
		})
	}
}

// TestEnquiriesBringWhatServicesSaid: data, refusal and charge of a recorded
// transaction.
func TestEnquiriesBringWhatServicesSaid(t *testing.T) {
	var body string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set(network.HeaderChecksum, network.ReplyChecksum(testKey(), 200, reference, []byte(body)))
		_, _ = io.WriteString(w, body)
	}))
	defer s.Close()
	c := newClient(t, Config{BaseURL: s.URL})
	for _, tt := range []struct {
		members string
		want    error
	}{
		{`"status":"SUCCESS","code":"00","message":"","data":{"rrn":"1"},"chargePaise":1000`, nil},
		{`"status":"REVERSED","code":"22","message":"","data":{"rrn":"1"},"chargePaise":1000`, nil},
		{`"status":"PENDING","code":"68","message":""`, nil},
		{`"status":"FAILED","code":"55","message":"","refusal":"LIMIT"`, nil},
		{`"status":"NOT_FOUND","code":"","message":""`, nil},
		{`"status":"NOT_FOUND","code":"","message":"","data":{}`, errData},
		{`"status":"FAILED","code":"55","message":"","data":{}`, errData},
		{`"status":"SUCCESS","code":"00","message":"","refusal":"LIMIT"`, errRefusal},
		{`"status":"SUCCESS","code":"00","message":"","chargePaise":-1`, errCharge},
	} {
		body = `{"reference":"` + reference + `",` + tt.members + `}`
		a, err := c.Enquire(t.Context(), reference)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.members, err, tt.want)
		}
		if tt.want == nil && (string(a.Data) == `{"rrn":"1"}`) != strings.Contains(tt.members, "rrn") {
			t.Errorf("%s: data %s", tt.members, a.Data)
		}
	}
}

// TestConsultationsKnowWhatWasNotSent: the marks are those of Send, and no
// error shows the OTP.
func invalidMembersOf(t network.Transaction) []string { return t.InvalidMembers() }

func TestConsultationsKnowWhatWasNotSent(t *testing.T) {
	c := newClient(t, Config{BaseURL: "http://" + freeport.For(t)})
	if _, err := c.Consult(t.Context(), serviceRequest(t, central.KindTransferOTP)); !central.NotSent(err) {
		t.Errorf("nobody listens: %v", err)
	}
	late := serviceRequest(t, central.KindTransferOTP)
	late.NotAfter = late.NotAfter.AddDate(-1, 0, 0)
	if _, err := c.Consult(t.Context(), late); !central.NotSent(err) {
		t.Errorf("too late: %v", err)
	}
	wrong := serviceRequest(t, central.KindRefund)
	wrong.STAN, wrong.Particulars.Original = "x", strings.Repeat(canary, 10)
	wrong.OTP = secret.NewOTP(strings.Repeat(secretOTP, 10))
	if _, err := c.Send(t.Context(), wrong); !central.NotSent(err) || strings.Contains(err.Error(), secretOTP) || strings.Contains(err.Error(), canary) ||
		!strings.Contains(err.Error(), "stan otp particulars.original") {
		t.Errorf("wrong members: %v", err)
	}
	closing := listen(t, replying(""))
	c = newClient(t, Config{BaseURL: closing.url})
	if _, err := c.Consult(t.Context(), serviceRequest(t, central.KindLogin)); err == nil || central.NotSent(err) {
		t.Errorf("the bank got it and said nothing: %v", err)
	}
	if n := closing.accepted.Load(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}
