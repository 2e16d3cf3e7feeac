package console_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/central/console"
	"galla/central/staff"
	"galla/central/store/pgtest"
)

const (
	// pageLimit is within what every page answers at p95, beside a million operations.
	pageLimit = 200 * time.Millisecond
	// pageSamples is how often each page is opened, each time about other records.
	pageSamples = 40
)

// databases are those that BenchmarkPages measures.
var databases = []string{"SQLite", "PostgreSQL"}

// BenchmarkPages measures every page of the console beside no, 100,000 and 1,000,000
// operations, with 10,000 merchants, on both databases: an admin who signed in opens each
// over HTTP. It prints the table of deploy/docs/capacity.md: half of the answers, and 95 of
// 100, within so many milliseconds.
func BenchmarkPages(b *testing.B) {
	sizes := []int{0, 100_000, 1_000_000}
	var columns []string
	cells := map[string]string{} // by page and column
	for _, on := range databases {
		server := ""
		if on == "PostgreSQL" {
			server = startPostgres(b)
		}
		for _, n := range sizes {
			column := fmt.Sprintf("%s, %s", on, grouped(n))
			b.Run(fmt.Sprintf("%s-%d", on, n), func(b *testing.B) {
				columns = append(columns, column)
				h, c := newFilledSystem(b, on, n, filledDays, server)
				h.awaitJobs(b)
				v := h.enter(b, staff.Admin)
				if n > 0 {
					c.document = v.proposeWithDocument(b, c)
				}
				worst, slow := time.Duration(0), ""
				for b.Loop() {
					for _, p := range measuredPages() {
						cell := "–"
						if n > 0 || !p.needsOperations() {
							took := h.measure(b, v, p, c)
							p95 := took[len(took)*95/100]
							if cell = fmt.Sprintf("%s / %s", milliseconds(took[len(took)/2]), milliseconds(p95)); p95 > pageLimit {
								cell = "**" + cell + "**"
							}
							if p95 > worst {
								worst, slow = p95, p.name
							}
						}
						cells[p.name+column] = cell
					}
				}
				b.ReportMetric(float64(worst.Microseconds())/1000, "slowest-p95-ms")
				b.Logf("the slowest page is %s", slow)
			})
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "\n| page | %s |\n|---|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, p := range measuredPages() {
		fmt.Fprintf(&table, "| `%s` |", p.name)
		for _, column := range columns {
			fmt.Fprintf(&table, " %s |", cells[p.name+column])
		}
		table.WriteString("\n")
	}
	_, _ = io.WriteString(os.Stdout, table.String())
}

// awaitJobs waits until the scheduled jobs have done what is new for them: all operations at once.
func (h *system) awaitJobs(t testing.TB) {
	t.Helper()
	for {
		var done int
		if err := h.raw.QueryRowContext(t.Context(), `SELECT count(*) FROM scheduled_jobs
			WHERE name IN ('day-figures', 'report-days') AND ended_at IS NOT NULL OR name = 'log-seal' AND note LIKE '0 records sealed%'`).Scan(&done); err != nil {
			t.Fatal(err)
		}
		if done == 3 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// startPostgres starts a server that syncs its commits, and returns its URL.
func startPostgres(b *testing.B) string {
	b.Helper()
	folder, err := os.MkdirTemp("", "galla-pages")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(folder) })
	s, err := pgtest.Start(folder, pgtest.Options{Durable: true, Settings: []string{"shared_buffers=1GB", "max_wal_size=4GB", "temp_file_limit=-1"}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Stop(); err != nil {
			b.Error(err)
		}
	})
	return s.URL("postgres")
}

// measure opens a page again and again, and returns the times, shortest first.
func (h *system) measure(b *testing.B, v *browser, p measuredPage, c contents) []time.Duration {
	b.Helper()
	if p.form != nil {
		h.forgetSearches(b)
	}
	took := make([]time.Duration, pageSamples)
	for k := range took {
		var status int
		var err error
		if took[k], status, err = v.open(p, c, k); err != nil || !p.answers(status) {
			b.Fatalf("%s: HTTP %d, %v", p.name, status, err)
		}
	}
	slices.Sort(took)
	return took
}

// forgetSearches gives the members their searches back, of which each has a number.
func (h *system) forgetSearches(b *testing.B) {
	b.Helper()
	if _, err := h.raw.ExecContext(b.Context(), `DELETE FROM rates WHERE name LIKE 'console-search:%'`); err != nil {
		b.Fatal(err)
	}
}

// open opens a page about its k-th records, and returns how long the answer took.
func (v *browser) open(p measuredPage, c contents, k int) (took time.Duration, status int, err error) {
	path, form, err := p.fill(c, k)
	if err != nil {
		return 0, 0, err
	}
	var r *http.Request
	if form != nil {
		r = v.form(path, form...)
	} else if r, err = http.NewRequest(http.MethodGet, v.base+path, nil); err != nil {
		return 0, 0, err
	}
	began := time.Now()
	reply, err := v.http.Do(r)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = reply.Body.Close() }()
	if p.file {
		_, err = io.ReadFull(reply.Body, make([]byte, 1))
	} else {
		_, err = io.Copy(io.Discard, reply.Body)
	}
	return time.Since(began), reply.StatusCode, err
}

// proposeWithDocument proposes the decision of an open case, with a letter of the bank, and
// returns the letter's hash.
func (v *browser) proposeWithDocument(t testing.TB, c contents) string {
	t.Helper()
	at := console.Root + "cases/" + fmt.Sprintf("%s.1.%d", c.day(1), casesOpen)
	v.get(at, http.StatusOK)
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range map[string]string{"csrf": v.csrf, "verdict": "noted", "reason": "The bank's letter says so."} {
		_ = w.WriteField(name, value)
	}
	part, err := w.CreateFormFile("document", "letter.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(part, "we executed it")
	_ = w.Close()
	r, err := http.NewRequest(http.MethodPost, v.base+at+"/propose", &body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Origin", v.base)
	reply, page := v.do(r)
	v.wants(reply, page, http.StatusSeeOther)
	found := sumOnPage.FindStringSubmatch(v.get(at, http.StatusOK))
	if found == nil {
		t.Fatal("the case shows no document")
	}
	return found[1]
}

func milliseconds(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.1f", float64(d.Microseconds())/1000)
	}
	return fmt.Sprint(d.Round(time.Millisecond).Milliseconds())
}

// grouped prints a number with Western grouping, as the documents do.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
