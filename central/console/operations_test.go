package console

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/shared/op"
)

func TestReadAnOperation(t *testing.T) {
	h := newHarness(t)
	h.seed(t)
	done, stuck := h.operation(t, 1, time.Hour, op.Succeeded), h.operation(t, 2, 8*24*time.Hour, "stuck")
	v := h.browser(t).enter("vikram")
	page := v.get("/console/operations/"+string(done.ID), http.StatusOK)
	has(t, page, "The bank executed it.", done.RRN, "XXXXXXXX7058", "order-1", "the bank answered", "SUCCESS", "received → sent", "Callback</h2><p class=\"aside\">No callback.")
	hasNot(t, page, "Enquire now", "Open a case")
	page = v.get("/console/operations/"+string(stuck.ID), http.StatusOK)
	has(t, page, "people have to decide", "the bank says it is in progress", "<dd>1, next <time ", "<h2>Activity</h2>", "recorded, before anything is sent")
	hasNot(t, page, "Enquire now", "Open a case") // a viewer only reads
	v.get("/console/operations/none", http.StatusNotFound)
	page = v.get("/console/waiting", http.StatusOK)
	has(t, page, "Stuck: 1", "Pending: 0", "8 d 0 h", "the bank says it is in progress")
	for _, want := range []string{"operation.view vikram/" + string(done.ID) + " done", "operation.view vikram/" + string(stuck.ID) + " done", "operation.list-pending vikram/ done"} {
		if !slices.Contains(h.did(t), want) {
			t.Errorf("%q is not in the audit log", want)
		}
	}
}

// TestEnquireNow makes the enquiry due, also of a stuck operation, and of none that is
// final.
func TestEnquireNow(t *testing.T) {
	h := newHarness(t)
	h.seed(t)
	done, stuck := h.operation(t, 1, time.Hour, op.Succeeded), h.operation(t, 2, 8*24*time.Hour, "stuck")
	v := h.browser(t).enter("ravi")
	has(t, v.get("/console/operations/"+string(stuck.ID), http.StatusOK), "Enquire now", "Open a case")
	if to := v.post("/console/operations/"+string(stuck.ID)+"/enquire", http.StatusSeeOther); !strings.HasSuffix(to, "?done=asked") {
		t.Errorf("it leads to %s", to)
	}
	due, err := h.db.ClaimEnquiries(t.Context(), time.Now(), time.Now().Add(time.Minute), 10)
	if err != nil || len(due) != 1 || due[0].ID != stuck.ID {
		t.Errorf("%d are due, %v", len(due), err)
	}
	has(t, v.get("/console/operations/"+string(stuck.ID), http.StatusOK), "enquiry requested by ravi")
	has(t, v.post("/console/operations/"+string(done.ID)+"/enquire", http.StatusConflict), "Its state has changed")
	v.post("/console/operations/none/enquire", http.StatusNotFound)
	if did := h.did(t); !slices.Contains(did, "operation.enquire ravi/"+string(done.ID)+" refused") || !slices.Contains(did, "operation.enquire ravi/"+string(stuck.ID)+" done") {
		t.Errorf("the audit log has %q", did)
	}
}
