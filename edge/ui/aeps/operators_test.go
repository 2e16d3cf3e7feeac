package aeps

import (
	"net/http"
	"strings"
	"testing"

	"galla/edge"
	"galla/edge/ui/uitest"
)

// TestSwitchingOperators: each user has an own PIN, the lock returns to the page, and the
// daily authentication of one is not the other's.
func TestSwitchingOperators(t *testing.T) {
	v := visit(t)
	v.f.others = []edge.User{{ID: "a1", Name: "Asha", Role: edge.RoleOperator}}
	v.f.change(func(s *edge.Status) {
		s.Session = edge.SessionState{Known: true, Active: true, User: "Fatima", UserID: edge.AgentID, ExpiresAt: s.Now.Add(5e12)}
	})
	uitest.Contains(t, v.Get("/unlock", http.StatusOK), "Who is at the counter?", "Fatima", "Asha")
	uitest.Contains(t, v.Post("/unlock", http.StatusUnprocessableEntity, "pin", rightPIN), "Who is at the counter?")
	uitest.Contains(t, v.Post("/unlock", http.StatusUnprocessableEntity, "pin", rightPIN, "who", "nobody"), "Who is at the counter?")
	if to := v.Post("/unlock", http.StatusSeeOther, "pin", rightPIN, "who", edge.AgentID); to != "/" {
		t.Errorf("unlocking leads to %s", to)
	}
	uitest.Contains(t, v.Get("/new/withdrawal", http.StatusOK), `name="here" value="/new/withdrawal"`)
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
	if to := v.GetRedirect("/new/withdrawal"); to != "/sign-in?next=withdrawal" {
		t.Errorf("Asha moves money on Fatima's finger: %s", to)
	}
	uitest.Contains(t, v.Get("/sign-in", http.StatusOK), "Asha")
}

// TestWhoGaveTheCash: the page of an operation names who confirmed the cash, not
// necessarily who created it.
func TestWhoGaveTheCash(t *testing.T) {
	v := visit(t)
	v.f.others = []edge.User{{ID: "a1", Name: "Asha", Role: edge.RoleOperator}}
	id := v.f.add(cashOp(paid))
	v.Get("/unlock", http.StatusOK)
	v.Post("/unlock", http.StatusSeeOther, "pin", rightPIN, "who", "a1")
	v.Get("/op/"+string(id), http.StatusOK)
	v.Post("/op/"+string(id)+"/cash", http.StatusSeeOther)
	uitest.Contains(t, v.Get("/op/"+string(id), http.StatusOK), "10:15:00 · Asha")
}

// TestLockLeadsNowhereElse: a lock returns to pages of this counter only.
func TestLockLeadsNowhereElse(t *testing.T) {
	v := unlocked(t)
	if to := v.Post("/lock", http.StatusSeeOther, "here", "https://evil.example/"); to != "/unlock" {
		t.Errorf("locking leads to %s", to)
	}
}

// TestOneWaits: one user's wait after wrong PINs does not affect others.
func TestOneWaits(t *testing.T) {
	v := visit(t)
	v.f.others = []edge.User{{ID: "a1", Name: "Asha", Role: edge.RoleOperator}}
	v.Get("/unlock", http.StatusOK)
	for range 4 {
		v.Post("/unlock", http.StatusUnauthorized, "pin", "1111", "who", "a1")
	}
	uitest.Contains(t, v.Post("/unlock", http.StatusTooManyRequests, "pin", "1111", "who", "a1"), "Try again in", `data-waits="{&#34;a1&#34;:30}"`)
	uitest.Contains(t, v.Get("/unlock?who=a1", http.StatusOK), "Try again in")
	uitest.NotContains(t, v.Get("/unlock", http.StatusOK), `class="said">Too many`)
	v.Post("/unlock", http.StatusSeeOther, "pin", rightPIN, "who", edge.AgentID)
}

// TestTwoOperators: both users see the operation of one; who hands over the cash is
// recorded, once.
func TestTwoOperators(t *testing.T) {
	v := visit(t)
	v.f.others = []edge.User{{ID: "a1", Name: "Asha", Role: edge.RoleOperator}}
	v.Get("/unlock", http.StatusOK)
	v.Post("/unlock", http.StatusSeeOther, "pin", rightPIN, "who", edge.AgentID)
	v.Get("/new/withdrawal", http.StatusOK)
	at := v.Post("/new/withdrawal", http.StatusSeeOther, filled()...)
	id := v.f.latest(t)

	asha := uitest.NewClient(t, v.Base, v.HTTP.Transport)
	asha.Get("/unlock", http.StatusOK)
	asha.Post("/unlock", http.StatusSeeOther, "pin", rightPIN, "who", "a1")
	uitest.Contains(t, asha.Get("/", http.StatusOK), "Shivshankar Choudhury", "Unfinished")
	asha.Get(at, http.StatusOK)
	v.Post(at+"/capture", http.StatusSeeOther)
	asha.Post(at+"/capture", http.StatusSeeOther) // one finger for both
	v.f.move(id, paid)
	for _, one := range []*uitest.Client{v.Client, asha} {
		if got := uitest.Heading(t, one.Get(at, http.StatusOK)); got != "GIVE CASH ₹500" {
			t.Errorf("one operator reads %q", got)
		}
	}
	asha.Post(at+"/cash", http.StatusSeeOther)
	v.Post(at+"/cash", http.StatusSeeOther)
	if got := uitest.Heading(t, v.Get(at, http.StatusOK)); got != "CASH GIVEN ₹500" {
		t.Errorf("the other operator reads %q", got)
	}
	if now, err := v.f.Operation(id); err != nil || now.CashBy != "Asha" || now.User != "Fatima" || v.f.begun() != 1 {
		t.Errorf("begun by %s, cash by %s, of %d (%v)", now.User, now.CashBy, v.f.begun(), err)
	}
}

// TestInitialPIN: a PIN that an owner set opens no page; its user first chooses an own one
// on the same page, without typing the initial one again.
func TestInitialPIN(t *testing.T) {
	v := visit(t)
	v.f.others, v.f.initial = []edge.User{{ID: "a1", Name: "Asha", Role: edge.RoleOperator}}, map[string]bool{"a1": true}
	v.Get("/unlock", http.StatusOK)
	page := v.Post("/unlock?next=/connection", http.StatusOK, "pin", initialPINValue, "who", "a1")
	uitest.Contains(t, page, "Choose your own PIN", "Asha, an owner set your PIN", `action="/unlock?next=%2fconnection"`)
	uitest.NotContains(t, page, initialPINValue)
	if to := v.GetRedirect("/connection"); !strings.HasPrefix(to, "/unlock") {
		t.Errorf("the counter is open before an own PIN was chosen: %s", to)
	}
	own := func(status int, who, pin, again string) string {
		return v.Post("/unlock?next=/connection", status, "who", who, "own", pin, "again", again)
	}
	uitest.Contains(t, own(http.StatusUnprocessableEntity, "a1", "12", "12"), "4 to 12 digits", "Choose your own PIN")
	uitest.Contains(t, own(http.StatusUnprocessableEntity, "a1", "1234", "1234"), "easy to guess")
	uitest.Contains(t, own(http.StatusUnprocessableEntity, "a1", initialPINValue, initialPINValue), "An owner set this PIN. Choose another")
	uitest.Contains(t, own(http.StatusUnprocessableEntity, "a1", rightPIN, "8265"), "The two PINs differ")
	uitest.Contains(t, own(http.StatusForbidden, edge.AgentID, rightPIN, rightPIN), "The page was out of date") // the PIN of another user
	unknown := uitest.NewClient(t, v.Base, v.HTTP.Transport)
	unknown.Get("/unlock", http.StatusOK)
	uitest.Contains(t, unknown.Post("/unlock", http.StatusForbidden, "who", "a1", "own", rightPIN, "again", rightPIN), "The page was out of date")
	if to := own(http.StatusSeeOther, "a1", rightPIN, rightPIN); to != "/connection" {
		t.Errorf("the own PIN leads to %s", to)
	}
	uitest.Contains(t, v.Get("/connection", http.StatusOK), "Asha")
	v.Post("/lock", http.StatusSeeOther)
	v.Get("/unlock", http.StatusOK)
	uitest.Contains(t, own(http.StatusForbidden, "a1", "7913", "7913"), "The page was out of date") // it was used already
	v.Post("/unlock", http.StatusSeeOther, "pin", rightPIN, "who", "a1")
}

// TestChangedUserIsLocked: an open page does nothing more for a user who was disabled,
// renamed or given another role, however that happened.
func TestChangedUserIsLocked(t *testing.T) {
	for name, then := range map[string][]edge.User{
		"put out": nil,
		"renamed": {{ID: "a1", Name: "Usha", Role: edge.RoleOwner}},
		"demoted": {{ID: "a1", Name: "Asha", Role: edge.RoleOperator}},
	} {
		t.Run(name, func(t *testing.T) {
			v := visit(t)
			v.f.others = []edge.User{{ID: "a1", Name: "Asha", Role: edge.RoleOwner, Language: "en"}}
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
			if now, err := v.f.Operation(id); err != nil || !now.CashGivenAt.IsZero() {
				t.Errorf("the cash was confirmed: %v", err)
			}
		})
	}
}
