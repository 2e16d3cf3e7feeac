package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"galla/central/console"
	"galla/central/iin"
	"galla/central/jobs"
	"galla/central/reports"
	"galla/central/s3"
	"galla/central/store"
)

// Reports are the settings of reports, as flags and the settings file have them. The zero
// value writes none.
type Reports struct {
	Company           string   `name:"company" env:"GALLA_COMPANY" help:"Name of the company that runs this central, on printed reports. By default Galla."`
	Daily             []string `name:"reports-daily" env:"GALLA_REPORTS_DAILY" help:"Reports that are written as a CSV file of each day, with commas between them: settlement, commission, volumes-by-bank, volumes-by-kind, volumes-by-merchant."`
	Weekly            []string `name:"reports-weekly" env:"GALLA_REPORTS_WEEKLY" help:"The same of each week, Monday to Sunday."`
	Monthly           []string `name:"reports-monthly" env:"GALLA_REPORTS_MONTHLY" help:"The same of each month."`
	Folder            string   `name:"reports-folder" env:"GALLA_REPORTS_FOLDER" help:"Folder that these files are written into. With several nodes each needs the same one, such as a network disk, or use a bucket."`
	Bucket            string   `name:"reports-bucket" env:"GALLA_REPORTS_BUCKET" help:"S3-compatible bucket that these files are written into, https://server/bucket or https://server/bucket/prefix."`
	BucketRegion      string   `name:"reports-bucket-region" env:"GALLA_REPORTS_BUCKET_REGION" default:"us-east-1" help:"Region of the bucket's server; servers without regions take the default."`
	BucketCredentials string   `name:"reports-bucket-credentials" env:"GALLA_REPORTS_BUCKET_CREDENTIALS" help:"File of the bucket's credentials, for this program only (mode 0600): the access key's id, and its secret on the second line. Read at each use."`
}

// validate reports all faults at once.
func (r Reports) validate() error {
	list, err := r.names()
	_, bucketErr := r.places()
	errs := []error{err, bucketErr}
	if len(list) > 0 && r.Folder == "" && r.Bucket == "" {
		errs = append(errs, errors.New("reports are to be written, but there is neither reports-folder nor reports-bucket"))
	}
	if r.Bucket == "" && r.BucketCredentials != "" {
		errs = append(errs, errors.New("reports-bucket-credentials is given without reports-bucket"))
	}
	return errors.Join(errs...)
}

// names are the reports of each period.
func (r Reports) names() (map[reports.Period][]reports.Name, error) {
	list := map[reports.Period][]reports.Name{}
	var errs []error
	for period, texts := range map[reports.Period][]string{reports.Daily: r.Daily, reports.Weekly: r.Weekly, reports.Monthly: r.Monthly} {
		names, err := reports.ParseNames(texts)
		if err != nil {
			errs = append(errs, fmt.Errorf("reports-%s: %w", period, err))
		}
		if len(names) > 0 {
			list[period] = names
		}
	}
	return list, errors.Join(errs...)
}

// bucket returns the bucket; nil: there is none.
func (r Reports) bucket() (*s3.Bucket, error) {
	if r.Bucket == "" {
		return nil, nil
	}
	b, err := s3.New(s3.Config{URL: r.Bucket, Region: r.BucketRegion, Credentials: r.BucketCredentials})
	if err != nil {
		return nil, fmt.Errorf("reports-bucket: %w", err)
	}
	return b, nil
}

// places are where files go.
func (r Reports) places() (list []reports.Place, err error) {
	if r.Folder != "" {
		folder, err := filepath.Abs(r.Folder)
		if err != nil {
			return nil, err
		}
		list = append(list, reports.Folder(folder))
	}
	b, err := r.bucket()
	if err == nil && b != nil {
		list = append(list, b)
	}
	return list, err
}

// reportParts are the parts of a central about reports.
type reportParts struct {
	pages console.ReportParts
	jobs  []jobs.ScheduledJob
}

// newReports creates the reports, their pages and their jobs.
func newReports(cfg Config, db *store.DB, banks *iin.List) (p reportParts, err error) {
	if !cfg.Sandbox && cfg.Reports.BucketCredentials != "" {
		if err := readableByOthers(cfg.Reports.BucketCredentials); err != nil {
			return p, err
		}
	}
	names, err := cfg.Reports.names()
	if err != nil {
		return p, err
	}
	places, err := cfg.Reports.places()
	if err != nil {
		return p, err
	}
	service, err := reports.New(db, reports.Naming{Kind: console.KindName, Bank: banks.Name})
	if err != nil {
		return p, err
	}
	temp := filepath.Join(cfg.Data, "central")
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return p, err
	}
	files, err := reports.NewSchedule(service, db, reports.ScheduleConfig{Reports: names, Places: places, Temp: temp, Logger: cfg.Logger})
	if err != nil {
		return p, err
	}
	closer, err := reports.NewCloser(db, db.ForReports(), cfg.Logger)
	if err != nil {
		return p, err
	}
	p.pages = console.ReportParts{Reports: service, Files: files, Company: cfg.Reports.Company}
	p.jobs = []jobs.ScheduledJob{closer.Job(), files.Job()}
	return p, nil
}

// countReports counts files of reports that wait, and how far days are complete; every node
// reports the same values.
func (d *background) countReports(ctx context.Context, ch chan<- prometheus.Metric) {
	gauge := metricSink(ch).gauge
	backlog, err := d.store.RunBacklog(ctx)
	if err != nil {
		d.log.Warn("the files of reports can't be counted", "error", err)
		return
	}
	gauge("report_files_waiting", "Files of reports that are to be written, those included that wait for the bank's settlement file.", float64(backlog.Waiting))
	gauge("report_files_failing", "Files of reports whose last attempt failed; the console's page Files of reports has the errors.", float64(backlog.Failing))
	closed, err := d.store.ClosedDays(ctx)
	if err != nil {
		d.log.Warn("the days that are complete for reports can't be read", "error", err)
		return
	}
	late := 0.0
	if _, end, err := closed.Last.Bounds(); err == nil {
		late = max(0, time.Since(end).Seconds())
	}
	gauge("report_days_age_seconds", "Time since the end of the last day that is complete for reports, at most a day and two hours; 0: no day is complete yet.", late)
}
