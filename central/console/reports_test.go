package console

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/central/reports"
	"galla/shared/ist"
	"galla/shared/op"
)

// reportParts are reports over the harness's database, with files in a folder.
func (h *harness) reportParts(t testing.TB) ReportParts {
	t.Helper()
	service, err := reports.New(h.db, reports.Naming{Kind: KindName, Bank: func(iin string) string { return "Bank " + iin }})
	if err != nil {
		t.Fatal(err)
	}
	files, err := reports.NewSchedule(service, h.db, reports.ScheduleConfig{
		Reports: map[reports.Period][]reports.Name{reports.Daily: {reports.Settlement, reports.VolumesByMerchant}}, Places: []reports.Place{reports.Folder(t.TempDir())},
		Temp: t.TempDir(), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return ReportParts{Reports: service, Files: files, Company: "Sahyadri Payments Ltd"}
}

// closeDays sums up all days until yesterday.
func (h *harness) closeDays(t testing.TB) {
	t.Helper()
	c, err := reports.NewCloser(h.db, h.db.ForReports(), slog.New(slog.DiscardHandler))
	if err == nil {
		_, err = c.Run(t.Context(), today().Noon())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// reported is a harness with two operations on a complete day, and one of today.
func reported(t *testing.T) (h *harness, day ist.Day) {
	t.Helper()
	h = newHarness(t)
	h.seed(t)
	day = today().Add(-1)
	h.operation(t, 1, time.Since(day.Noon()), op.Succeeded)
	h.operation(t, 2, time.Since(day.Noon()), op.Failed)
	h.operation(t, 3, 0, op.Succeeded)
	return h, day
}

// TestReportPages: a report of a range, with its total; a name that the address has; and what is
// not complete is said.
func TestReportPages(t *testing.T) {
	h, day := reported(t)
	v := h.browser(t).enter("vikram")
	has(t, v.get("/console/reports", http.StatusOK), "No day is complete yet")
	v.get("/console/reports.csv", http.StatusUnprocessableEntity)
	v.get("/console/reports/print", http.StatusUnprocessableEntity)
	h.closeDays(t)
	at := func(report reports.Name, more string) string {
		return fmt.Sprintf("/console/reports?report=%s&from=%s&to=%s%s", report, day, day, more)
	}
	page := v.get(at(reports.VolumesByMerchant, ""), http.StatusOK)
	has(t, page, "Volumes by merchant, "+dayText(day), "Lakshmi Kirana Store", "Cash withdrawal", "₹500", `<th scope="row">Total</th>`)
	hasNot(t, page, "Only complete days", "Merchant id")
	has(t, v.get(at(reports.VolumesByBank, "&bank=990326"), http.StatusOK), "Bank 990326")
	hasNot(t, v.get(at(reports.VolumesByBank, "&bank=607094"), http.StatusOK), "Bank 990326")
	has(t, v.get(at(reports.Commission, ""), http.StatusOK), "Nothing in these days", "Commission, GST and TDS")
	has(t, v.get(at(reports.Settlement, ""), http.StatusOK), "no file of the bank")
	has(t, v.get(strings.Replace(at(reports.VolumesByKind, ""), "to="+string(day), "to="+string(today()), 1), http.StatusOK), "Only complete days")
	has(t, v.get(strings.ReplaceAll(at(reports.VolumesByKind, ""), string(day), string(today())), http.StatusOK), "no day of this range is")

	// Every field that is wrong is named.
	has(t, v.get("/console/reports?report=profit&from=2026-01-01&to=x", http.StatusUnprocessableEntity), "There is no report &#34;profit&#34;", "a day is written as")
	has(t, v.get("/console/reports?from=2020-01-01&to=2026-01-01", http.StatusUnprocessableEntity), "at most 366 days")
	has(t, v.get("/console/reports?from=2026-02-01&to=2026-01-01", http.StatusUnprocessableEntity), "The first day is after the last one")
	has(t, v.get(at(reports.VolumesByMerchant, "&next=x"), http.StatusUnprocessableEntity), "begin at its first page")

	// The form leads to the address, which has no number of a customer.
	to := v.post("/console/reports", http.StatusSeeOther, "report", "volumes-by-kind", "from", string(day), "to", string(day), "merchant", "9999 4105 7058")
	if want := fmt.Sprintf("/console/reports?from=%[1]s&report=volumes-by-kind&to=%[1]s", day); to != want {
		t.Errorf("leads to %s, want %s", to, want)
	}
}

// TestReportExports: CSV and print have the same figures, and are in the audit log.
func TestReportExports(t *testing.T) {
	h, day := reported(t)
	h.closeDays(t)
	v := h.browser(t).enter("vikram")
	query := fmt.Sprintf("?report=volumes-by-merchant&from=%s&to=%s", day, today())
	file := v.get("/console/reports.csv"+query, http.StatusOK)
	want := "merchant,merchant_id,kind,operations,succeeded,failed,refused,amount_rupees\nLakshmi Kirana Store," + string(shop) + ",Cash withdrawal,2,1,1,0,500.00\n"
	if file != want {
		t.Errorf("the file has %q, want %q", file, want)
	}
	printed := v.get("/console/reports/print"+query, http.StatusOK)
	has(t, printed, "Sahyadri Payments Ltd", "Vikram Rao (vikram), central-1", dayText(day), "Lakshmi Kirana Store", "data-print")
	hasNot(t, printed, "first 2,000 lines")
	if did := h.did(t); !slices.Contains(did, "report.export vikram/volumes-by-merchant done") || !slices.Contains(did, "report.print vikram/volumes-by-merchant done") {
		t.Errorf("the audit log has %q", did)
	}
}

// TestReportFiles: the page shows runs with their errors, and an operator has one written again.
func TestReportFiles(t *testing.T) {
	h, day := reported(t)
	h.closeDays(t)
	work := func() {
		t.Helper()
		if _, err := h.console.Reports.Files.Work(t.Context(), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	work()
	viewer := h.browser(t).enter("vikram")
	page := viewer.get("/console/reports/files", http.StatusOK)
	file := fmt.Sprintf("volumes-by-merchant/volumes-by-merchant_%s.csv", day)
	has(t, page, file, "written", "waiting", "waits for the bank&#39;s settlement file of "+string(day), "Each day", "daily")
	hasNot(t, page, "Write again")
	key := fmt.Sprintf("settlement.%[1]s.%[1]s", day)
	viewer.post("/console/reports/files", http.StatusForbidden, "file", key)

	ravi := h.browser(t).enter("ravi")
	has(t, ravi.get("/console/reports/files", http.StatusOK), "Write again")
	if to := ravi.post("/console/reports/files", http.StatusSeeOther, "file", key); to != "/console/reports/files?done=report-asked" {
		t.Errorf("leads to %s", to)
	}
	ravi.post("/console/reports/files", http.StatusUnprocessableEntity, "file", "settlement")
	ravi.post("/console/reports/files", http.StatusNotFound, "file", "settlement.2020-01-01.2020-01-01")
	work()
	has(t, ravi.get("/console/reports/files", http.StatusOK), "settlement/settlement_"+string(day)+".csv", "asked for by ravi")
	if did := h.did(t); !slices.Contains(did, "report.write ravi/settlement done") {
		t.Errorf("the audit log has %q", did)
	}
}

// TestReportPresets are ranges up to the last complete day.
func TestReportPresets(t *testing.T) {
	var d reportPage
	d.Report, d.Closed = reports.Commission, reports.Range{First: "2020-01-01", Last: "2026-03-31"}
	want := map[string]string{
		"Last day": "2026-03-31 2026-03-31", "Last 7 days": "2026-03-25 2026-03-31", "This month": "2026-03-01 2026-03-31", "Last month": "2026-02-01 2026-02-28",
		"This financial year": "2025-04-01 2026-03-31", "Last financial year": "2024-04-01 2025-03-31",
	}
	got := map[string]string{}
	for _, x := range reportPresets(d) {
		_, query, _ := strings.Cut(x.Href, "?")
		fields := map[string]string{}
		for _, f := range strings.Split(query, "&") {
			name, value, _ := strings.Cut(f, "=")
			fields[name] = value
		}
		got[x.Text] = fields["from"] + " " + fields["to"]
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	if r := financialYear("2026-04-01"); r.First != "2026-04-01" || r.Last != "2027-03-31" || r.Check() != nil {
		t.Errorf("the year of 1 April is %v", r)
	}
}
