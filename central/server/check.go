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

	"galla/central/bank"
	"galla/central/credential"
	"galla/central/office"
	"galla/central/store"
	"galla/shared/trace"
)

// Bounds of an examination.
const (
	// examineWait bounds each look at something that may not answer.
	examineWait = 5 * time.Second
	// maxDrift is how far our clock may be off the bank's: deadlines of two
	// minutes and tokens of one bear that, and NTP keeps it a hundred times
	// better.
	maxDrift = 5 * time.Second
	// renewal is how long a certificate should still be valid at a start.
	renewal = 3 * 24 * time.Hour
	// worldReadable is the permission of everybody else to read a file.
	worldReadable = 0o004
)

// errExamined says that an examination found something.
var errExamined = errors.New("the examination found what must be put right before a start; see the lines that begin with 'wrong'")

// examination writes a line for each thing it looked at.
type examination struct {
	out   io.Writer
	wrong bool
}

func (x *examination) look(name string, err error, fine string) {
	if err != nil {
		x.wrong = true
		fmt.Fprintf(x.out, "wrong  %s: %s\n", name, strings.ReplaceAll(err.Error(), "\n", "; "))
		return
	}
	fmt.Fprintf(x.out, "ok     %s: %s\n", name, fine)
}

// Check looks at everything that a start of a central needs, and changes
// nothing: the configuration, the data folder, the addresses, the keys, the
// certificate, the rules, the database, the bank and the clock. Each has a line,
// whatever the others are; the error says that one of them is wrong. misread is
// what was wrong with the settings when they were read into cfg.
func Check(ctx context.Context, cfg Config, misread error, out io.Writer) error {
	x := &examination{out: out}
	x.look("configuration", errors.Join(misread, cfg.Validate()), "every setting is one that can be")
	x.folder(cfg)
	x.addresses(ctx, cfg)
	k, err := x.keys(cfg)
	x.certificate(cfg)
	x.traces(ctx, cfg)
	_, rulesErr := loadRules(cfg)
	x.look("rules", rulesErr, "limits, tax rates and provider costs can be read")
	if !errors.Is(misread, office.ErrDatabaseURL) { // which has its line
		x.database(ctx, cfg)
	}
	if err == nil {
		_, err = bank.New(bank.Config{BaseURL: cfg.BankURL, Key: k.Bank, Timeout: cfg.BankTimeout, Logger: cfg.Logger})
	} else {
		err = nil // the keys have their line
	}
	if err != nil {
		x.look("bank", err, "")
	} else {
		x.bank(ctx, cfg)
	}
	if x.wrong {
		return errExamined
	}
	return nil
}

// traces looks whether their collector can be reached, without which a central
// starts all the same.
func (x *examination) traces(ctx context.Context, cfg Config) {
	if cfg.Traces == nil {
		return
	}
	if err := trace.Reach(ctx, *cfg.Traces); err != nil {
		fmt.Fprintf(x.out, "look   traces: %s\n", err)
		return
	}
	x.look("traces", nil, "their collector can be reached")
}

// certificate reads it as a start does, where there is one.
func (x *examination) certificate(cfg Config) {
	if cfg.TLSCert == "" || cfg.TLSKey == "" {
		return // neither is fine, and one alone is the configuration's fault
	}
	shown, err := credential.Open(cfg.TLSCert, cfg.TLSKey, cfg.Logger)
	if err != nil {
		x.look("certificate", err, "")
		return
	}
	end, _ := shown.Ends()
	if time.Until(end) < renewal {
		err = fmt.Errorf("%s ends at %s: renew it now", cfg.TLSCert, end.UTC().Format(time.RFC3339))
	}
	x.look("certificate", err, "valid until "+end.UTC().Format(time.RFC3339))
}

// keys reads them as a start of production does, without making any.
func (x *examination) keys(cfg Config) (credential.Keys, error) {
	folder := filepath.Join(cfg.Data, "keys")
	looked := cfg
	looked.Sandbox = false // a sandbox would make what is missing
	k, err := credential.Load(looked.credentials())
	if cfg.Sandbox && err != nil {
		fmt.Fprintf(x.out, "ok     keys: what is missing in %s is made at the start, since this is a sandbox\n", folder)
		return credential.Keys{}, err
	}
	err = errors.Join(err, readByOthers(folder))
	x.look("keys", err, fmt.Sprintf("all are there, drawn at random, each for one purpose, %d for vendors' keys", len(k.VendorMasters)))
	return k, err
}

// readByOthers names the key files that everybody on the machine can read.
func readByOthers(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.key"))
	if err != nil {
		return err
	}
	var open []error
	for _, name := range files {
		about, err := os.Stat(name)
		switch {
		case err != nil:
			open = append(open, err)
		case about.Mode().Perm()&worldReadable != 0:
			open = append(open, fmt.Errorf("%s can be read by everybody on this machine: chmod 0600", name))
		}
	}
	return errors.Join(open...)
}

// database looks at it as it is: nothing is made, and nothing migrated.
func (x *examination) database(ctx context.Context, cfg Config) {
	if _, err := os.Stat(cfg.Office().Database()); cfg.DatabaseURL.IsZero() && errors.Is(err, fs.ErrNotExist) {
		x.look("database", nil, "there is none so far; SQLite is made in "+filepath.Dir(cfg.Office().Database())+" at the start")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, examineWait)
	defer cancel()
	db, err := office.OpenStore(ctx, cfg.Office(), store.Config{Node: cfg.Node + "-check", Logger: cfg.Logger, AsIs: true})
	if err != nil {
		x.look("database", err, "")
		return
	}
	defer func() { _ = db.Close() }()
	has, brings, err := db.Schema(ctx)
	switch {
	case err != nil:
		x.look("database", nil, db.Name()+" answers and has no schema so far; it is made at the start")
		return
	case has > brings:
		x.look("database", fmt.Errorf("it has schema version %d and this program knows only up to %d: start the newer program that migrated it", has, brings), "")
		return
	case has < brings:
		x.look("database", nil, fmt.Sprintf("%s answers; its schema goes from version %d to %d at the start: back it up before", db.Name(), has, brings))
	default:
		x.look("database", nil, fmt.Sprintf("%s answers, with schema version %d", db.Name(), has))
	}
	if has == brings { // older schemas may not have what is looked for
		x.look("credentials", refuseSandbox(ctx, cfg, db), "none of the sandbox's public ones opens the database, or it is a sandbox's")
	}
}

// bank looks whether the network answers, by a way that may carry customers'
// numbers, and what its clock says.
func (x *examination) bank(ctx context.Context, cfg Config) {
	if err := inTheClear(cfg); err != nil {
		x.look("bank", err, "")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, examineWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, cfg.BankURL, nil)
	if err != nil {
		x.look("bank", err, "")
		return
	}
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	asked := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		x.look("bank", fmt.Errorf("it does not answer; look at the address, the line and the certificate: %w", err), "")
		return
	}
	_ = resp.Body.Close()
	x.look("bank", nil, cfg.BankURL+" answers")
	x.clock(asked.Add(time.Since(asked)/2), resp.Header.Get("Date"))
}

// clock compares ours with the bank's, which tells whole seconds.
func (x *examination) clock(ours time.Time, date string) {
	theirs, err := http.ParseTime(date)
	if err != nil {
		x.look("clock", nil, "the bank does not tell the time; see that NTP runs")
		return
	}
	drift := ours.Sub(theirs.Add(500 * time.Millisecond)).Round(time.Second)
	if drift.Abs() > maxDrift {
		x.look("clock", fmt.Errorf("it is %v off the bank's: see that NTP runs, here and there", drift.Abs()), "")
		return
	}
	x.look("clock", nil, fmt.Sprintf("at most %v off the bank's", maxDrift))
}

// inTheClear refuses a way to the bank on which others could read. Production
// starts on none.
func inTheClear(cfg Config) error {
	if u, err := url.Parse(cfg.BankURL); err == nil && u.Scheme == "http" && !cfg.Sandbox && !loopback(u.Hostname()) {
		return fmt.Errorf("http://%s would carry customers' numbers in the clear: use https", u.Host)
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
