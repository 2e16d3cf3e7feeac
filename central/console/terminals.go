package console

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"galla/central"

	"galla/central/accounts"
	"galla/central/staff"
	"galla/shared/ist"
)

// Registry makes enrolment codes; central.TerminalRegistry implements it.
type Registry interface {
	CreateEnrolmentCode(ctx context.Context, merchant central.MerchantID, by central.Credential) (central.EnrolmentCode, error)
}

func (e *PartyPages) terminalRoutes() []route {
	return []route{
		getRoute("terminals", staff.Viewer, e.terminals),
		getRoute("terminals/{terminal}", staff.Viewer, e.terminal),
		postRoute("terminals/{terminal}/revoke", staff.Operator, of(e.findTerminal, e.revokeTerminal)),
		postRoute("merchants/{merchant}/code", staff.Operator, of(e.findMerchant, e.mintCode)),
	}
}

// clockTolerance is how far a terminal's clock may be off before its page warns: the
// terminal corrects for it, but people read that clock.
const clockTolerance = time.Minute

// terminalView is a terminal as pages show it.
type terminalView struct {
	accounts.Terminal
	ClientAt string // address of the program whose code enrolled it
}

// Tone is the state's CSS class.
func (t terminalView) Tone() string {
	return map[string]string{"online": "ok", "revoked": "bad", "offline": "warn"}[t.Status()]
}

// Clock describes its clock, compared with ours.
func (t terminalView) Clock() string {
	off := t.ClockAhead.Round(time.Second)
	switch {
	case t.ConnectedAt.IsZero():
		return ""
	case off.Abs() < time.Second:
		return "right"
	case off > 0:
		return approximate(off) + " ahead"
	}
	return approximate(-off) + " behind"
}

// approximate prints a duration in its largest unit.
func approximate(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}

// ClockWrong reports whether the page warns of the clock.
func (t terminalView) ClockWrong() bool { return t.ClockAhead.Abs() > clockTolerance }

// terminalsTable is one page of a list of terminals: of all, of a program's, or of a
// merchant's.
type terminalsTable struct {
	List  []terminalView
	Own   bool // on its merchant's page
	Of    bool // of a program or a merchant, with Count
	Count accounts.TerminalCount
	More  string // address of the next page; empty: none
}

// Whole reports whether the page has the whole list.
func (t terminalsTable) Whole() bool { return len(t.List) == t.Count.All() }

// terminalsOf reads the page of a list that the address names; path is the list's, for
// the next page.
func (e *PartyPages) terminalsOf(v *visit, f accounts.TerminalFilter, path string) (t terminalsTable, err error) {
	q := v.query()
	f.After, f.AfterRevoked = central.TerminalID(q.Get("after")), q.Get("revoked") != ""
	f.AliveSince, f.Limit = time.Now().Add(-accounts.NodeTimeout), pageSize+1
	list, err := e.Accounts.TerminalsBy(v.Context(), f)
	if t.Of = f.Client != "" || f.Merchant != ""; err == nil && t.Of {
		t.Count, err = e.Accounts.TerminalCount(v.Context(), f)
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
		if f.State != accounts.AnyTerminal {
			to.Set("state", string(f.State))
		}
		if f.Merchant != "" {
			to.Set("merchant", string(f.Merchant))
		}
		t.More = path + "?" + to.Encode()
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
	State     accounts.TerminalState
	States    []accounts.TerminalState
}

func (e *PartyPages) terminals(v *visit) error {
	q := v.query()
	d := terminalsPage{
		Merchant: q.Get("merchant"), State: accounts.TerminalState(q.Get("state")),
		States: []accounts.TerminalState{accounts.OnlineTerminal, accounts.OfflineTerminal, accounts.RevokedTerminal},
	}
	var err error
	d.Terminals, err = e.terminalsOf(v, accounts.TerminalFilter{Merchant: central.MerchantID(d.Merchant), State: d.State}, Root+"terminals")
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, page{Name: "terminals", Title: "Terminals", Data: d})
}

func (e *PartyPages) terminal(v *visit) error { return e.showTerminal(v, http.StatusOK, "") }

func (e *PartyPages) findTerminal(v *visit) (terminalView, error) {
	t, err := e.Accounts.TerminalWithPresence(v.Context(), central.TerminalID(v.path("terminal")), time.Now().Add(-accounts.NodeTimeout))
	view := terminalView{Terminal: t}
	if err == nil && t.Client != "" {
		var x central.Client
		x, err = e.Accounts.Client(v.Context(), t.Client)
		view.ClientAt = partyPath(x.Principal) + "/clients/" + x.ID
	}
	return view, err
}

func (e *PartyPages) showTerminal(v *visit, status int, alert string) error {
	t, err := e.findTerminal(v)
	if err != nil {
		return err
	}
	return v.show(status, page{Name: "terminal", Title: t.Name, Back: Root + "terminals", Alert: alert, Data: t})
}

func (e *PartyPages) revokeTerminal(v *visit, t terminalView) error {
	here := Root + "terminals/" + string(t.ID)
	if !v.confirmed() {
		text := "Its connection ends at once, and its key is not accepted any more. Operations that it has sent go on."
		if t.Unresolved > 0 {
			text += fmt.Sprintf(" When it last connected it had %d operations without a final outcome, which it will not receive.", t.Unresolved)
		}
		return askToConfirm(v, confirmPage{Question: "Revoke " + t.Name + " of " + t.MerchantName + "?", Text: text, Action: here + "/revoke", Back: here, Button: "Revoke"})
	}
	err := withWords(e.Clients.RevokeTerminal(v.Context(), v.Actor(), t.ID))
	return v.after(err, func(status int, text string) error { return e.showTerminal(v, status, text) }, here, "terminal-revoked")
}

// mintCode makes an enrolment code for an approved merchant, and shows it once.
func (e *PartyPages) mintCode(v *visit, m central.Merchant) error {
	var code central.EnrolmentCode
	err := v.runAudited(staff.Change{What: "terminal.code", Subject: string(m.ID)}, func(ctx context.Context) (err error) {
		if m.Status != central.MerchantApproved {
			return &refusal{status: http.StatusConflict, text: "The merchant is not approved: requests of its terminals would be refused."}
		}
		code, err = e.Registry.CreateEnrolmentCode(ctx, m.ID, central.Credential{})
		return withWords(err)
	})
	if err != nil {
		return v.refuse(err, func(status int, text string) error { return e.showMerchant(v, m.ID, status, text) })
	}
	return v.show(http.StatusOK, page{Name: "one-time", Title: "Enrolment code", Back: Root + "merchants/" + string(m.ID), Data: oneTimePage{
		Lead:  "For the next terminal of " + m.LegalName + ". The terminal's installation asks for it.",
		Lines: []labelValue{{"Code", code.Code.Reveal()}, {"Works until", code.ExpiresAt.In(ist.Zone()).Format("15:04:05") + ", once"}},
		Note:  "It is not shown again. Tell it only to the person who installs the terminal.",
	}})
}
