package shop

import (
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"galla/edge"
	"galla/edge/web/webtest"
	"galla/shared/money"
	"galla/shared/op"
)

// network is a central that keeps the order of the onboarding.
type network struct{ done int }

func (n *network) answer(q edge.Request) (op.State, string) {
	switch q.Route {
	case op.AgentStatus:
		word := "NOT_STARTED"
		if n.done > 1 {
			word = steps[n.done-1].To
		}
		if n.done == len(steps) {
			word = approved
		}
		return op.Succeeded, `{"statusCode":"00","data":{"status":"` + word + `"}}`
	case op.AgentRequestOTP:
		return op.Succeeded, `{"statusCode":"00","data":{"otpreqid":"OTP-18"}}`
	}
	for i, s := range steps {
		if s.Route != q.Route {
			continue
		}
		if i > n.done {
			return op.NotSent, `{"statusCode":"05","message":"` + steps[i-1].Word + ` has to be done first; the next step is ` + steps[n.done].Word + `"}`
		}
		n.done = max(n.done, i+1)
		if s.Name == "mobile" {
			return op.Succeeded, `{"statusCode":"00","otp_status":true,"otp_reqid":"OTP-17"}`
		}
	}
	return op.Succeeded, `{"statusCode":"00","data":{}}`
}

func send(v *webtest.Visitor, step string, fields ...string) {
	v.T.Helper()
	v.Post("/shop/aeps/"+step, http.StatusSeeOther, append(fields, "form", step+strings.Join(fields, ""))...)
	v.Get("/shop/aeps", http.StatusOK)
}

// TestOnboarding walks the wizard, with a restart in the middle.
func TestOnboarding(t *testing.T) {
	f, m, n := newFake(), newMemory(), &network{}
	f.answer = n.answer
	v := open(t, f, m)
	page := v.Get("/shop/aeps", http.StatusOK) // nobody knows where the shop stands: the network is asked first
	webtest.Has(t, page, "Not known yet", `action="/shop/aeps/status"`)
	webtest.HasNot(t, page, "This is the next step", `action="/shop/aeps/begin"`)
	send(v, "status")
	webtest.Has(t, v.Get("/shop/aeps", http.StatusOK), "This is the next step", `action="/shop/aeps/begin"`)
	send(v, "begin")
	send(v, "mobile")
	v = open(t, f, m) // a restart: the OTP's name is known still
	v.Post("/shop/aeps/otp", http.StatusUnprocessableEntity, "otp", "12", "form", "a")
	send(v, "otp", "otp", "482913")
	if got := string(f.asked[3].Fields); got != `{"otpreqid":"OTP-17"}` {
		t.Errorf("the OTP was checked with %s", got)
	}
	page = v.Post("/shop/aeps/pan", http.StatusUnprocessableEntity, "pan", "x", "name", "", "dob", "32-01-1980", "form", "b")
	webtest.Has(t, page, "five letters", "as on the card", "as 21-11-1980")
	send(v, "pan", "pan", "abcde1234f", "name", "Fatima  Bedi", "dob", "5/1/1980")
	if got := string(f.asked[4].Fields); got != `{"dob":"1980-01-05","name":"Fatima Bedi","pan":"ABCDE1234F"}` {
		t.Errorf("the PAN was sent as %s", got)
	}
	send(v, "aadhaar")
	send(v, "finger")
	webtest.Has(t, v.Get("/shop/aeps", http.StatusOK), "do-capture", "Your own finger")
	v.Post("/shop/aeps/capture", http.StatusSeeOther)
	send(v, "submit")
	webtest.Has(t, v.Get("/shop/aeps", http.StatusOK), "All steps are done")
	send(v, "status")
	webtest.Has(t, v.Get("/shop/aeps", http.StatusOK), "approved: the shop may serve customers", "The network approved the shop")
	if f.captures != 1 {
		t.Errorf("%d captures", f.captures)
	}
}

// TestMissingStep: the step that the central names is the one that is opened.
func TestMissingStep(t *testing.T) {
	p := progress{Steps: map[string]mark{}}
	p.upTo(5, webtest.Now())
	p.begin("finger", "x", webtest.Now())
	p.apply("finger", edge.View{Record: edge.Record{ID: "x", State: op.NotSent, Result: edge.Result{Message: "update_UID has to be done first; the next step is verify_pan"}}})
	if at := p.open(); steps[at].Name != "pan" || p.Steps["otp"].Is != markDone {
		t.Errorf("open is %d of %+v", at, p.Steps)
	}
	if p.Steps["finger"].Is != markRefused {
		t.Error("the refusal is not shown")
	}
}

// TestLostAnswer: an enquiry's answer that a restart took is told as lost, and
// the status decides.
func TestLostAnswer(t *testing.T) {
	f, m, n := newFake(), newMemory(), &network{}
	f.answer = n.answer
	v := open(t, f, m)
	send(v, "begin")
	f.answer = func(edge.Request) (op.State, string) { return op.Accepted, "" }
	send(v, "mobile")
	webtest.Has(t, v.Get("/shop/aeps", http.StatusOK), "Asked, no answer yet")
	v.Post("/shop/aeps/mobile", http.StatusConflict, "form", "second")
	f.ops = map[op.ID]*edge.View{} // enquiries live in memory
	v = open(t, f, m)
	webtest.Has(t, v.Get("/shop/aeps", http.StatusOK), "The answer was lost")
	n.done, f.answer = 2, n.answer
	send(v, "status")
	webtest.Has(t, v.Get("/shop/aeps", http.StatusOK), "one-time password sent")
	webtest.HasNot(t, v.Get("/shop/aeps", http.StatusOK), "The answer was lost")
}

// TestProgressWalk: whatever is answered in whatever order, done steps are a
// row without gaps, and what is kept is what is known.
func TestProgressWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, p := &network{}, progress{Steps: map[string]mark{}}
		for i := range rapid.IntRange(1, 30).Draw(t, "steps") {
			s := rapid.SampledFrom(append(append([]step{}, steps...), beside...)).Draw(t, "step")
			id := op.ID(string(rune('a' + i)))
			p.begin(s.Name, id, webtest.Now())
			state := rapid.SampledFrom([]op.State{op.Succeeded, op.Succeeded, op.Succeeded, op.Failed, op.Expired, op.Pending, op.Unknown}).Draw(t, "state")
			v := edge.View{Record: edge.Record{ID: id, State: state}}
			if state == op.Succeeded {
				var reply string
				v.State, reply = n.answer(edge.Request{Route: s.Route})
				v.Reply = []byte(reply)
				if i := strings.Index(reply, `"message":"`); i >= 0 {
					v.Result.Message = reply[i+11:]
				}
			}
			p.apply(s.Name, v)
			if p.apply(s.Name, v) {
				t.Fatal("the same answer changed something twice")
			}
			if rapid.Bool().Draw(t, "restart") {
				b, err := p.write()
				if err != nil {
					t.Fatal(err)
				}
				if p, err = readProgress(b); err != nil {
					t.Fatal(err)
				}
				if name, _, ok := p.going(); ok {
					p.lose(name)
				}
			}
			if at := p.open(); at > n.done {
				t.Fatalf("step %d is open, the network has %d", at, n.done)
			}
		}
		p.begin(status, "z", webtest.Now())
		state, reply := n.answer(edge.Request{Route: op.AgentStatus})
		p.apply(status, edge.View{Record: edge.Record{ID: "z", State: state, Reply: []byte(reply)}})
		if done, _ := reached(p.Status); done != 0 && p.open() < done {
			t.Fatalf("the network has %d, the wizard %d", done, p.open())
		}
	})
}

const link = "upi://pay?ver=01&mode=15&pa=lakshmi@okbank&pn=Lakshmi%20Kirana%20Store&tr=abc&am=500.00&cu=INR&tn=Order%20abc"

func qrReply(link, amount string) string {
	return `{"statusCode":"00","data":{"type":"DYNAMIC","upiLink":"` + link + `","order_id":"abc","amount":` + amount + `,"vpa":"lakshmi@okbank","payeeName":"Lakshmi Kirana Store"}}`
}

// TestCode: a code of an amount is shown large, and one whose link says
// something else is not shown at all.
func TestCode(t *testing.T) {
	for name, c := range map[string]struct {
		link, amount string
		want, not    string
	}{
		"good":         {link, "500.00", "₹500", "Do not use"},
		"other amount": {strings.Replace(link, "500.00", "5.00", 1), "500.00", "Do not use this code", `class="qr"`},
		"both amounts": {strings.Replace(link, "500.00", "5.00", 1), "5.00", "Do not use this code", `class="qr"`},
		"other payee":  {strings.Replace(link, "lakshmi@", "mallory@", 1), "500.00", "Do not use this code", `class="qr"`},
		"two payees":   {link + "&pa=mallory@okbank", "500.00", "Do not use this code", `class="qr"`},
		"no link":      {"https://pay.example/?pa=a@b", "500.00", "Do not use this code", `class="qr"`},
		"dollars":      {strings.Replace(link, "INR", "USD", 1), "500.00", "Do not use this code", `class="qr"`},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			f.answer = func(edge.Request) (op.State, string) { return op.Succeeded, qrReply(c.link, c.amount) }
			v := open(t, f, newMemory())
			page := v.Get(v.Post("/qr", http.StatusSeeOther, "amount", "500", "form", "a"), http.StatusOK)
			webtest.Has(t, page, c.want)
			webtest.HasNot(t, page, c.not)
		})
	}
}

// TestCodeAfterARestart: a code that was shown is shown still; one whose answer a
// restart took is not known, and a memory that was changed is not believed.
func TestCodeAfterARestart(t *testing.T) {
	f, m := newFake(), newMemory()
	f.answer = func(edge.Request) (op.State, string) { return op.Succeeded, qrReply(link, "500.00") }
	v := open(t, f, m)
	path := v.Post("/qr", http.StatusSeeOther, "amount", "500", "form", "a")
	webtest.Has(t, v.Get(path, http.StatusOK), `class="qr"`)
	f.answer = func(edge.Request) (op.State, string) { return op.Accepted, "" }
	late := v.Post("/qr", http.StatusSeeOther, "amount", "70", "form", "b")
	f.ops = map[op.ID]*edge.View{}
	v = open(t, f, m)
	webtest.Has(t, v.Get(path, http.StatusOK), `class="qr"`, "₹500", "lakshmi@okbank", "not told when a payment arrives")
	v.Get(late, http.StatusNotFound)
	m.values[keptCodes] = []byte(strings.Replace(string(m.values[keptCodes]), "lakshmi@okbank&", "mallory@okbank&", 1))
	v = open(t, f, m)
	v.Get(path, http.StatusNotFound)
}

// TestKeptCodes: the newest codes are kept, within the limit.
func TestKeptCodes(t *testing.T) {
	f, m := newFake(), newMemory()
	f.answer = func(edge.Request) (op.State, string) { return op.Succeeded, qrReply(link, "500.00") }
	v := open(t, f, m)
	var first, last string
	for i := range maxCodes + 1 {
		last = v.Post("/qr", http.StatusSeeOther, "amount", "500", "form", string(rune('a'+i)))
		v.Get(last, http.StatusOK)
		if first == "" {
			first = last
		}
	}
	f.ops = map[op.ID]*edge.View{}
	v = open(t, f, m)
	v.Get(first, http.StatusNotFound)
	v.Get(last, http.StatusOK)
}

// TestPoster: the printed code is fetched once and printed without the line.
func TestPoster(t *testing.T) {
	f, m := newFake(), newMemory()
	static := strings.Replace(link, "&am=500.00", "", 1)
	f.answer = func(edge.Request) (op.State, string) { return op.Succeeded, qrReply(static, "0") }
	v := open(t, f, m)
	webtest.Has(t, v.Get("/qr/poster", http.StatusOK), "was not fetched yet")
	v.Post("/qr/poster", http.StatusSeeOther, "form", "a")
	f.refuse = &edge.PrecludedError{Code: "link", Message: "The line is down."}
	v = open(t, f, m)
	webtest.Has(t, v.Get("/qr/poster?paper=a5", http.StatusOK), "lakshmi@okbank", `class="qr"`, "shop-poster a5", "not told when a payment arrives")
	webtest.Has(t, v.Post("/qr/poster", http.StatusConflict, "form", "b"), "The line is down.", `class="qr"`)
}

// TestAmounts: typed and chosen amounts that differ are not chosen between.
func TestAmounts(t *testing.T) {
	for _, c := range []struct {
		typed, quick, wrong string
		want                money.Paise
	}{
		{"500", "", "", 500 * money.Rupee}, {"", "200", "", 200 * money.Rupee}, {"1,250.50", "", "", 125050},
		{"500", "200", "shop.qr.both", 0}, {"", "", "shop.qr.missing", 0}, {"0", "", "shop.qr.number", 0}, {"-5", "", "shop.qr.number", 0}, {"1.234", "", "shop.qr.number", 0},
	} {
		if got, wrong := readAmount(c.typed, c.quick); got != c.want || wrong != c.wrong {
			t.Errorf("%q %q: %d %q", c.typed, c.quick, got, wrong)
		}
	}
}

// TestOperatorsDoNotOnboard: only an owner sees the wizard, who typed the PIN again;
// codes are for all.
func TestOperatorsDoNotOnboard(t *testing.T) {
	f := newFake()
	v := open(t, f, newMemory())
	v.Leads("/enter?confirm=no&to=/enter/done")
	v.Get("/enter/done", http.StatusOK)
	for _, step := range []string{"begin", "mobile", "otp", "pan", "aadhaar", "finger", "submit", "status", "resend", "capture", "abandon"} {
		page := v.Post("/shop/aeps/"+step, http.StatusOK, "form", "f"+step, "otp", "482913", "pan", "ABCDE1234F")
		webtest.Has(t, page, "Your PIN again", `action="/confirm?next=%2Fshop%2Faeps"`)
		webtest.HasNot(t, page, "482913", "ABCDE1234F")
	}
	if len(f.asked) != 0 {
		t.Errorf("%d steps were taken with the session alone", len(f.asked))
	}
	if to := v.Post("/confirm?next=/shop/aeps", http.StatusSeeOther, "confirm", webtest.PIN); to != "/shop/aeps" {
		t.Errorf("the PIN leads to %s", to)
	}
	v.Post("/shop/aeps/begin", http.StatusSeeOther, "form", "a")
	if len(f.asked) != 1 {
		t.Error("the step was not taken after the PIN")
	}
	v.Leads("/enter?operator=raju&role=operator&to=/enter/done")
	v.Get("/enter/done", http.StatusOK)
	v.Get("/shop/aeps", http.StatusForbidden)
	v.Post("/shop/aeps/begin", http.StatusForbidden, "form", "a")
	v.Get("/qr", http.StatusOK)
}

// FuzzLink: no link is read that has two payees, no payee, or another scheme.
func FuzzLink(f *testing.F) {
	f.Add(link)
	f.Add("upi://pay?pa=a@b&PA=c@d")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := readLink(text)
		if err != nil {
			return
		}
		if !strings.Contains(c.VPA, "@") || c.Amount < 0 || !strings.HasPrefix(strings.ToLower(text), "upi:") {
			t.Errorf("%q was read as %+v", text, c)
		}
	})
}

// FuzzCodes: what the cache gives back is codes that may be shown, or nothing.
func FuzzCodes(f *testing.F) {
	f.Add([]byte(`[{"id":"x","link":"upi://pay?pa=a@b&am=1.00","vpa":"a@b","amount":100}]`))
	f.Add([]byte(`[{"link":"upi://pay?pa=a@b&am=1.00","vpa":"c@d","amount":100}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, _ := readCodes(b)
		for _, c := range all {
			if read, err := readLink(c.Link); err != nil || read.VPA != c.VPA || read.Amount != c.Amount {
				t.Errorf("%q would be shown as %+v", c.Link, c.code)
			}
		}
	})
}

// FuzzProgress: what the cache gives back never breaks the wizard.
func FuzzProgress(f *testing.F) {
	f.Add([]byte(`{"steps":{"begin":{"is":"done"}}}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, _ := readProgress(b)
		p.begin("otp", "x", webtest.Now())
		p.apply("otp", edge.View{Record: edge.Record{ID: "x", State: op.Succeeded}})
		if p.open() > len(steps) || formOf(p, "submit") == "" && p.open() < len(steps) {
			t.Error("no form is open")
		}
	})
}

// TestARefusedStatus: a network that knows no status lets the shop begin all the
// same.
func TestARefusedStatus(t *testing.T) {
	f := newFake()
	f.answer = func(edge.Request) (op.State, string) {
		return op.Failed, `{"statusCode":"01","message":"no such agent"}`
	}
	v := open(t, f, newMemory())
	send(v, "status")
	webtest.Has(t, v.Get("/shop/aeps", http.StatusOK), "This is the next step", `action="/shop/aeps/begin"`)
}
