package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"galla/central/admincli"
	"galla/central/bank"
	"galla/central/keys"
	"galla/central/store"
	"galla/shared/telemetry"
)

// Bounds of a check.
const (
	// checkTimeout bounds each check of something that may not answer.
	checkTimeout = 5 * time.Second
	// maxClockDrift bounds the difference between our clock and the bank's: deadlines of
	// two minutes and tokens of one minute tolerate it, and NTP is far more exact.
	maxClockDrift = 5 * time.Second
	// renewBefore is the least remaining validity of a certificate.
	renewBefore = 3 * 24 * time.Hour
	// worldReadable is the permission bit for others to read a file.
	worldReadable = 0o004
)

// errCheckFailed says that a check found something wrong.
var errCheckFailed = errors.New("the check found problems that must be solved before a start; see the lines that begin with 'wrong'")

// checkReport writes a line for each check.
type checkReport struct {
	out   io.Writer
	wrong bool
}

func (x *checkReport) add(name string, err error, fine string) {
	if err != nil {
		x.wrong = true
		fmt.Fprintf(x.out, "wrong  %s: %s\n", name, strings.ReplaceAll(err.Error(), "\n", "; "))
		return
	}
	fmt.Fprintf(x.out, "ok     %s: %s\n", name, fine)
}

// Check checks everything that a start of a central needs, without changes: the
// configuration, the data folder, the addresses, the keys, the certificate, the rules,
// the database, the bank and the clock. Each gets a line in out; the error says that one
// of them is wrong. misread has the errors of reading the settings into cfg.
func Check(ctx context.Context, cfg Config, misread error, out io.Writer) error {
	x := &checkReport{out: out}
	x.add("configuration", errors.Join(misread, cfg.Validate()), "all settings are valid")
	x.folder(cfg)
	x.addresses(ctx, cfg)
	k, err := x.keys(cfg)
	x.certificate(cfg)
	x.traces(ctx, cfg)
	_, rulesErr := loadRules(cfg)
	x.add("rules", rulesErr, "limits, tax rates and provider costs can be read")
	x.reports(ctx, cfg)
	if !errors.Is(misread, admincli.ErrDatabaseURL) { // reported already
		x.database(ctx, cfg)
	}
	if err == nil {
		_, err = bank.New(cfg.bank(k.Bank))
	} else {
		err = nil // reported already
	}
	if err != nil {
		x.add("bank", err, "")
	} else {
		x.bank(ctx, cfg)
	}
	if x.wrong {
		return errCheckFailed
	}
	return nil
}

// traces checks whether the collector can be reached. A central starts without it.
func (x *checkReport) traces(ctx context.Context, cfg Config) {
	if cfg.Traces == nil {
		return
	}
	if err := telemetry.Reach(ctx, *cfg.Traces); err != nil {
		fmt.Fprintf(x.out, "note   traces: %s\n", err)
		return
	}
	x.add("traces", nil, "the collector can be reached")
}

// reports checks whether files of reports can be written. A central starts without it, and
// tries again.
func (x *checkReport) reports(ctx context.Context, cfg Config) {
	bucket, err := cfg.Reports.bucket()
	if err != nil {
		return // reported already
	}
	if folder := cfg.Reports.Folder; folder != "" {
		about, err := os.Stat(folder)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			x.add("reports folder", nil, folder+" is made when the first report is written")
		case err == nil && !about.IsDir():
			x.add("reports folder", fmt.Errorf("%s is no folder", folder), "")
		default:
			x.add("reports folder", err, folder+" exists")
		}
	}
	if bucket == nil {
		return
	}
	err = readableByOthers(cfg.Reports.BucketCredentials)
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, checkTimeout)
		defer cancel()
		err = bucket.Check(ctx)
	}
	x.add("reports bucket", err, bucket.String()+" can be reached")
}

// certificate checks the certificate as a start does, if there is one.
func (x *checkReport) certificate(cfg Config) {
	if cfg.TLSCert == "" || cfg.TLSKey == "" {
		return // both may be missing; one alone is a fault of the configuration
	}
	shown, err := keys.OpenCertificate(cfg.TLSCert, cfg.TLSKey, cfg.Logger)
	if err != nil {
		x.add("certificate", err, "")
		return
	}
	end, _ := shown.NotAfter()
	if time.Until(end) < renewBefore {
		err = fmt.Errorf("%s ends at %s: renew it now", cfg.TLSCert, end.UTC().Format(time.RFC3339))
	}
	x.add("certificate", err, "valid until "+end.UTC().Format(time.RFC3339))
}

// keys reads the keys as a production start does, without creating any.
func (x *checkReport) keys(cfg Config) (keys.Set, error) {
	folder := filepath.Join(cfg.Data, "keys")
	looked := cfg
	looked.Sandbox = false // a sandbox would create what is missing
	k, err := keys.Load(looked.keyConfig())
	if cfg.Sandbox && err != nil {
		fmt.Fprintf(x.out, "ok     keys: a sandbox creates what is missing in %s at the start\n", folder)
		return keys.Set{}, err
	}
	err = errors.Join(err, readByOthers(folder))
	x.add("keys", err, fmt.Sprintf("all exist, are random and differ; %d for vendors' keys", len(k.VendorMasters)))
	return k, err
}

// readByOthers is an error that names the key files that everybody on the machine can read.
func readByOthers(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.key"))
	if err != nil {
		return err
	}
	var open []error
	for _, name := range files {
		open = append(open, readableByOthers(name))
	}
	return errors.Join(open...)
}

// readableByOthers is an error if everybody on the machine can read a file, or if there is none.
func readableByOthers(name string) error {
	about, err := os.Stat(name)
	if err == nil && about.Mode().Perm()&worldReadable != 0 {
		err = fmt.Errorf("%s can be read by everybody on this machine: chmod 0600", name)
	}
	return err
}

// database checks the database without creating or migrating it.
func (x *checkReport) database(ctx context.Context, cfg Config) {
	if _, err := os.Stat(cfg.CLIConfig().Database()); cfg.DatabaseURL.IsZero() && errors.Is(err, fs.ErrNotExist) {
		x.add("database", nil, "there is none yet; SQLite is created in "+filepath.Dir(cfg.CLIConfig().Database())+" at the start")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	db, err := admincli.OpenStore(ctx, cfg.CLIConfig(), store.Config{Node: cfg.Node + "-check", Logger: cfg.Logger, SkipMigrations: true})
	if err != nil {
		x.add("database", err, "")
		return
	}
	defer func() { _ = db.Close() }()
	has, brings, err := db.SchemaVersion(ctx)
	switch {
	case err != nil:
		x.add("database", nil, db.Name()+" answers and has no schema yet; a start creates it")
		return
	case has > brings:
		x.add("database", fmt.Errorf("it has schema version %d and this program knows only up to %d: start the newer program that migrated it", has, brings), "")
		return
	case has < brings:
		x.add("database", nil, fmt.Sprintf("%s answers; its schema goes from version %d to %d at the start: back it up before", db.Name(), has, brings))
	default:
		x.add("database", nil, fmt.Sprintf("%s answers, with schema version %d", db.Name(), has))
	}
	if has == brings { // older schemas may lack the tables
		x.add("credentials", refuseSandbox(ctx, cfg, db), "the database has none of the sandbox's public credentials, or this is a sandbox")
	}
}

// bank checks whether the network answers over a connection that is safe enough, and
// compares its clock.
func (x *checkReport) bank(ctx context.Context, cfg Config) {
	if err := checkBankURL(cfg); err != nil {
		x.add("bank", err, "")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, cfg.BankURL, nil)
	if err != nil {
		x.add("bank", err, "")
		return
	}
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	asked := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		x.add("bank", fmt.Errorf("it does not answer; look at the address, the connection and the certificate: %w", err), "")
		return
	}
	_ = resp.Body.Close()
	x.add("bank", nil, cfg.BankURL+" answers")
	x.clock(asked.Add(time.Since(asked)/2), resp.Header.Get("Date"))
}

// clock compares our clock with the bank's, whose Date header has whole seconds.
func (x *checkReport) clock(ours time.Time, date string) {
	theirs, err := http.ParseTime(date)
	if err != nil {
		x.add("clock", nil, "the bank does not send the time; make sure that NTP runs")
		return
	}
	drift := ours.Sub(theirs.Add(500 * time.Millisecond)).Round(time.Second)
	if drift.Abs() > maxClockDrift {
		x.add("clock", fmt.Errorf("it is %v off the bank's: make sure that NTP runs on both sides", drift.Abs()), "")
		return
	}
	x.add("clock", nil, fmt.Sprintf("at most %v off the bank's", maxClockDrift))
}

// checkBankURL is an error if others could read the connection to the bank. Production
// does not start then.
func checkBankURL(cfg Config) error {
	if u, err := url.Parse(cfg.BankURL); err == nil && u.Scheme == "http" && !cfg.Sandbox && !loopback(u.Hostname()) {
		return fmt.Errorf("http://%s would send customers' numbers unencrypted: use https", u.Host)
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
