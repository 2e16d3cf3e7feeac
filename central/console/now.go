package console

import (
	"context"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"sync"
	"time"

	"galla/central/accounts"
	"galla/shared/ist"
	"galla/shared/money"
)

// Status is what the page Now compares with its limits.
type Status struct {
	Pending, Stuck                 int // operations; Pending includes the stuck ones
	OldestPending, OldestAbandoned time.Time
	TerminalsOnline                int
	CallbacksWaiting, GivenUp      int
	EndpointsDisabled              int
	OldestCallback                 time.Time
	CasesWaiting                   int
	OldestCase, SettlementFileAt   time.Time
	LateJobs                       []string // scheduled jobs that are late, or failed three times
	LogFault                       bool     // the last verification of the log failed
	ReportFilesFailing             int
	ReportDaysUntil                time.Time // end of the last day that is complete for reports; zero: none is
	LookupsLimited                 int       // merchants over their limit of lookups
	DiskFree, DiskSize             int64     // bytes, of this node's data folder; 0: unknown
}

// StatusReader reads the status of the whole central.
type StatusReader interface {
	Status(ctx context.Context, now time.Time) (Status, error)
}

// JobLate and JobFailures are when a scheduled job is late, as in GallaScheduledJobLate.
const (
	JobLate     = 6 * time.Hour
	JobFailures = 3
)

const (
	// silentSpan is the time in which banks are judged; of at least silentLeast operations
	// silentShare have no answer, as in GallaIssuerSilent.
	silentSpan  = 10 * time.Minute
	silentLeast = 20
	silentShare = 0.3
)

// alert is something that somebody has to do something about. Its name is that of the alert
// of deploy/monitoring with the same limit.
type alert struct {
	Name, Text string
	Page       bool // it does not wait for the morning
	Runbook    string
	Href       string // where it is seen; empty: nowhere here
}

// tile is a number of the page, which leads to its list.
type tile struct {
	Label, Value, Note string
	Href               string
	Tone               string // a CSS class: empty, warn or bad
}

// nowCacheTTL is how long what was read for the page serves everybody: less than the time
// after which the page loads itself again, so that one reader gets new figures each time.
const nowCacheTTL = 4 * time.Second

// nowCache is what the page showed last. The mutex is held while it is read, so that it is
// read once for all who have it open.
type nowCache struct {
	mu   sync.Mutex
	last nowPage
}

// nowPage is the page's data.
type nowPage struct {
	At      time.Time
	Alerts  []alert
	Tiles   []tile
	Day     figuresPage
	Silent  []bank
	Outcome template.HTML
}

// now shows how the central stands, and loads itself again.
func (e *PartyPages) now(v *visit) error {
	d, err := e.readNow(v.Context(), time.Now())
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, page{Name: "now", Title: "Now", Data: d})
}

// readNow returns the page's data, at most nowCacheTTL old.
func (e *PartyPages) readNow(ctx context.Context, at time.Time) (nowPage, error) {
	e.lastNow.mu.Lock()
	defer e.lastNow.mu.Unlock()
	if at.Sub(e.lastNow.last.At) < nowCacheTTL {
		return e.lastNow.last, nil
	}
	st, err := e.Status.Status(ctx, at)
	if err != nil {
		return nowPage{}, err
	}
	d := nowPage{At: at}
	if d.Day, err = e.readDay(ctx, ist.DayOf(at), false); err != nil {
		return nowPage{}, err
	}
	if d.Silent, err = e.silentBanks(ctx, at); err != nil {
		return nowPage{}, err
	}
	float, err := e.floatTile(ctx, at)
	if err != nil {
		return nowPage{}, err
	}
	d.Alerts = st.alerts(at, d.Silent)
	d.Tiles = append(d.dayTiles(at), append(st.tiles(len(d.Silent)), float)...)
	d.Outcome = d.Day.Outcomes
	e.lastNow.last = d
	return d, nil
}

// silentBanks are the banks that answer few requests.
func (e *PartyPages) silentBanks(ctx context.Context, at time.Time) (list []bank, err error) {
	found, err := e.Accounts.Latencies(ctx, at.Add(-silentSpan), at)
	for _, b := range found {
		if all := b.Answers + b.Unanswered; all >= silentLeast && float64(b.Unanswered) > silentShare*float64(all) {
			list = append(list, bank{bankName(e, b.IIN), b})
		}
	}
	return list, err
}

// dayTiles are the figures of today, beside those of the same weekday a week before up to
// the present hour.
func (d nowPage) dayTiles(at time.Time) []tile {
	var before accounts.Totals
	hour := at.In(ist.Zone()).Hour()
	for _, x := range d.Day.WeekHours[:hour] {
		before.Moved += x.Moved
		before.Succeeded += x.Succeeded
		before.Failed += x.Failed
	}
	var sofar accounts.Totals
	for _, x := range d.Day.Day.Hours[:hour] {
		sofar.Moved += x.Moved
		sofar.Succeeded += x.Succeeded
	}
	until := fmt.Sprintf("until %d:00", hour)
	t := d.Day.Total
	return []tile{
		{Label: "Moved today", Value: t.Moved.Rupees(), Note: compareMoney(sofar.Moved, before.Moved, until), Href: Root + "day"},
		{Label: "Succeeded today", Value: formatCount(t.Succeeded), Note: compareCounts(sofar.Succeeded, before.Succeeded, until), Href: Root + "operations?period=today&state=succeeded"},
		{Label: "Success rate", Value: share(t), Note: "a week ago: " + share(before) + ", " + until, Href: Root + "operations?period=today&state=failed"},
	}
}

// share is the part that succeeded of those that ended by themselves.
func share(t accounts.Totals) string {
	ended := t.Succeeded + t.Failed
	if ended == 0 {
		return "—"
	}
	return fmt.Sprintf("%.1f %%", float64(t.Succeeded)*100/float64(ended))
}

func compareMoney(now, before money.Paise, until string) string {
	return compare(int64(now), int64(before), before.Rupees(), until)
}

func compareCounts(now, before int, until string) string {
	return compare(int64(now), int64(before), formatCount(before), until)
}

// compare says how a value compares with that of a week before.
func compare(now, before int64, text, until string) string {
	if before == 0 {
		return "a week ago: none " + until
	}
	return fmt.Sprintf("%+d %% on a week ago (%s %s)", (now-before)*100/before, text, until)
}

// tiles are the counts of what waits or fails.
func (st Status) tiles(silent int) []tile {
	count := func(label string, n int, tone, href string) tile {
		t := tile{Label: label, Value: formatCount(n), Href: Root + href}
		if n > 0 {
			t.Tone = tone
		}
		return t
	}
	return []tile{
		count("Pending", st.Pending, "warn", "waiting"),
		count("Stuck", st.Stuck, "bad", "waiting"),
		count("Banks failing", silent, "bad", "day"),
		count("Terminals online", st.TerminalsOnline, "", "terminals?state=online"),
		count("Callbacks waiting", st.CallbacksWaiting, "warn", "callbacks?state=waiting"),
		count("Callbacks given up", st.GivenUp, "bad", "callbacks?state=given-up"),
		count("Cases to decide", st.CasesWaiting, "warn", "reconciliation"),
	}
}

// floatTile is the newest reading of the first aggregator's float, or the lowest of several.
func (e *PartyPages) floatTile(ctx context.Context, at time.Time) (tile, error) {
	t := tile{Label: "Float", Value: "—", Note: "not read yet", Href: Root + "float"}
	list, err := e.Accounts.Aggregators(ctx)
	if err != nil {
		return t, err
	}
	var lowest money.Paise
	for _, a := range list {
		found, err := e.Accounts.FloatReadingsSince(ctx, a.ID, at.Add(-24*time.Hour), 1)
		if err != nil {
			return t, err
		}
		if len(found) > 0 && (t.Value == "—" || found[0].Balance < lowest) {
			lowest = found[0].Balance
			t.Value, t.Note = lowest.Rupees(), a.LegalName+", "+formatAge(at.Sub(found[0].At))+" ago"
			t.Href = Root + "float?aggregator=" + string(a.ID)
		}
	}
	return t, nil
}

// alerts are what somebody has to do something about: urgent ones first.
func (st Status) alerts(now time.Time, silent []bank) []alert {
	var list []alert
	add := func(is bool, a alert) {
		if is {
			list = append(list, a)
		}
	}
	older := func(at time.Time, limit time.Duration) bool { return !at.IsZero() && now.Sub(at) > limit }
	const stuck, bankDown, work, daily = "runbooks/stuck-operations", "runbooks/bank-down", "operate#when-work-does-not-get-done", "operate#every-day"
	add(st.Stuck > 0, alert{"GallaOperationsStuck", fmt.Sprintf("%s wait for a person: no enquiry resolved them for seven days.", operations(st.Stuck)), true, stuck, Root + "operations?state=stuck"})
	add(st.Pending > 100, alert{"GallaPendingMany", operations(st.Pending) + " wait for the bank's answer.", true, stuck, Root + "waiting"})
	add(older(st.OldestAbandoned, 5*time.Minute), alert{"GallaOperationsAbandoned", "An operation was begun " + formatAge(now.Sub(st.OldestAbandoned)) + " ago, and no node works on it.", true, stuck, Root + "operations?state=open"})
	add(older(st.OldestPending, 6*time.Hour), alert{"GallaPendingOld", "An operation waits for the bank's answer for " + formatAge(now.Sub(st.OldestPending)) + ".", false, stuck, Root + "waiting"})
	for _, b := range silent {
		list = append(list, alert{"GallaIssuerSilent", fmt.Sprintf("%s left %d of %d requests unanswered in ten minutes.", b.Name, b.Unanswered, b.Answers+b.Unanswered), false, bankDown, Root + "operations?state=open&bank=" + b.IIN})
	}
	add(older(st.OldestCallback, time.Hour), alert{"GallaCallbacksLate", "A callback is not delivered for " + formatAge(now.Sub(st.OldestCallback)) + ".", false, work, Root + "callbacks?state=waiting"})
	add(st.EndpointsDisabled > 0, alert{"GallaCallbackEndpointsDisabled", formatCount(st.EndpointsDisabled) + " receivers answered 410 Gone: nothing is sent to them.", false, work, Root + "merchants"})
	add(st.LogFault, alert{"GallaLogFault", "The log does not have the past that was signed, or could not be read.", true, "runbooks/log-fault", ""}) // the page of the audit log is an admin's
	const missing = "operate#when-reports-are-missing"
	add(st.ReportFilesFailing > 0, alert{"GallaReportFilesFailing", formatCount(st.ReportFilesFailing) + " files of reports can't be written.", false, missing, Root + "reports/files"})
	add(older(st.ReportDaysUntil, 36*time.Hour), alert{"GallaReportDaysLate", "The last day that is complete for reports ended " + formatAge(now.Sub(st.ReportDaysUntil)) + " ago.", false, missing, Root + "reports"})
	for _, name := range st.LateJobs {
		list = append(list, alert{"GallaScheduledJobLate", "The scheduled job " + name + " is late or fails.", false, work, ""})
	}
	add(older(st.OldestCase, 48*time.Hour), alert{"GallaReconciliationCasesOld", "A case waits for its decision for " + formatAge(now.Sub(st.OldestCase)) + ".", false, daily, Root + "reconciliation"})
	add(older(st.SettlementFileAt, 36*time.Hour), alert{"GallaSettlementFileMissing", "The last settlement file was imported " + formatAge(now.Sub(st.SettlementFileAt)) + " ago.", false, daily, Root + "reconciliation"})
	add(st.LookupsLimited > 0, alert{"GallaLookupsLimited", formatCount(st.LookupsLimited) + " merchants looked up more unknown customers than they may in an hour.", false, "console#merchants-that-look-up-unknown-customers", Root + "merchants"})
	add(st.DiskSize > 0 && st.DiskFree*10 < st.DiskSize, alert{"GallaDiskFills", "This node's data disk has less than a tenth free.", false, "operate#when-a-disk-fills", ""})
	slices.SortStableFunc(list, func(a, b alert) int {
		if a.Page == b.Page {
			return 0
		}
		if a.Page {
			return -1
		}
		return 1
	})
	return list
}

// operations counts operations in words.
func operations(n int) string {
	if n == 1 {
		return "1 operation"
	}
	return formatCount(n) + " operations"
}
