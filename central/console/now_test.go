package console

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/central/accounts"
	"galla/shared/ist"
)

// TestAlerts: each alert has its limit, and the name, severity and runbook of the one of
// deploy/monitoring.
func TestAlerts(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, ist.Zone())
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	rules := readRules(t)
	silent := []bank{{"Baroda", accounts.BankLatency{IIN: "606985", Answers: 10, Unanswered: 10}}}
	for name, c := range map[string]struct {
		quiet, raised Status
		silent        []bank
	}{
		"GallaOperationsStuck":           {raised: Status{Stuck: 1}},
		"GallaPendingMany":               {quiet: Status{Pending: 100}, raised: Status{Pending: 101}},
		"GallaOperationsAbandoned":       {quiet: Status{OldestAbandoned: ago(5 * time.Minute)}, raised: Status{OldestAbandoned: ago(5*time.Minute + 1)}},
		"GallaPendingOld":                {quiet: Status{OldestPending: ago(6 * time.Hour)}, raised: Status{OldestPending: ago(6*time.Hour + 1)}},
		"GallaIssuerSilent":              {silent: silent},
		"GallaCallbacksLate":             {quiet: Status{OldestCallback: ago(time.Hour)}, raised: Status{OldestCallback: ago(time.Hour + 1)}},
		"GallaCallbackEndpointsDisabled": {raised: Status{EndpointsDisabled: 1}},
		"GallaScheduledJobLate":          {raised: Status{LateJobs: []string{"archive"}}},
		"GallaReconciliationCasesOld":    {quiet: Status{OldestCase: ago(48 * time.Hour)}, raised: Status{OldestCase: ago(48*time.Hour + 1)}},
		"GallaSettlementFileMissing":     {quiet: Status{SettlementFileAt: ago(36 * time.Hour)}, raised: Status{SettlementFileAt: ago(36*time.Hour + 1)}},
		"GallaLookupsLimited":            {raised: Status{LookupsLimited: 1}},
		"GallaLogFault":                  {raised: Status{LogFault: true}},
		"GallaReportFilesFailing":        {raised: Status{ReportFilesFailing: 1}},
		"GallaReportDaysLate":            {quiet: Status{ReportDaysUntil: ago(36 * time.Hour)}, raised: Status{ReportDaysUntil: ago(36*time.Hour + 1)}},
		"GallaDiskFills":                 {quiet: Status{DiskFree: 10, DiskSize: 100}, raised: Status{DiskFree: 9, DiskSize: 100}},
	} {
		if list := c.quiet.alerts(now, nil); len(list) > 0 {
			t.Errorf("%s: raised below its limit: %+v", name, list)
		}
		list := c.raised.alerts(now, c.silent)
		if len(list) != 1 || list[0].Name != name || !strings.HasSuffix(list[0].Text, ".") {
			t.Errorf("%s: raised is %+v", name, list)
			continue
		}
		rule, ok := rules[name]
		if runbook := strings.Replace(rule.runbook, ".md", "", 1); !ok || (rule.severity == "page") != list[0].Page || runbook != list[0].Runbook {
			t.Errorf("%s: the rule of deploy/monitoring is %+v", name, rule)
		}
	}
	// What wakes somebody comes first.
	list := Status{LookupsLimited: 1, Stuck: 1, Pending: 200}.alerts(now, silent)
	if !slices.IsSortedFunc(list, func(a, b alert) int { return boolOrder(b.Page) - boolOrder(a.Page) }) || len(list) != 4 {
		t.Errorf("the alerts are %+v", list)
	}
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

type rule struct{ severity, runbook string }

var rulePattern = regexp.MustCompile(`(?s)- alert: (\w+)\n.*?severity: (\w+).*?runbook: (\S+)\n`)

// readRules reads the alerts of deploy/monitoring, by name.
func readRules(t *testing.T) map[string]rule {
	t.Helper()
	text, err := os.ReadFile("../../deploy/monitoring/galla.rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]rule{}
	for _, m := range rulePattern.FindAllStringSubmatch(string(text), -1) {
		out[m[1]] = rule{m[2], m[3]}
	}
	return out
}

// TestDayTiles compares today with the same weekday a week before, up to the present hour.
func TestDayTiles(t *testing.T) {
	now := time.Date(2026, 11, 26, 10, 30, 0, 0, ist.Zone())
	var d nowPage
	d.Day.Total = accounts.Totals{Succeeded: 1234, Failed: 6, Moved: 150_000_00}
	d.Day.Day.Hours[9] = accounts.Totals{Succeeded: 120, Moved: 100_000_00}
	d.Day.Day.Hours[10] = accounts.Totals{Succeeded: 30, Moved: 50_000_00} // not over yet
	d.Day.WeekHours[9] = accounts.Totals{Succeeded: 100, Failed: 25, Moved: 200_000_00}
	d.Day.WeekHours[10] = accounts.Totals{Succeeded: 500, Moved: 900_000_00}
	var got []string
	for _, x := range d.dayTiles(now) {
		got = append(got, x.Value+": "+x.Note)
	}
	want := []string{
		"₹1,50,000.00: -50 % on a week ago (₹2,00,000.00 until 10:00)",
		"1,234: +20 % on a week ago (100 until 10:00)",
		"99.5 %: a week ago: 80.0 %, until 10:00",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := compareCounts(5, 0, "until 10:00"); got != "a week ago: none until 10:00" {
		t.Errorf("without a week before: %q", got)
	}
}
