package doctor

import (
	"bytes"
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"galla/rdservice"
	"galla/shared/ist"
)

// connectionFault says why an address did not answer. The error is not quoted: it
// may contain a URL.
func connectionFault(ctx context.Context, err error) string {
	var unknownHost *net.DNSError
	var authority x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case ctx.Err() != nil, errors.Is(err, os.ErrDeadlineExceeded):
		return "no answer in time"
	case errors.As(err, &unknownHost):
		return "its name was not found"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate is not valid at this computer's time"
	case errors.As(err, &authority), errors.As(err, &hostname), errors.As(err, &invalid):
		return "its certificate is not trusted"
	}
	return "the connection failed"
}

func (d *Doctor) readers(ctx context.Context) []Finding {
	devices, failures, err := d.cfg.Readers.Survey(ctx)
	if err != nil {
		return []Finding{{"reader", Unknown, "The search for readers failed.", rdservice.Explain(err).Text}}
	}
	var found []Finding
	if len(devices) == 0 {
		found = append(found, Finding{"reader", Bad, "No fingerprint reader's service was found.", "Check the reader's cable and that its RD service is installed and running, then try again."})
	}
	for _, device := range devices {
		found = append(found, reader(device), certificate(device, d.cfg.Now()))
	}
	for _, failure := range failures {
		if f, tells := unusableService(failure, len(devices) == 0); tells {
			found = append(found, f)
		}
	}
	return found
}

// unusableService describes a program at an address without a usable service; tells
// is false where there is none, or another program that does not matter.
func unusableService(e *rdservice.Error, wanted bool) (f Finding, tells bool) {
	switch {
	case errors.Is(e, rdservice.ErrRefused):
		return Finding{}, false
	case errors.Is(e, rdservice.ErrForeignHost):
		return Finding{"reader", Warn, "The service at " + e.Address + " points to another computer and is not used.", "Install the reader's RD service again from its maker; if that does not help, call support."}, true
	case errors.Is(e, rdservice.ErrTimeout), errors.Is(e, rdservice.ErrBroken):
		return Finding{"reader", Warn, "A program at " + e.Address + " takes calls and does not answer.", "If it is a reader's RD service, restart it, or restart the computer."}, true
	}
	return Finding{"reader", Warn, "The program at " + e.Address + " is no reader's service.", "If it took the place of the reader's RD service, end it and restart that service."}, wanted
}

// deviceLabel is what a device is called, without its serial.
func deviceLabel(d rdservice.Device) string {
	l := d.Listing()
	return cmp.Or(l.Vendor, "A reader of an unknown maker") + " at " + l.Address
}

// readerStates are the findings of a reader, by the status of its service.
var readerStates = map[rdservice.Status]Finding{
	rdservice.Ready:    {"reader", OK, "is ready.", ""},
	rdservice.Used:     {"reader", Warn, "is in use.", "Wait until its capture has ended, or close the other program that holds it."},
	rdservice.NotReady: {"reader", Bad, "is not ready.", "Plug the reader in (again), with the internet on, and wait half a minute."},
}

func reader(d rdservice.Device) Finding {
	f, known := readerStates[d.Service.Status]
	switch {
	case d.Service.CapturePath == "":
		f = Finding{"reader", Bad, "offers no capture.", "Restart its RD service; if that does not help, install it again."}
	case !known:
		f = Finding{"reader", Warn, "has a status that is not known here.", "Restart its RD service."}
	}
	f.Says = deviceLabel(d) + " " + f.Says
	return f
}

func certificate(d rdservice.Device, now time.Time) Finding {
	const renew = "Leave the reader plugged in with the internet on: its service renews the certificate. If the day does not change, ask the reader's supplier."
	name, ends := deviceLabel(d), d.Info.CertificateEnds.In(ist.Zone()).Format("2 Jan 2006")
	switch d.Info.Certificate(now) {
	case rdservice.CertificateEnded:
		return Finding{"certificate", Bad, name + ": its certificate ended on " + ends + ".", renew}
	case rdservice.CertificateEnding:
		return Finding{"certificate", Warn, name + ": its certificate ends on " + ends + ".", renew}
	case rdservice.CertificateGood:
		return Finding{"certificate", OK, name + ": its certificate is good until " + ends + ".", ""}
	}
	return Finding{"certificate", Unknown, name + ": the end of its certificate could not be read.", ""}
}

// notEnrolled reports that the counter was never enrolled.
func (d *Doctor) notEnrolled() bool { return d.cfg.Uplink == "" && d.cfg.Enrolment == nil }

// diskFolder is where the disk is tried: the data folder, and before enrolment,
// which makes it, the nearest one above it that is there.
func (d *Doctor) diskFolder() string {
	folder := d.cfg.Folder
	for d.notEnrolled() {
		if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) || folder == filepath.Dir(folder) {
			break
		}
		folder = filepath.Dir(folder)
	}
	return folder
}

// disk writes what a day needs, has it reach the disk, and removes it.
func (d *Doctor) disk(context.Context) []Finding {
	err := func() (err error) {
		f, err := os.CreateTemp(d.diskFolder(), ".doctor-*")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
		if _, err := f.Write(bytes.Repeat([]byte{0xa5}, probeBytes)); err != nil {
			return err
		}
		return f.Sync()
	}()
	switch {
	case err == nil:
		return []Finding{{"disk", OK, "The disk takes new entries.", ""}}
	case errors.Is(err, fs.ErrNotExist):
		return []Finding{{"disk", Bad, "The data folder does not exist.", "Check GALLA_DATA: this counter is enrolled, so its data is elsewhere."}}
	case errors.Is(err, fs.ErrPermission):
		return []Finding{{"disk", Bad, "This user may not write in the data folder.", "Run the program as the user that serves the counter."}}
	}
	return []Finding{{"disk", Bad, "The disk takes no new entries: it is full or has a fault.", "Free some space (downloads, old pictures) and try again. If it stays so, have the disk checked."}}
}

// queue examines the queue's file from outside.
func (d *Doctor) queue(context.Context) []Finding {
	info, err := os.Stat(d.cfg.QueueFile)
	switch {
	case errors.Is(err, fs.ErrNotExist) && d.notEnrolled():
		return []Finding{{"queue", Unknown, "There is no queue before enrolment.", ""}}
	case errors.Is(err, fs.ErrNotExist):
		return []Finding{{"queue", Warn, "There is no queue yet.", "It is made when the counter first runs. If this counter has worked before, call support: do not start it."}}
	case err != nil:
		return []Finding{{"queue", Bad, "The queue's file can't be read.", "Run the program as the user that serves the counter."}}
	case !info.Mode().IsRegular() || info.Size() == 0:
		return []Finding{{"queue", Bad, "The queue's file is no proper file.", "Call support: do not start the counter."}}
	}
	mib := fmt.Sprintf("The queue's file has %.1f MiB", float64(info.Size())/(1<<20))
	if d.cfg.QueueMax > 0 && info.Size() > d.cfg.QueueMax/10*9 {
		return []Finding{{"queue", Warn, mib + " and is nearly full.", "Call support. Old operations are deleted once the counter is online."}}
	}
	return []Finding{{"queue", OK, mib + ".", ""}}
}

// printer checks the configured printer, or else lists the device files of
// printers.
func (d *Doctor) printer(ctx context.Context) []Finding {
	if d.cfg.Printer != nil {
		prints, do := d.cfg.Printer(ctx)
		if !prints {
			return []Finding{{"printer", Warn, "The receipt printer that is set up does not print.", do}}
		}
		return []Finding{{"printer", OK, "The receipt printer prints.", do}}
	}
	for _, pattern := range d.cfg.Printers {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			continue // a pattern of ours that is wrong finds nothing
		}
		for _, file := range matches {
			f, err := os.OpenFile(file, os.O_WRONLY|syscall.O_NONBLOCK, 0)
			if errors.Is(err, fs.ErrPermission) {
				return []Finding{{"printer", Bad, "A printer is plugged in, but this user may not write to it.", "Add the user to the group 'lp' and log in again."}}
			}
			if err == nil {
				_ = f.Close()
				return []Finding{{"printer", OK, "A printer is plugged in.", ""}}
			}
		}
	}
	return []Finding{{"printer", Unknown, "No receipt printer was found on a USB cable.", "If there should be one: check its cable and power. Printing by the browser always works."}}
}

// release reports the running version, and whether a newer one waits.
func (d *Doctor) release(context.Context) []Finding {
	r := d.cfg.Release
	switch {
	case r.Running == "":
		return nil
	case r.Waiting != "":
		return []Finding{{"release", OK, "Version " + r.Running + " runs. An update to " + r.Waiting + " waits until the counter is idle.", "Leave the counter idle and online for some minutes."}}
	case r.Blocked != "":
		return []Finding{{"release", Warn, "Version " + r.Running + " runs. The newer " + r.Blocked + " did not work here and was blocked.", "Tell support; a later version is installed automatically."}}
	}
	return []Finding{{"release", OK, "Version " + r.Running + " runs, and no update waits.", ""}}
}
