package screen

import (
	"net/http"
	"strings"
	"testing"

	"galla/edge"
	"galla/edge/web/webtest"
)

// TestSwitchingOperators: each operator has an own PIN, the page that was left
// comes back, and the day's finger of one is not the other's.
func TestSwitchingOperators(t *testing.T) {
	v := visit(t)
	v.f.others = []edge.Operator{{ID: "a1", Name: "Asha", Role: edge.RoleOperator}}
	v.f.change(func(s *edge.Status) {
		s.Session = edge.SessionState{Known: true, Active: true, Operator: "Fatima", ExpiresAt: s.Now.Add(5e12)}
	})
	webtest.Has(t, v.Get("/unlock", http.StatusOK), "Who stands at the counter?", "Fatima", "Asha")
	webtest.Has(t, v.Post("/unlock", http.StatusUnprocessableEntity, "pin", rightPIN), "Who stands at the counter?")
	webtest.Has(t, v.Post("/unlock", http.StatusUnprocessableEntity, "pin", rightPIN, "who", "nobody"), "Who stands at the counter?")
	if to := v.Post("/unlock", http.StatusSeeOther, "pin", rightPIN, "who", edge.AgentID); to != "/" {
		t.Errorf("unlocking leads to %s", to)
	}
	webtest.Has(t, v.Get("/new/withdrawal", http.StatusOK), `name="here" value="/new/withdrawal"`)
	to := v.Post("/lock", http.StatusSeeOther, "here", "/new/withdrawal")
	if to != "/unlock?next=%2Fnew%2Fwithdrawal" {
		t.Errorf("locking leads to %s", to)
	}
	page := v.Get(to, http.StatusOK)
	if i := strings.Index(page, `value="agent"`); i < 0 || !strings.Contains(page[i:min(i+120, len(page))], "checked") {
		t.Error("who unlocked the counter last is not chosen")
	}
	if to := v.Post("/unlock", http.StatusSeeOther, "pin", rightPIN, "who", "a1", "next", "/new/withdrawal"); to != "/new/withdrawal" {
		t.Errorf("the switch leads to %s", to)
	}
	if to := v.Leads("/new/withdrawal"); to != "/day?next=withdrawal" {
		t.Errorf("Asha moves money on Fatima's finger: %s", to)
	}
	webtest.Has(t, v.Get("/day", http.StatusOK), "Asha")
}

// TestWhoGaveTheCash: the page of an operation names who confirmed the cash, who
// need not be the one who began it.
func TestWhoGaveTheCash(t *testing.T) {
	v := visit(t)
	v.f.others = []edge.Operator{{ID: "a1", Name: "Asha", Role: edge.RoleOperator}}
	id := v.f.add(cashOp(paid))
	v.Get("/unlock", http.StatusOK)
	v.Post("/unlock", http.StatusSeeOther, "pin", rightPIN, "who", "a1")
	v.Get("/op/"+string(id), http.StatusOK)
	v.Post("/op/"+string(id)+"/cash", http.StatusSeeOther)
	webtest.Has(t, v.Get("/op/"+string(id), http.StatusOK), "10:15:00 · Asha")
}

// TestLockLeadsNowhereElse: where a lock comes back to is of this counter.
func TestLockLeadsNowhereElse(t *testing.T) {
	v := unlocked(t)
	if to := v.Post("/lock", http.StatusSeeOther, "here", "https://evil.example/"); to != "/unlock" {
		t.Errorf("locking leads to %s", to)
	}
}

// TestOneWaits: the wait of one operator keeps the others from nothing.
func TestOneWaits(t *testing.T) {
	v := visit(t)
	v.f.others = []edge.Operator{{ID: "a1", Name: "Asha", Role: edge.RoleOperator}}
	v.Get("/unlock", http.StatusOK)
	for range 4 {
		v.Post("/unlock", http.StatusUnauthorized, "pin", "1111", "who", "a1")
	}
	webtest.Has(t, v.Post("/unlock", http.StatusTooManyRequests, "pin", "1111", "who", "a1"), "looked at in", `data-waits="{&#34;a1&#34;:30}"`)
	webtest.Has(t, v.Get("/unlock?who=a1", http.StatusOK), "looked at in")
	webtest.HasNot(t, v.Get("/unlock", http.StatusOK), `class="said">Too many`)
	v.Post("/unlock", http.StatusSeeOther, "pin", rightPIN, "who", edge.AgentID)
}

// TestTwoOperators: what one operator began the other one sees as it is; who
// hands over the cash is recorded, once.
func TestTwoOperators(t *testing.T) {
	v := visit(t)
	v.f.others = []edge.Operator{{ID: "a1", Name: "Asha", Role: edge.RoleOperator}}
	v.Get("/unlock", http.StatusOK)
	v.Post("/unlock", http.StatusSeeOther, "pin", rightPIN, "who", edge.AgentID)
	v.Get("/new/withdrawal", http.StatusOK)
	at := v.Post("/new/withdrawal", http.StatusSeeOther, filled()...)
	id := v.f.latest(t)

	asha := webtest.Visit(t, v.Base, v.HTTP.Transport)
	asha.Get("/unlock", http.StatusOK)
	asha.Post("/unlock", http.StatusSeeOther, "pin", rightPIN, "who", "a1")
	webtest.Has(t, asha.Get("/", http.StatusOK), "Shivshankar Choudhury", "Not settled yet")
	asha.Get(at, http.StatusOK)
	v.Post(at+"/capture", http.StatusSeeOther)
	asha.Post(at+"/capture", http.StatusSeeOther) // the same finger, for both
	v.f.move(id, paid)
	for _, one := range []*webtest.Visitor{v.Visitor, asha} {
		if got := webtest.Says(t, one.Get(at, http.StatusOK)); got != "GIVE CASH ₹500" {
			t.Errorf("one operator reads %q", got)
		}
	}
	asha.Post(at+"/cash", http.StatusSeeOther)
	v.Post(at+"/cash", http.StatusSeeOther)
	if got := webtest.Says(t, v.Get(at, http.StatusOK)); got != "CASH GIVEN ₹500" {
		t.Errorf("the other operator reads %q", got)
	}
	if now, err := v.f.Operation(id); err != nil || now.CashBy != "Asha" || now.Operator != "Fatima" || v.f.begun() != 1 {
		t.Errorf("begun by %s, cash by %s, of %d (%v)", now.Operator, now.CashBy, v.f.begun(), err)
	}
}

// TestGivenPIN: a PIN that an owner set opens no page; its operator chooses an
// own one first, on the same page, without typing the other one again.
func TestGivenPIN(t *testing.T) {
	v := visit(t)
	v.f.others, v.f.given = []edge.Operator{{ID: "a1", Name: "Asha", Role: edge.RoleOperator}}, map[string]bool{"a1": true}
	v.Get("/unlock", http.StatusOK)
	page := v.Post("/unlock?next=/line", http.StatusOK, "pin", givenPIN, "who", "a1")
	webtest.Has(t, page, "Choose your own PIN", "Asha, an owner set your PIN", `action="/unlock?next=%2fline"`)
	webtest.HasNot(t, page, givenPIN)
	if to := v.Leads("/line"); !strings.HasPrefix(to, "/unlock") {
		t.Errorf("the counter is open before an own PIN was chosen: %s", to)
	}
	own := func(status int, who, pin, again string) string {
		return v.Post("/unlock?next=/line", status, "who", who, "own", pin, "again", again)
	}
	webtest.Has(t, own(http.StatusUnprocessableEntity, "a1", "12", "12"), "4 to 12 digits", "Choose your own PIN")
	webtest.Has(t, own(http.StatusUnprocessableEntity, "a1", "1234", "1234"), "easy to guess")
	webtest.Has(t, own(http.StatusUnprocessableEntity, "a1", givenPIN, givenPIN), "set for you. Choose another")
	webtest.Has(t, own(http.StatusUnprocessableEntity, "a1", rightPIN, "8265"), "The two PINs differ")
	webtest.Has(t, own(http.StatusForbidden, edge.AgentID, rightPIN, rightPIN), "The page was old") // nobody typed that one's
	stranger := webtest.Visit(t, v.Base, v.HTTP.Transport)
	stranger.Get("/unlock", http.StatusOK)
	webtest.Has(t, stranger.Post("/unlock", http.StatusForbidden, "who", "a1", "own", rightPIN, "again", rightPIN), "The page was old")
	if to := own(http.StatusSeeOther, "a1", rightPIN, rightPIN); to != "/line" {
		t.Errorf("the own PIN leads to %s", to)
	}
	webtest.Has(t, v.Get("/line", http.StatusOK), "Asha")
	v.Post("/lock", http.StatusSeeOther)
	v.Get("/unlock", http.StatusOK)
	webtest.Has(t, own(http.StatusForbidden, "a1", "7913", "7913"), "The page was old") // used already
	v.Post("/unlock", http.StatusSeeOther, "pin", rightPIN, "who", "a1")
}

// TestListJudgesSessions: a page that is open does nothing more for one who was
// put out, renamed or given another role, whoever did it and by whatever way.
func TestListJudgesSessions(t *testing.T) {
	for name, then := range map[string][]edge.Operator{
		"put out": nil,
		"renamed": {{ID: "a1", Name: "Usha", Role: edge.RoleOwner}},
		"demoted": {{ID: "a1", Name: "Asha", Role: edge.RoleOperator}},
	} {
		t.Run(name, func(t *testing.T) {
			v := visit(t)
			v.f.others = []edge.Operator{{ID: "a1", Name: "Asha", Role: edge.RoleOwner, Language: "en"}}
			id := v.f.add(cashOp(paid))
			v.Get("/unlock", http.StatusOK)
			v.Post("/unlock", http.StatusSeeOther, "pin", rightPIN, "who", "a1")
			v.Get("/op/"+string(id), http.StatusOK)
			v.f.mu.Lock()
			v.f.others = then
			v.f.mu.Unlock()
			if to := v.Post("/op/"+string(id)+"/cash", http.StatusSeeOther); !strings.HasPrefix(to, "/unlock") {
				t.Errorf("the step led to %s", to)
			}
			if now, err := v.f.Operation(id); err != nil || !now.CashGiven.IsZero() {
				t.Errorf("the cash was confirmed: %v", err)
			}
		})
	}
}
