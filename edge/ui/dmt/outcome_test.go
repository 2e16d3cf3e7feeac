package dmt

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/outcome"

	"galla/shared/op"
)

var (
	adviceOf = regexp.MustCompile(`data-advice="([^"]*)"`)
	tags     = regexp.MustCompile(`(?s)<[^>]*>`)
)

// TestTheSameAdviceHere walks the outcomes of a transfer and of its refund over the pages
// of this section: each gives the advice of the operation's page, in its words, once.
func TestTheSameAdviceHere(t *testing.T) {
	c := newCounter()
	w := login(t, c, &memoryCache{})
	walk := func(id op.ID) {
		t.Helper()
		first := mustSee(t, c, id)
		n, seen := 0, map[string]bool{}
		for _, state := range []op.State{op.Sent, op.Accepted, op.Unknown, op.Pending, op.Succeeded, op.Failed, op.Reversed, op.Expired, op.NotSent} {
			reasons := []string{"", "55"}
			if state == op.Failed {
				for _, code := range outcome.Codes(outcome.FamilyTransfer) {
					reasons = append(reasons, code.Code)
				}
			}
			for _, code := range reasons {
				for _, fact := range []func(*edge.View){
					func(*edge.View) {},
					func(v *edge.View) { v.CashKept = true },
					func(v *edge.View) { v.CashKept, v.CashBy = true, "Fatima" },
					func(v *edge.View) { v.CashKept, v.CashBy, v.CashGivenAt = true, "Fatima", time.Now() },
				} {
					v := first
					v.State, v.HTTP, v.Result.Code = state, http.StatusOK, code
					v.CashKept, v.CashBy, v.CashGivenAt = false, "", time.Time{}
					fact(&v)
					c.mu.Lock()
					c.known[id] = v
					c.mu.Unlock()
					want := outcome.Describe(w.words(), mustSee(t, c, id), c.Status())
					if key := fmt.Sprint(state, v.Cash(), v.CashBy, v.CashGivenAt.IsZero(), want.Case, want.Advice, want.Title, want.Lead); seen[key] {
						continue // another code with the same advice
					} else {
						seen[key] = true
					}
					page := w.Get(w.at, http.StatusOK)
					at := string(v.Route) + " " + string(state) + " " + code + " " + string(v.Cash())
					if m := adviceOf.FindAllStringSubmatch(page, -1); len(m) != 1 || m[0][1] != want.Advice {
						t.Errorf("%s: the page has the advices %q, want %q", at, m, want.Advice)
					}
					text := strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(page, " "))), " ")
					if !strings.Contains(text, want.Title) || strings.Count(text, want.Lead) != 1 {
						t.Errorf("%s: the page does not say %q and %q once: %s", at, want.Title, want.Lead, text)
					}
					n++
				}
			}
		}
		c.mu.Lock()
		c.known[id] = first
		c.mu.Unlock()
		t.Logf("%s: %d outcomes", first.Route, n)
	}
	_, transfer := w.sends(c)
	walk(transfer)
	c.returns(transfer)
	page := w.do(w.do(w.Get(w.at, http.StatusOK), "refund"), "go")
	page = w.do(page, "go", "otp", "2222")
	heading(t, page, "GIVE CASH ₹512.50")
	walk(c.lastOf(t, op.Refund).ID)
}
