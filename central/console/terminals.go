package console

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
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
	accounts.Health
	ClientAt string // address of the program whose code enrolled it
}

// LastSeen is when it connected or left last.
func (t terminalView) LastSeen() time.Time {
	if t.LeftAt.After(t.SeenAt) {
		return t.LeftAt
	}
	return t.SeenAt
}

// KeySum is the SHA-256 of its public key, in groups.
func (t terminalView) KeySum() string {
	sum := sha256.Sum256(t.PublicKey)
	return strings.Join(slices.Collect(func(yield func(string) bool) {
		for part := range slices.Chunk(sum[:16], 2) {
			if !yield(hex.EncodeToString(part)) {
				return
			}
		}
	}), " ")
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
	More  string     // address of the next page; empty: none
	Order *partyList // the list that is sorted by a column; nil: it can't be
}

// Whole reports whether the page has the whole list.
func (t terminalsTable) Whole() bool { return len(t.List) == t.Count.All() }

// terminalsOf reads the page of a list that the address names; l is the list's, for the next
// page.
func (e *PartyPages) terminalsOf(v *visit, f accounts.TerminalFilter, l partyList) (t terminalsTable, err error) {
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
		t.More = l.with(to)
	}
	t.List, err = e.terminalRows(v.Context(), list, time.Now())
	return t, err
}

// terminalRows adds to terminals how they do.
func (e *PartyPages) terminalRows(ctx context.Context, list []accounts.Terminal, now time.Time) ([]terminalView, error) {
	var merchants []central.MerchantID
	for _, x := range list {
		if !slices.Contains(merchants, x.Merchant) {
			merchants = append(merchants, x.Merchant)
		}
	}
	health, err := e.Accounts.HealthOf(ctx, merchants, now)
	rows := make([]terminalView, len(list))
	for i, x := range list {
		rows[i] = terminalView{Terminal: x, Health: health.Terminals[x.ID]}
		rows[i].Since = health.Merchants[x.Merchant].Since // its operations were looked for among the merchant's
	}
	return rows, err
}

// terminalsPage is the list's data.
type terminalsPage struct {
	partyList
	Terminals    terminalsTable
	Merchant     string
	MerchantName string
	Choices      []link // merchants of the typed name
	Text         string
	State        accounts.TerminalState
	States       []accounts.TerminalState
}

func (e *PartyPages) terminals(v *visit) error {
	l, wrongSort := readPartyList(v, "terminals", "text", "merchant", "state")
	d := terminalsPage{
		partyList: l, Text: l.fields.Get("text"), Merchant: l.fields.Get("merchant"),
		States: []accounts.TerminalState{accounts.OnlineTerminal, accounts.OfflineTerminal, accounts.RevokedTerminal},
	}
	var wrong error
	d.State, wrong = choose(l, "state", d.States...)
	wrongMerchant, err := e.chooseMerchant(v.Context(), &d)
	if err != nil {
		return err
	}
	if err := joinRefusals(wrong, wrongSort, wrongMerchant); err != nil {
		return v.refuse(err, func(status int, text string) error {
			return v.show(status, page{Name: "terminals", Title: "Terminals", Alert: text, Data: d})
		})
	}
	if len(d.Choices) == 0 {
		if err := e.listTerminals(v, &d); err != nil {
			return err
		}
	}
	return v.show(http.StatusOK, page{Name: "terminals", Title: "Terminals", Data: d})
}

// chooseMerchant turns the name of the filter's merchant into its id. wrong says that there is
// none; several are choices.
func (e *PartyPages) chooseMerchant(ctx context.Context, d *terminalsPage) (wrong, err error) {
	if d.Merchant == "" {
		return nil, nil
	}
	found, err := e.named(ctx, "merchant", d.Merchant, maxChoices)
	if err != nil {
		return nil, err
	}
	one, err := chooseOne("merchant", d.Merchant, found)
	if many := (*manyNames)(nil); errors.As(err, &many) {
		for _, x := range many.of {
			d.Choices = append(d.Choices, link{d.with(url.Values{"merchant": {x.ID}}), x.Name + " · " + x.ID})
		}
		return nil, nil
	}
	if err == nil {
		d.Merchant, d.MerchantName = one.ID, one.Name
		d.fields.Set("merchant", one.ID)
	}
	return err, nil
}

// listTerminals reads one page of the list: in its own order, or the first ones by today's
// figures.
func (e *PartyPages) listTerminals(v *visit, d *terminalsPage) (err error) {
	f := accounts.TerminalFilter{Merchant: central.MerchantID(d.Merchant), State: d.State, Text: d.Text}
	if d.Sort == "" {
		d.Terminals, err = e.terminalsOf(v, f, d.partyList)
		d.Terminals.Order = &d.partyList
		return err
	}
	now := time.Now()
	f.AliveSince = now.Add(-accounts.NodeTimeout)
	day, err := e.Accounts.TodayByParty(v.Context(), now)
	if err != nil {
		return err
	}
	list, err := readRanked(rank(day.Terminals, d.Sort),
		func(ids []central.TerminalID) ([]accounts.Terminal, error) {
			return e.Accounts.TerminalsAmong(v.Context(), ids, f)
		},
		func(t accounts.Terminal) central.TerminalID { return t.ID })
	if err != nil {
		return err
	}
	d.Terminals.Order = &d.partyList
	d.Terminals.List, err = e.terminalRows(v.Context(), list, now)
	slices.SortStableFunc(d.Terminals.List, func(a, b terminalView) int { return compareTotals(d.Sort, a.Today, b.Today) })
	return err
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
	d, err := e.terminalDetails(v, t)
	if err != nil {
		return err
	}
	return v.show(status, page{Name: "terminal", Title: t.Name, Back: Root + "terminals", Alert: alert, Data: d})
}

// terminalPage is one terminal's data.
type terminalPage struct {
	terminalView
	Tiles    []tile
	Latest   latestOperations
	Limits   []limitRow
	Session  agentSession
	Shop     central.Merchant
	Callback string // where its merchant's callbacks go: scheme and host; empty: nowhere
}

// terminalDetails reads how a terminal does, and what is set for it.
func (e *PartyPages) terminalDetails(v *visit, t terminalView) (d terminalPage, err error) {
	now, ctx := time.Now(), v.Context()
	rows, err := e.terminalRows(ctx, []accounts.Terminal{t.Terminal}, now)
	if err != nil {
		return d, err
	}
	t.Health = rows[0].Health
	d = terminalPage{terminalView: t, Limits: limitRows(e.Limits.InForce(now))}
	online := 0
	if t.Online {
		online = 1
	}
	d.Tiles = append(healthTiles(t.Health, Root+"operations?terminal="+string(t.ID)), seenTile(t.LastSeen(), now, online, t.Version, Root+"terminals?text="+t.TID))
	if d.Shop, err = e.Accounts.Merchant(ctx, t.Merchant); err != nil {
		return d, err
	}
	if d.Session, err = e.agentSession(ctx, t.TID, now); err != nil {
		return d, err
	}
	if d.Callback, err = e.callbackPlace(ctx, d.Shop); err != nil {
		return d, err
	}
	d.Latest, err = latestOf(v, listFilter{Merchant: string(t.Merchant), Terminal: string(t.ID)})
	return d, err
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
