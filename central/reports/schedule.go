package reports

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"galla/central"
	"galla/central/jobs"
	"galla/shared/ist"
)

// Bounds of the schedule.
const (
	// scheduleEvery is the period of the job: a run that somebody asks for begins within it.
	scheduleEvery = time.Minute
	// runsAtOnce is how many reports one run of the job writes.
	runsAtOnce = 20
	// maxPlanned bounds how many ranges of one report are planned at one time: those that were
	// missed are written one after the other.
	maxPlanned = 400
	// retryPause is the pause after a failure; it doubles with each further one, up to
	// maxRetryPause.
	retryPause    = time.Minute
	maxRetryPause = time.Hour
	// waitForFile is how long a settlement report waits for the bank's files of its range. On the
	// fifth day after a transaction the bank has settled it or owes for the delay.
	waitForFile      = 5 * 24 * time.Hour
	waitForFileEvery = 10 * time.Minute
)

// ScheduleConfig says what is written and where.
type ScheduleConfig struct {
	Reports map[Period][]Name
	Places  []Place
	// Temp is a folder for a file before it is complete: it may be as large as the largest
	// report.
	Temp   string
	Logger *slog.Logger
}

// Schedule writes reports as files.
type Schedule struct {
	reports *Service
	runs    RunStore
	cfg     ScheduleConfig
}

// NewSchedule makes a Schedule. It is an error if a report is not known, or if reports have no
// place.
func NewSchedule(reports *Service, runs RunStore, cfg ScheduleConfig) (*Schedule, error) {
	if reports == nil || runs == nil || cfg.Logger == nil || cfg.Temp == "" {
		return nil, errors.New("the schedule of reports needs reports, their runs, a folder and a logger")
	}
	for period, names := range cfg.Reports {
		if !slices.Contains(Periods(), period) {
			return nil, fmt.Errorf("reports can't be written %q", period)
		}
		for _, n := range names {
			if !n.Known() {
				return nil, fmt.Errorf("there is no report %q", n)
			}
		}
		if len(names) > 0 && len(cfg.Places) == 0 {
			return nil, errors.New("reports are written by schedule, but they have neither a folder nor a bucket")
		}
	}
	return &Schedule{reports, runs, cfg}, nil
}

// ParseNames reads names of reports.
func ParseNames(texts []string) (names []Name, err error) {
	for _, t := range texts {
		n := Name(strings.TrimSpace(t))
		if !n.Known() {
			return nil, fmt.Errorf("there is no report %q; there are %v", n, Names())
		}
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names, nil
}

// Job is the scheduled job that plans and writes files.
func (s *Schedule) Job() jobs.ScheduledJob {
	return jobs.ScheduledJob{Name: "report-files", Every: scheduleEvery, Run: func(ctx context.Context) (string, error) { return s.Work(ctx, time.Now()) }}
}

// Work plans what has become due, and writes what is due. A report that fails does not stop the
// others; it is tried again after a pause.
func (s *Schedule) Work(ctx context.Context, now time.Time) (note string, err error) {
	if err := s.plan(ctx, now); err != nil {
		return "", err
	}
	if len(s.cfg.Places) == 0 {
		return "nothing is written: there is neither a folder nor a bucket", nil
	}
	due, err := s.runs.DueRuns(ctx, now, runsAtOnce)
	if err != nil {
		return "", err
	}
	written, failed := 0, 0
	for _, r := range due {
		switch err := s.run(ctx, r, now); {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err != nil:
			failed++
		default:
			written++
		}
	}
	return fmt.Sprintf("%d reports were due, %d of them failed", written+failed, failed), nil
}

// plan adds the runs of all ranges that have ended and are closed. Of a report that has no run
// yet it adds the last range; then it leaves out none.
func (s *Schedule) plan(ctx context.Context, now time.Time) error {
	closed, err := s.reports.Closed(ctx)
	if err != nil || closed.Last == "" {
		return err
	}
	for _, period := range Periods() {
		for _, name := range s.cfg.Reports[period] {
			if err := s.planOne(ctx, name, period, closed.Last, now); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Schedule) planOne(ctx context.Context, name Name, period Period, closed ist.Day, now time.Time) error {
	last, err := s.runs.LastRun(ctx, name, period)
	if errors.Is(err, central.ErrNotFound) {
		return s.runs.AddRun(ctx, RunKey{name, period.LastBefore(closed)}, period, now)
	}
	if err != nil {
		return err
	}
	next := period.Around(last.Last.Add(1))
	for n := 0; next.Last <= closed && n < maxPlanned; n++ {
		if err := s.runs.AddRun(ctx, RunKey{name, next}, period, now); err != nil {
			return err
		}
		next = period.Around(next.Last.Add(1))
	}
	return nil
}

// run writes one file and records it, or why it could not.
func (s *Schedule) run(ctx context.Context, r Run, now time.Time) error {
	missing, err := s.missingFile(ctx, r, now)
	if err == nil && missing != "" {
		r.Error, r.ErrorAt = "waits for the bank's settlement file of "+string(missing), now
		return ignoreState(s.runs.PostponeRun(ctx, r, now.Add(waitForFileEvery)))
	}
	if err == nil {
		err = s.write(ctx, &r)
	}
	if err != nil {
		if ctx.Err() != nil {
			return err // another node writes it at once
		}
		s.cfg.Logger.Error("a report can't be written as a file; it is tried again", "report", string(r.Report), "range", r.Range.String(), "error", err)
		r.Error, r.ErrorAt = err.Error(), now
		pause := central.Backoff(retryPause, maxRetryPause, r.Failures)
		r.Failures++
		return errors.Join(err, ignoreState(s.runs.PostponeRun(ctx, r, now.Add(pause))))
	}
	s.cfg.Logger.Info("a report was written as a file", "report", string(r.Report), "range", r.Range.String(), "file", r.File, "lines", r.Lines, "places", r.Places)
	return ignoreState(s.runs.FinishRun(ctx, r))
}

// ignoreState takes it as no error that somebody asked for a run again meanwhile: it is made
// again, and finds what this one left.
func ignoreState(err error) error {
	if errors.Is(err, central.ErrState) {
		return nil
	}
	return err
}

// missingFile returns the first day of a settlement report for which it should wait.
func (s *Schedule) missingFile(ctx context.Context, r Run, now time.Time) (ist.Day, error) {
	_, end, err := r.Last.Bounds()
	if r.Report != Settlement || err != nil || now.Sub(end) > waitForFile || r.AskedBy != "" {
		return "", err
	}
	days, err := s.reports.settledDays(ctx, r.Range)
	if err != nil {
		return "", err
	}
	for d := r.First; d <= r.Last; d = d.Add(1) {
		if !days[d].Summed {
			return d, nil
		}
	}
	return "", nil
}

// write makes the file and puts it into all places.
func (s *Schedule) write(ctx context.Context, r *Run) (err error) {
	temp, err := os.CreateTemp(s.cfg.Temp, tempPrefix+"*")
	if err != nil {
		return fmt.Errorf("begin the file of a report: %w", err)
	}
	defer func() { err = errors.Join(err, temp.Close(), os.Remove(temp.Name())) }()
	removeStale(s.cfg.Temp, time.Now())
	h := sha256.New()
	lines, err := s.reports.WriteCSV(ctx, Query{Report: r.Report, Range: r.Range}, io.MultiWriter(temp, h), nil)
	if err != nil {
		return err
	}
	size, err := temp.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	sum := [32]byte(h.Sum(nil))
	from := max(r.Revision, 1)
	if r.Revision > 0 && r.SHA256 != sum {
		from = r.Revision + 1
	}
	if r.File, r.Revision, err = deliver(ctx, s.cfg.Places, r.RunKey, from, temp, size, sum); err != nil {
		return err
	}
	r.SHA256, r.Lines, r.Bytes, r.DoneAt = sum, lines, size, time.Now()
	r.Places = placesText(s.cfg.Places)
	return nil
}

func placesText(places []Place) string {
	var names []string
	for _, p := range places {
		names = append(names, p.String())
	}
	return strings.Join(names, ", ")
}

// Plan describes the schedule, for people.
type Plan struct {
	Period  Period
	Reports []Name
}

// Plans lists what is written in each period; none: nothing is.
func (s *Schedule) Plans() (list []Plan) {
	for _, p := range Periods() {
		if names := s.cfg.Reports[p]; len(names) > 0 {
			list = append(list, Plan{p, names})
		}
	}
	return list
}

// PlacesText names the places, for people; empty: there is none.
func (s *Schedule) PlacesText() string { return placesText(s.cfg.Places) }

// Runs lists runs, latest range first, those before a key.
func (s *Schedule) Runs(ctx context.Context, before RunKey, limit int) ([]Run, error) {
	return s.runs.ListRuns(ctx, before, limit)
}

// RunAgain makes a run due now. central.ErrNotFound: there is none.
func (s *Schedule) RunAgain(ctx context.Context, k RunKey, by string) error {
	return s.runs.RunAgain(ctx, k, by, time.Now())
}
