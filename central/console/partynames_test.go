package console_test

import (
	"net/http"
	"strings"
	"testing"

	"galla/central/staff"
)

// TestNames filters and finds by the names of merchants, vendors and banks.
func TestNames(t *testing.T) {
	h := newSystem(t)
	v := h.enter(t, staff.Viewer)
	for query, want := range map[string]string{
		"merchant=lakshmi":           `name="merchant" maxlength="100" spellcheck="false" list="merchants" data-names="merchant" value="Lakshmi Kirana Store"`,
		"merchant=" + shop:           `value="Lakshmi Kirana Store"`,
		"vendor=sahyadri+fintech":    `value="Sahyadri Fintech"`,
		"bank=990326":                `data-names="bank" value="`,
		"merchant=s&state=succeeded": `href="/console/operations?merchant=` + shop + `&amp;state=succeeded"`,
	} {
		has(t, v.get("/console/operations?"+query, http.StatusOK), want)
	}
	has(t, v.get("/console/operations?merchant=nobody", http.StatusUnprocessableEntity), "There is no merchant with the name or id nobody.")
	for query, want := range map[string]string{
		"of=merchant&text=laksh": "Lakshmi Kirana Store", "of=vendor&text=deccan": "Deccan Pay", "of=merchant&text=l": "[]", "of=merchant&text=999941057058": "[]", "of=bank&text=zzzzz": "[]",
	} {
		if got := v.get("/console/suggest?"+query, http.StatusOK); !strings.Contains(got, want) {
			t.Errorf("%s: suggested are %s, want %s", query, got, want)
		}
	}
	v.get("/console/find", http.StatusOK)
	for text, want := range map[string]string{"Deccan Pay": "/console/vendors/b0000000-0000-4000-8000-000000000002", "GAL0000001": "/console/merchants/" + shop} {
		if to := v.post("/console/find", http.StatusSeeOther, "text", text); to != want {
			t.Errorf("%s leads to %s, want %s", text, to, want)
		}
	}
	has(t, v.post("/console/find", http.StatusOK, "text", "store"), "<h2>Merchants</h2>", "Lakshmi Kirana Store")
}
