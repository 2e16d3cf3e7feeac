package estate

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"galla/central"
	"galla/central/console"
	"galla/central/duty"
	"galla/central/operator"
	"galla/central/parties"
)

// Registry enrols and revokes terminals: central.Registry.
type Registry interface {
	Mint(ctx context.Context, merchant central.MerchantID, by central.Credential) (central.EnrolmentCode, error)
	Revoke(ctx context.Context, merchant central.MerchantID, id central.TerminalID) error
}

func (e *Estate) terminalRoutes() []console.Route {
	return []console.Route{
		get("terminals", operator.Viewer, e.terminals),
		get("terminals/{terminal}", operator.Viewer, e.terminal),
		post("terminals/{terminal}/revoke", operator.Operator, e.revokeTerminal),
		post("merchants/{merchant}/code", operator.Operator, e.mintCode),
	}
}

// clockTolerance is how far a terminal's clock may be off before its page says
// so: the edge corrects for it, but people read that clock.
const clockTolerance = time.Minute

// terminalView is a terminal as pages show it.
type terminalView struct {
	parties.Terminal
	ClientAt string // the page of the program whose code enrolled it, on its own page
}

// State is how it is, in a word; Tone is the word's colour.
func (t terminalView) State() string {
	switch {
	case !t.RevokedAt.IsZero():
		return "revoked"
	case t.Online:
		return "online"
	case t.ConnectedAt.IsZero():
		return "never seen"
	}
	return "offline"
}

// Tone is the state's colour.
func (t terminalView) Tone() string {
	return map[string]string{"online": "ok", "revoked": "bad", "offline": "warn"}[t.State()]
}

// Clock tells how its clock is, beside ours.
func (t terminalView) Clock() string {
	off := t.Ahead.Round(time.Second)
	switch {
	case t.ConnectedAt.IsZero():
		return ""
	case off.Abs() < time.Second:
		return "right"
	case off > 0:
		return roughly(off) + " ahead"
	}
	return roughly(-off) + " behind"
}

// roughly is a time in its largest unit.
func roughly(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}

// ClockWrong tells whether people at the counter would see it.
func (t terminalView) ClockWrong() bool { return t.Ahead.Abs() > clockTolerance }

// terminalsTable is a page of a list of terminals: of all merchants, of a program, or
// of a merchant, on its own page or not.
type terminalsTable struct {
	List  []terminalView
	Own   bool
	Of    bool // of a program or a merchant, which are counted
	Count parties.TerminalCount
	More  string // where the next page is; empty: there is none
}

// Whole tells whether the list has all that there are.
func (t terminalsTable) Whole() bool { return len(t.List) == t.Count.All() }

// terminalsOf reads the page of a list that the address names; the next one is at
// the given address. A list that is longer than its page says so, and leads on.
func (e *Estate) terminalsOf(v *console.Visit, f parties.TerminalFilter, at string) (t terminalsTable, err error) {
	q := v.Query()
	f.After, f.AfterRevoked = central.TerminalID(q.Get("after")), q.Get("revoked") != ""
	f.Alive, f.Limit = time.Now().Add(-duty.NodeSilence), pageSize+1
	list, err := e.Roll.TerminalsBy(v.Context(), f)
	if t.Of = f.Client != "" || f.Merchant != ""; err == nil && t.Of {
		t.Count, err = e.Roll.TerminalCount(v.Context(), f)
	}
	if err != nil {
		return terminalsTable{}, err
	}
	if len(list) > pageSize {
		list = list[:pageSize]
		next := f.Next(list[pageSize-1])
		to := url.Values{"after": {string(next.After)}}
		if next.AfterRevoked {
			to.Set("revoked", "yes")
		}
		if f.State != parties.AnyTerminal {
			to.Set("state", string(f.State))
		}
		if f.Merchant != "" {
			to.Set("merchant", string(f.Merchant))
		}
		t.More = at + "?" + to.Encode()
	}
	for _, x := range list {
		t.List = append(t.List, terminalView{Terminal: x})
	}
	return t, nil
}

// terminalsPage is the list's data.
type terminalsPage struct {
	Terminals terminalsTable
	Merchant  string
	State     parties.TerminalState
	States    []parties.TerminalState
}

func (e *Estate) terminals(v *console.Visit) {
	q := v.Query()
	d := terminalsPage{
		Merchant: q.Get("merchant"), State: parties.TerminalState(q.Get("state")),
		States: []parties.TerminalState{parties.OnlineTerminal, parties.OfflineTerminal, parties.RevokedTerminal},
	}
	var err error
	d.Terminals, err = e.terminalsOf(v, parties.TerminalFilter{Merchant: central.MerchantID(d.Merchant), State: d.State}, console.Root+"terminals")
	if err != nil {
		v.Fail(err)
		return
	}
	v.Show(http.StatusOK, console.Page{Name: "terminals", Title: "Terminals", Data: d})
}

func (e *Estate) terminal(v *console.Visit) { e.showTerminal(v, http.StatusOK, "") }

func (e *Estate) findTerminal(v *console.Visit) (terminalView, error) {
	t, err := e.Roll.TerminalNow(v.Context(), central.TerminalID(v.Path("terminal")), time.Now().Add(-duty.NodeSilence))
	view := terminalView{Terminal: t}
	if err == nil && t.Client != "" {
		var x central.Client
		x, err = e.Roll.Client(v.Context(), t.Client)
		view.ClientAt = pageOf(x.Principal) + "/clients/" + x.ID
	}
	return view, err
}

func (e *Estate) showTerminal(v *console.Visit, status int, alert string) {
	t, err := e.findTerminal(v)
	if err != nil {
		v.Fail(err)
		return
	}
	v.Show(status, console.Page{Name: "terminal", Title: t.Name, Back: console.Root + "terminals", Alert: alert, Data: t})
}

func (e *Estate) revokeTerminal(v *console.Visit) {
	t, err := e.findTerminal(v)
	if err != nil {
		v.Fail(err)
		return
	}
	here := console.Root + "terminals/" + string(t.ID)
	if !v.Sure() {
		text := "Its connection ends at once, and its key opens nothing any more. What it sent before goes on to its end."
		if t.Unresolved > 0 {
			text += fmt.Sprintf(" At its last hello it had %d operations without a last word: it will not be told of them.", t.Unresolved)
		}
		ask(v, sure{Question: "Revoke " + t.Name + " of " + t.MerchantName + "?", Text: text, Action: here + "/revoke", Back: here, Button: "Yes, revoke"})
		return
	}
	err = v.Do(operator.Change{What: "terminal.revoke", Subject: string(t.ID), Was: t.State(), Became: "revoked"}, func(ctx context.Context) error {
		return words(e.Registry.Revoke(ctx, t.Merchant, t.ID))
	})
	if err != nil {
		if status, text, ok := v.Told(err); ok {
			e.showTerminal(v, status, text)
		}
		return
	}
	v.To(here, "terminal-revoked")
}

// mintCode makes a one-time enrolment code, and shows it once. Only a merchant
// that may call gets one.
func (e *Estate) mintCode(v *console.Visit) {
	m, err := e.Roll.Merchant(v.Context(), central.MerchantID(v.Path("merchant")))
	if err != nil {
		v.Fail(err)
		return
	}
	var code central.EnrolmentCode
	err = v.Do(operator.Change{What: "terminal.code", Subject: string(m.ID)}, func(ctx context.Context) (err error) {
		if m.Status != central.MerchantApproved {
			return &console.Refusal{Status: http.StatusConflict, Text: "The merchant is not approved: its terminals could not call."}
		}
		code, err = e.Registry.Mint(ctx, m.ID, central.Credential{})
		return words(err)
	})
	if err != nil {
		if status, text, ok := v.Told(err); ok {
			e.showMerchant(v, m.ID, status, text)
		}
		return
	}
	v.Show(http.StatusOK, console.Page{Name: "once", Title: "Enrolment code", Back: console.Root + "merchants/" + string(m.ID), Data: once{
		Lead:  "For the next terminal of " + m.LegalName + ". The counter's program asks for it when it is installed.",
		Lines: []line{{"Code", code.Code.Reveal()}, {"Works until", code.ExpiresAt.In(india).Format("15:04:05") + ", once"}},
		Note:  "It is not shown again. Read it out only to the person at the counter.",
	}})
}
