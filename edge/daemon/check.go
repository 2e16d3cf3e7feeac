package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"

	"galla/edge/aadhaarqr"
	"galla/edge/doctor"
	"galla/edge/queue"
	"galla/shared/telemetry"
)

var errChecked = errors.New("the check found problems that prevent a start; see the lines that begin with 'wrong'")

// Check checks everything that a start of a counter needs, and changes nothing: the
// settings, the enrolment, the queue, and what the doctor examines. Each has a
// line; the error reports that one of them is wrong. The counter may be running.
// misread is the error of reading cfg.
func Check(ctx context.Context, cfg Config, misread error, readers doctor.Readers, out io.Writer) error {
	wrong := false
	look := func(subject string, err error, fine string) {
		if err != nil {
			wrong = true
			fmt.Fprintf(out, "wrong  %s: %s\n", subject, strings.ReplaceAll(err.Error(), "\n", "; "))
			return
		}
		fmt.Fprintf(out, "ok     %s: %s\n", subject, fine)
	}
	look("settings", errors.Join(misread, cfg.Validate()), "every one can be")
	if cfg.Traces != nil {
		if err := telemetry.Reach(ctx, *cfg.Traces); err != nil {
			fmt.Fprintf(out, "look   traces: %s\n", err)
		} else {
			look("traces", nil, "their collector can be reached")
		}
	}
	inUse, says, err := inspectQueue(cfg)
	look("queue", err, says)
	report, err := Examine(ctx, cfg, readers, cfg.Rand)
	if err != nil {
		look("counter", err, "")
		return errChecked
	}
	for _, f := range report.Findings {
		switch {
		case f.Subject == "queue" && (f.Verdict == doctor.OK || f.Verdict == doctor.Unknown): // it has its line
		case f.Subject == "counter" && !inUse: // its pages are served when it runs
			look("pages", checkAddrFree(cfg.Addr), "their address is free")
		case f.Verdict == doctor.Bad:
			look(f.Subject, errors.New(findingText(f)), "")
		case f.Verdict == doctor.OK:
			look(f.Subject, nil, findingText(f))
		default:
			fmt.Fprintf(out, "look   %s: %s\n", f.Subject, findingText(f))
		}
	}
	if wrong {
		return errChecked
	}
	return nil
}

func findingText(f doctor.Finding) string { return strings.TrimSpace(f.Says + " " + f.Do) }

// inspectQueue reports whether the queue opens, or a counter has it open.
func inspectQueue(cfg Config) (inUse bool, says string, err error) {
	f := folderOf(cfg.Data)
	_, key, _, err := f.load(cfg.Rand)
	if errors.Is(err, ErrNotEnrolled) {
		return false, "there is none before enrolment", nil // which has its own line
	}
	if err != nil {
		return false, "", err
	}
	switch seen, err := queue.Inspect(cfg.queue(key)); {
	case errors.Is(err, queue.ErrLocked):
		return true, "a running counter has it open", nil
	case errors.Is(err, fs.ErrNotExist):
		return false, "there is none yet; it is made at the first start", nil
	case err != nil:
		return false, "", err
	default:
		says = fmt.Sprintf("it opens; %d operation(s) in it, %d without an outcome", seen.Operations, seen.Unresolved)
		if seen.Damaged > 0 {
			says += fmt.Sprintf(", %d that can't be read: ask support for their outcome", seen.Damaged)
		}
		return false, says, nil
	}
}

func checkAddrFree(addr string) error {
	l, err := listen(addr)
	if err != nil {
		return err
	}
	return l.Close()
}

// maxCardCertificate bounds the file of certificates, in bytes.
const maxCardCertificate = 1 << 20

// cardReader makes the reader of Aadhaar QR codes, with the operator's certificates.
func (c Config) cardReader() (*aadhaarqr.Reader, error) {
	if c.CardCertificate == "" {
		return aadhaarqr.New(nil)
	}
	about, err := os.Stat(c.CardCertificate)
	if err != nil {
		return nil, fmt.Errorf("certificate of Aadhaar QR codes: %w", err)
	}
	if about.Size() == 0 || about.Size() > maxCardCertificate {
		return nil, fmt.Errorf("certificate of Aadhaar QR codes %s has %d bytes; want the file of a certificate", c.CardCertificate, about.Size())
	}
	content, err := os.ReadFile(c.CardCertificate)
	if err != nil {
		return nil, fmt.Errorf("certificate of Aadhaar QR codes: %w", err)
	}
	reader, err := aadhaarqr.New(content)
	if err != nil {
		return nil, fmt.Errorf("certificate of Aadhaar QR codes %s: %w", c.CardCertificate, err)
	}
	return reader, nil
}

// Validate reports all faults at once.
func (c Config) Validate() error {
	var errs []error
	host, _, err := net.SplitHostPort(hostPort(c.Addr))
	ip := net.ParseIP(host)
	switch {
	case err != nil:
		errs = append(errs, fmt.Errorf("address of the pages %q: want host:port, such as 127.0.0.1:7200", c.Addr))
	case host != "localhost" && (ip == nil || !ip.IsLoopback()):
		errs = append(errs, fmt.Errorf("address of the pages %q: others on the network could call it; want one of this computer alone, such as 127.0.0.1:7200", c.Addr))
	}
	if c.Data == "" {
		errs = append(errs, errors.New("data folder is missing"))
	} else if about, err := os.Stat(c.Data); err == nil && !about.IsDir() {
		errs = append(errs, fmt.Errorf("data folder %s is no folder", c.Data))
	}
	if _, err := c.cardReader(); err != nil {
		errs = append(errs, err)
	}
	if c.Rand == nil || c.Logger == nil {
		errs = append(errs, errors.New("randomness and a logger are needed"))
	}
	return errors.Join(errs...)
}
