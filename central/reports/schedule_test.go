package reports_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"galla/central"
	"galla/central/reports"
	"galla/central/s3"
	"galla/central/store"
	"galla/shared/ist"
	"galla/shared/op"
)

const shop central.MerchantID = "c0000000-0000-4000-8000-000000000001"

// fixture is a central's database with what makes and writes its reports.
type fixture struct {
	t      *testing.T
	db     *store.DB
	folder string
	n      int
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	db, err := store.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "central.db"), store.Config{Node: "node-a", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	o := &fixture{t: t, db: db, folder: filepath.Join(t.TempDir(), "reports")}
	o.must(db.Seed(t.Context(), store.Seed{Merchants: []central.Merchant{{ID: shop, MID: "GAL0000001", LegalName: "=HYPERLINK(1)", Status: central.MerchantApproved, HasInfo: true}}}))
	return o
}

func (o *fixture) must(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

// withdrawal records a withdrawal that succeeded on a day.
func (o *fixture) withdrawal(day ist.Day) {
	o.t.Helper()
	o.n++
	at := day.Noon()
	x := central.Operation{
		ID: op.ID(fmt.Sprintf("0193519c-0000-7000-8000-%012d", o.n)), Caller: "merchant:" + string(shop), Identity: fmt.Sprint(o.n), Route: op.Withdrawal,
		Fingerprint: sha256.Sum256([]byte{byte(o.n)}), Merchant: shop, TID: "GAL00001", Kind: central.KindWithdrawal, Amount: 500_00, Aadhaar: "XXXXXXXX7058", IIN: "990326",
		Reference: central.Reference(fmt.Sprintf("GL%06d", o.n)), STAN: "000001", Attempt: 1, State: op.Received, Node: "node-a", CreatedAt: at,
	}
	_, _, err := o.db.Create(o.t.Context(), x, nil)
	o.must(err)
	o.must(o.db.MarkSent(o.t.Context(), central.SentUpdate{ID: x.ID, At: at, BankNotAfter: at.Add(time.Minute)}))
	_, err = o.db.Finish(o.t.Context(), central.FinalOutcome{ID: x.ID, To: op.Succeeded, At: at, HTTP: 200, Reply: []byte("{}")})
	o.must(err)
}

// after is a time at which a day can be closed.
func after(day ist.Day) time.Time { return day.Add(1).Noon() }

func (o *fixture) close(day ist.Day) {
	o.t.Helper()
	c, err := reports.NewCloser(o.db, o.db.ForReports(), slog.New(slog.DiscardHandler))
	o.must(err)
	_, err = c.Run(o.t.Context(), after(day))
	o.must(err)
}

func (o *fixture) service() *reports.Service {
	o.t.Helper()
	s, err := reports.New(o.db, reports.Naming{Kind: func(k central.Kind) string { return string(k) }, Bank: func(string) string { return "" }})
	o.must(err)
	return s
}

// schedule writes reports into the folder, or into given places.
func (o *fixture) schedule(runs reports.RunStore, list map[reports.Period][]reports.Name, places ...reports.Place) *reports.Schedule {
	o.t.Helper()
	if places == nil {
		places = []reports.Place{reports.Folder(o.folder)}
	}
	s, err := reports.NewSchedule(o.service(), runs, reports.ScheduleConfig{Reports: list, Places: places, Temp: o.t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	o.must(err)
	return s
}

// work lets a schedule work at a time.
func (o *fixture) work(s *reports.Schedule, at time.Time) {
	o.t.Helper()
	_, err := s.Work(o.t.Context(), at)
	o.must(err)
}

// files are the names of all files in the folder.
func (o *fixture) files() (names []string) {
	o.t.Helper()
	o.must(filepath.WalkDir(o.folder, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			name, _ := filepath.Rel(o.folder, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	}))
	return names
}

func (o *fixture) wantFiles(when string, want ...string) {
	o.t.Helper()
	if got := o.files(); !slices.Equal(got, want) {
		o.t.Errorf("%s: the files are %v, want %v", when, got, want)
	}
}

// runOf is the run of a report of one day.
func (o *fixture) runOf(n reports.Name, day ist.Day) reports.Run {
	o.t.Helper()
	r, err := o.db.ReportRun(o.t.Context(), reports.RunKey{Report: n, Range: reports.Range{First: day, Last: day}})
	o.must(err)
	return r
}

func daily(names ...reports.Name) map[reports.Period][]reports.Name {
	return map[reports.Period][]reports.Name{reports.Daily: names}
}

// TestSchedule: a new schedule begins with the last range; then none is lost, however long
// nobody worked, and none is written twice.
func TestSchedule(t *testing.T) {
	o := newFixture(t)
	list := map[reports.Period][]reports.Name{reports.Daily: {reports.VolumesByMerchant}, reports.Weekly: {reports.VolumesByKind}, reports.Monthly: {reports.Commission}}
	s := o.schedule(o.db, list)
	o.work(s, after("2026-11-20"))
	if _, err := os.Stat(o.folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("files were written before a day was closed: %v", err)
	}
	o.withdrawal("2026-11-19")
	o.withdrawal("2026-11-21")
	o.close("2026-11-21")
	o.work(s, after("2026-11-21"))
	begun := []string{"commission/commission_2026-10-01_2026-10-31.csv", "volumes-by-kind/volumes-by-kind_2026-11-09_2026-11-15.csv", "volumes-by-merchant/volumes-by-merchant_2026-11-21.csv"}
	o.wantFiles("at first", begun...)
	o.work(s, after("2026-11-21"))
	o.wantFiles("once more", begun...)
	o.close("2026-11-24")
	o.work(o.schedule(o.db, list), after("2026-11-24")) // after a restart
	o.wantFiles("after three days", "commission/commission_2026-10-01_2026-10-31.csv",
		"volumes-by-kind/volumes-by-kind_2026-11-09_2026-11-15.csv", "volumes-by-kind/volumes-by-kind_2026-11-16_2026-11-22.csv",
		"volumes-by-merchant/volumes-by-merchant_2026-11-21.csv", "volumes-by-merchant/volumes-by-merchant_2026-11-22.csv",
		"volumes-by-merchant/volumes-by-merchant_2026-11-23.csv", "volumes-by-merchant/volumes-by-merchant_2026-11-24.csv")
	content, err := os.ReadFile(filepath.Join(o.folder, "volumes-by-merchant/volumes-by-merchant_2026-11-21.csv"))
	o.must(err)
	want := "merchant,merchant_id,kind,operations,succeeded,failed,refused,amount_rupees\n'=HYPERLINK(1)," + string(shop) + ",CASH_WITHDRAWAL,1,1,0,0,500.00\n"
	if string(content) != want {
		t.Errorf("the file has %q, want %q", content, want)
	}
	for path, mode := range map[string]os.FileMode{"volumes-by-merchant": 0o700, "volumes-by-merchant/volumes-by-merchant_2026-11-21.csv": 0o600} {
		if about, err := os.Stat(filepath.Join(o.folder, path)); err != nil || about.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, about, err)
		}
	}
	r := o.runOf(reports.VolumesByMerchant, "2026-11-21")
	if r.State != reports.Done || r.Lines != 1 || r.Bytes != int64(len(want)) || r.SHA256 != sha256.Sum256(content) || r.Revision != 1 || r.Node != "node-a" || r.Places != "folder "+o.folder {
		t.Errorf("the run is %+v", r)
	}
}

// crashing is a store in which some first records of written files are lost.
type crashing struct {
	reports.RunStore
	times int
}

var errCrash = errors.New("the node died")

func (c *crashing) FinishRun(ctx context.Context, r reports.Run) error {
	if c.times--; c.times >= 0 {
		return errCrash
	}
	return c.RunStore.FinishRun(ctx, r)
}

// TestCrashBetweenFileAndRecord: the next run finds the file, and leaves what one run leaves.
func TestCrashBetweenFileAndRecord(t *testing.T) {
	o := newFixture(t)
	o.withdrawal("2026-11-21")
	o.close("2026-11-21")
	s := o.schedule(&crashing{o.db, 2}, daily(reports.VolumesByMerchant))
	for range 2 {
		o.work(s, after("2026-11-21"))
		o.wantFiles("not recorded", "volumes-by-merchant/volumes-by-merchant_2026-11-21.csv")
		if r := o.runOf(reports.VolumesByMerchant, "2026-11-21"); r.State != reports.Waiting {
			t.Errorf("not recorded: %+v", r)
		}
	}
	o.work(s, after("2026-11-21"))
	o.wantFiles("recorded", "volumes-by-merchant/volumes-by-merchant_2026-11-21.csv")
	if r := o.runOf(reports.VolumesByMerchant, "2026-11-21"); r.State != reports.Done || r.Revision != 1 {
		t.Errorf("recorded: %+v", r)
	}
}

// TestNodesAtOnce: nodes that write one report at one time, which only a lease that ended too
// early allows, leave one file.
func TestNodesAtOnce(t *testing.T) {
	o := newFixture(t)
	o.withdrawal("2026-11-21")
	o.close("2026-11-21")
	var wg sync.WaitGroup
	for range 6 {
		s := o.schedule(o.db, daily(reports.VolumesByMerchant, reports.VolumesByKind))
		wg.Go(func() {
			if _, err := s.Work(context.Background(), after("2026-11-21")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	o.wantFiles("of six nodes", "volumes-by-kind/volumes-by-kind_2026-11-21.csv", "volumes-by-merchant/volumes-by-merchant_2026-11-21.csv")
}

// TestRevisions: a file is never overwritten. Another content gets the next name; the same
// content none.
func TestRevisions(t *testing.T) {
	o := newFixture(t)
	day := ist.Day("2026-11-21")
	o.withdrawal(day)
	o.close(day)
	s := o.schedule(o.db, daily(reports.VolumesByMerchant))
	first := filepath.Join(o.folder, "volumes-by-merchant", "volumes-by-merchant_2026-11-21.csv")
	o.must(os.MkdirAll(filepath.Dir(first), 0o700))
	o.must(os.WriteFile(first, []byte("somebody's own"), 0o600))
	o.work(s, after(day))
	again := func(at time.Time) {
		t.Helper()
		o.must(s.RunAgain(t.Context(), reports.RunKey{Report: reports.VolumesByMerchant, Range: reports.Range{First: day, Last: day}}, "asha"))
		o.work(s, at)
	}
	again(time.Now())
	two := []string{"volumes-by-merchant/volumes-by-merchant_2026-11-21.csv", "volumes-by-merchant/volumes-by-merchant_2026-11-21_r2.csv"}
	o.wantFiles("the same again", two...)
	if r := o.runOf(reports.VolumesByMerchant, day); r.Revision != 2 || r.AskedBy != "asha" || r.State != reports.Done {
		t.Errorf("again: %+v", r)
	}
	o.withdrawal(day)
	o.close(day.Add(1)) // closes the day again, with the late one
	again(time.Now())
	o.wantFiles("another content", append(two[:2:2], "volumes-by-merchant/volumes-by-merchant_2026-11-21_r3.csv", "volumes-by-merchant/volumes-by-merchant_2026-11-22.csv")...)
	if content, err := os.ReadFile(first); err != nil || string(content) != "somebody's own" {
		t.Errorf("the first file has %q, %v", content, err)
	}
}

// TestFailures are recorded with their reason, do not stop other reports, and are tried again
// after a pause that grows.
func TestFailures(t *testing.T) {
	o := newFixture(t)
	o.withdrawal("2026-11-21")
	o.close("2026-11-21")
	o.must(os.MkdirAll(o.folder, 0o700))
	obstacle := filepath.Join(o.folder, "volumes-by-merchant")
	o.must(os.WriteFile(obstacle, nil, 0o600)) // where a folder must be
	s := o.schedule(o.db, daily(reports.VolumesByMerchant, reports.VolumesByKind))
	at := after("2026-11-21")
	o.work(s, at)
	o.wantFiles("one failed", "volumes-by-kind/volumes-by-kind_2026-11-21.csv", "volumes-by-merchant")
	for n, pause := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute} {
		r := o.runOf(reports.VolumesByMerchant, "2026-11-21")
		if r.Failures != n+1 || r.DueAt.Sub(at) != pause || !strings.Contains(r.Error, "volumes-by-merchant") || !r.ErrorAt.Equal(at) {
			t.Errorf("failure %d at %s: %+v", n+1, at, r)
		}
		at = r.DueAt
		o.work(s, at.Add(-time.Millisecond)) // not due
		o.work(s, at)
	}
	backlog, err := o.db.RunBacklog(t.Context())
	if err != nil || backlog.Failing != 1 || backlog.Waiting != 1 {
		t.Errorf("backlog: %+v, %v", backlog, err)
	}
	o.must(os.Remove(obstacle))
	o.work(s, at.Add(time.Hour))
	if r := o.runOf(reports.VolumesByMerchant, "2026-11-21"); r.State != reports.Done || r.Failures != 0 || r.Error != "" {
		t.Errorf("after the obstacle is gone: %+v", r)
	}
}

// TestFolderAndBucket: a report goes to both places under one name, and a bucket that is away
// delays it without a second file in the folder.
func TestFolderAndBucket(t *testing.T) {
	o := newFixture(t)
	o.withdrawal("2026-11-21")
	o.close("2026-11-21")
	backend := s3mem.New()
	o.must(backend.CreateBucket("reports"))
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	credentials := filepath.Join(t.TempDir(), "bucket.key")
	bucket, err := s3.New(s3.Config{URL: server.URL + "/reports/galla", Credentials: credentials})
	o.must(err)
	s := o.schedule(o.db, daily(reports.VolumesByMerchant), reports.Folder(o.folder), bucket)
	at := after("2026-11-21")
	o.work(s, at)
	if r := o.runOf(reports.VolumesByMerchant, "2026-11-21"); r.Failures != 1 || !strings.Contains(r.Error, credentials) {
		t.Errorf("without credentials: %+v", r)
	}
	o.must(os.WriteFile(credentials, []byte("galla\nsecret\n"), 0o600))
	o.work(s, at.Add(time.Hour))
	o.wantFiles("both", "volumes-by-merchant/volumes-by-merchant_2026-11-21.csv")
	r := o.runOf(reports.VolumesByMerchant, "2026-11-21")
	if sum, err := bucket.Sum(t.Context(), "volumes-by-merchant/volumes-by-merchant_2026-11-21.csv"); err != nil || sum != r.SHA256 || r.State != reports.Done {
		t.Errorf("in the bucket: %x, %v; %+v", sum, err, r)
	}
	if _, err := backend.HeadObject("reports", "galla/volumes-by-merchant/volumes-by-merchant_2026-11-21.csv"); err != nil {
		t.Error(err)
	}
}

// TestSettlementWaits for the bank's file, at most five days, unless somebody asks for it.
func TestSettlementWaits(t *testing.T) {
	o := newFixture(t)
	o.withdrawal("2026-11-20")
	o.close("2026-11-21")
	s := o.schedule(o.db, daily(reports.Settlement))
	at := after("2026-11-21")
	o.work(s, at)
	r := o.runOf(reports.Settlement, "2026-11-21")
	if r.State != reports.Waiting || r.Failures != 0 || !strings.Contains(r.Error, "2026-11-21") || !r.DueAt.After(at) {
		t.Errorf("without the file: %+v", r)
	}
	o.work(s, at.Add(4*24*time.Hour))
	if r := o.runOf(reports.Settlement, "2026-11-21"); r.State != reports.Waiting {
		t.Errorf("on the fourth day: %+v", r)
	}
	o.work(s, at.Add(5*24*time.Hour))
	if r := o.runOf(reports.Settlement, "2026-11-21"); r.State != reports.Done || r.Error != "" {
		t.Errorf("on the fifth day: %+v", r)
	}
	o.close("2026-11-22")
	o.work(s, after("2026-11-22"))
	k := o.runOf(reports.Settlement, "2026-11-22").RunKey
	o.must(o.db.RunAgain(t.Context(), k, "asha", after("2026-11-22")))
	o.work(s, after("2026-11-22"))
	if r := o.runOf(reports.Settlement, "2026-11-22"); r.State != reports.Done || r.AskedBy != "asha" {
		t.Errorf("when somebody asks: %+v", r)
	}
}

// TestScheduleIsChecked: no report that does not exist, and none without a place.
func TestScheduleIsChecked(t *testing.T) {
	o := newFixture(t)
	for name, cfg := range map[string]reports.ScheduleConfig{
		"no place":       {Reports: daily(reports.Commission)},
		"another report": {Reports: daily("profit"), Places: []reports.Place{reports.Folder("x")}},
		"another period": {Reports: map[reports.Period][]reports.Name{"hourly": {reports.Commission}}, Places: []reports.Place{reports.Folder("x")}},
	} {
		cfg.Temp, cfg.Logger = t.TempDir(), slog.New(slog.DiscardHandler)
		if _, err := reports.NewSchedule(o.service(), o.db, cfg); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
