package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/edge/daemon"
	"galla/edge/doctor"
	"galla/installers"
	"galla/rdservice"
	"galla/shared/ist"
	"galla/shared/settings"
)

type readerSearch struct {
	Ports string           `help:"Ports to search, such as 11100-11120; default: those of the specification and of the makers."`
	RDSim settings.Address `env:"GALLA_RDSIM_ADDR" help:"A further address of a registered-device service."`
}

func (p readerSearch) client() (*rdservice.Client, error) {
	cfg := rdservice.Config{Extra: nonEmpty(p.RDSim.URL())}
	if p.Ports != "" {
		first, last, isRange := strings.Cut(p.Ports, "-")
		if !isRange {
			last = first
		}
		var err, err2 error
		cfg.FirstPort, err = strconv.Atoi(strings.TrimSpace(first))
		cfg.LastPort, err2 = strconv.Atoi(strings.TrimSpace(last))
		if err != nil || err2 != nil {
			return nil, fmt.Errorf("--ports %q is no range of ports; write it as 11100-11120", p.Ports)
		}
	}
	return rdservice.New(cfg)
}

type devicesCmd struct {
	readerSearch
	JSON bool   `help:"As JSON, for programs."`
	Use  string `placeholder:"ADDRESS" help:"Make the reader at this address the counter's: fingers are taken with no other. Stop the counter first; while it runs, an owner chooses on the page Readers."`
}

// Run lists the readers of this computer, or makes one the counter's.
func (d *devicesCmd) Run(ctx context.Context, c *cli) error {
	client, err := d.client()
	if err != nil {
		return err
	}
	if d.Use != "" {
		return d.use(ctx, c, client)
	}
	found, failures, err := client.Survey(ctx)
	if err != nil {
		return err
	}
	if err := d.write(os.Stdout, found, time.Now()); err != nil {
		return err
	}
	return printUnusable(os.Stderr, failures)
}

func (d *devicesCmd) use(ctx context.Context, c *cli, client *rdservice.Client) error {
	service, err := client.Probe(ctx, d.Use)
	if err != nil {
		return withAdvice(err)
	}
	info, err := client.Info(ctx, service)
	if err != nil {
		return withAdvice(err)
	}
	pin, err := daemon.UseReader(c.daemonConfig(slog.New(slog.DiscardHandler)), service, info)
	if err != nil {
		return fmt.Errorf("make the reader at %s the counter's: %w", d.Use, err)
	}
	fmt.Printf("the counter takes fingers with %s, serial number %s, and with no other reader\n", pin.Name, pin.Serial)
	return nil
}

// printUnusable lists programs on the readers' ports that are no usable service: a
// service that hangs is often the missing one.
func printUnusable(w io.Writer, failures []*rdservice.Error) error {
	for _, failure := range failures {
		if errors.Is(failure, rdservice.ErrRefused) {
			continue
		}
		if _, err := fmt.Fprintf(w, "not usable: %s\n", failure); err != nil {
			return err
		}
	}
	return nil
}

func (d *devicesCmd) write(w io.Writer, found []rdservice.Device, now time.Time) error {
	rows := make([]rdservice.Listing, len(found))
	for i, device := range found {
		rows[i] = device.Listing()
	}
	if d.JSON {
		return writeJSON(w, rows)
	}
	if len(rows) == 0 {
		_, err := fmt.Fprintln(w, "No reader's service was found. Check the reader's cable and that its RD service runs.")
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "STATUS\tMAKER\tMODEL\tSERIAL\tLEVEL\tCERTIFICATE\tADDRESS")
	for i, r := range rows {
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Status, cmp.Or(r.Vendor, "?"), cmp.Or(r.MI, "?"),
			cmp.Or(r.Serial, "?"), cmp.Or(string(r.Level), "?"), certificateText(found[i].Info, now), r.Address)
	}
	return t.Flush() // returns the errors of all lines
}

func certificateText(info rdservice.DeviceInfo, now time.Time) string {
	day := info.CertificateEnds.In(ist.Zone()).Format(time.DateOnly)
	switch info.Certificate(now) {
	case rdservice.CertificateUnknown:
		return "?"
	case rdservice.CertificateEnded:
		return day + " (ended)"
	case rdservice.CertificateEnding:
		return day + " (ends soon)"
	}
	return day
}

type captureCmd struct {
	readerSearch
	Address string        `help:"Address of the RD service; without it the best one that is found."`
	Fingers int           `help:"How many fingers; one where no iris or face is asked for."`
	Irises  int           `help:"How many irises."`
	Faces   int           `help:"How many faces."`
	Timeout time.Duration `default:"10s" help:"How long the person has."`
	EKYC    bool          `name:"ekyc" help:"Capture for an e-KYC step (wadh)."`
	JSON    bool          `help:"As JSON, for programs."`
}

// Run asks a reader for a capture, prints the reply, and discards the capture.
func (c *captureCmd) Run(ctx context.Context) error {
	options := rdservice.Options{Fingers: c.Fingers, Irises: c.Irises, Faces: c.Faces, Timeout: c.Timeout}
	if c.EKYC {
		options.Wadh = rdservice.WadhEKYC
	}
	client, err := c.client()
	if err != nil {
		return err
	}
	service, err := c.service(ctx, client)
	if err != nil {
		return c.unanswered(os.Stdout, err)
	}
	if !c.JSON {
		_, _ = fmt.Fprintf(os.Stderr, "asking %s at %s …\n", cmp.Or(service.Vendor(), "the reader"), service.Address)
	}
	got, err := client.Capture(ctx, service, options)
	if err != nil {
		return c.unanswered(os.Stdout, err)
	}
	return c.write(os.Stdout, got)
}

// service finds the service to ask.
func (c *captureCmd) service(ctx context.Context, client *rdservice.Client) (rdservice.Service, error) {
	if c.Address != "" {
		return client.Probe(ctx, c.Address)
	}
	scan, err := client.Discover(ctx)
	if err != nil {
		return rdservice.Service{}, err
	}
	if len(scan.Services) == 0 {
		return rdservice.Service{}, noServiceError(scan.Failures)
	}
	return scan.Services[0], nil
}

// noServiceError says why there is no service. A service that hangs or is not
// trusted says more than ports without a listener.
func noServiceError(failures []*rdservice.Error) error {
	for _, kind := range []error{rdservice.ErrTimeout, rdservice.ErrBroken, rdservice.ErrForeignHost} {
		for _, failure := range failures {
			if errors.Is(failure, kind) {
				return failure
			}
		}
	}
	return errNoService
}

func (c *captureCmd) write(w io.Writer, got rdservice.Capture) error {
	s := got.Summary()
	if c.JSON {
		return writeJSON(w, s)
	}
	number := func(n *int) string {
		if n == nil {
			return "unknown"
		}
		return strconv.Itoa(*n)
	}
	quality := number(s.QScore)
	if score, known := got.Reply.Quality(); known && score != *s.QScore {
		quality = fmt.Sprintf("%d (sent as class %d)", score, *s.QScore)
	}
	at := "nothing was captured"
	if s.CapturedAt != nil {
		at = s.CapturedAt.Format("2006-01-02 15:04:05 -0700")
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range [][2]string{
		{"errCode", s.ErrCode}, {"errInfo", s.ErrInfo}, {"quality", quality}, {"minutiae", number(s.NmPoints)},
		{"captured at", at}, {"bytes", strconv.Itoa(s.Bytes)}, {"action", string(s.Action)}, {"", got.Judgement.Text},
	} {
		_, _ = fmt.Fprintf(t, "%s\t%s\n", row[0], row[1])
	}
	return t.Flush() // returns the errors of all lines
}

var errNoService = fmt.Errorf("no reader's service was found: %w", rdservice.ErrRefused)

// unanswered prints a capture without an answer: programs get the same object,
// with what to do, and the command fails.
func (c *captureCmd) unanswered(w io.Writer, err error) error {
	if c.JSON {
		j := rdservice.Explain(err)
		if err := writeJSON(w, rdservice.Summary{ErrInfo: j.Text, Action: j.Action}); err != nil {
			return err
		}
	}
	return withAdvice(err)
}

// withAdvice adds what to do to an error of rdservice.
func withAdvice(err error) error {
	var failed *rdservice.Error
	if !errors.As(err, &failed) && !errors.Is(err, errNoService) {
		return err
	}
	return fmt.Errorf("%w. %s", err, rdservice.Explain(err).Text)
}

type doctorCmd struct {
	readerSearch
	updateTrust
	Addr settings.Address `env:"GALLA_COUNTER_ADDR" default:"http://127.0.0.1:7200" help:"Loopback address of the counter's pages."`
	JSON bool             `help:"As JSON, for programs."`
}

// errNeedsAttention makes the command fail after the report was printed.
var errNeedsAttention = errors.New("something needs attention: see above")

// Run examines this counter. The report has no personal data.
func (d *doctorCmd) Run(ctx context.Context, c *cli) error {
	client, err := d.client()
	if err != nil {
		return err
	}
	report, err := daemon.Examine(ctx, daemon.Config{Data: c.Data, Addr: d.Addr.URL(), Version: installers.Release(), Updates: d.updatesFor(c.Data)}, client, rand.Reader)
	if err != nil {
		return err
	}
	if d.JSON {
		err = writeJSON(os.Stdout, report)
	} else {
		_, err = report.WriteTo(os.Stdout)
	}
	if err == nil && report.Worst() == doctor.Bad {
		return errNeedsAttention
	}
	return err
}

func writeJSON(w io.Writer, v any) error {
	if err := json.MarshalWrite(w, v, jsontext.WithIndent("  ")); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	_, err := fmt.Fprintln(w)
	return err
}
