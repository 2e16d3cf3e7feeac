// Command galla-bank is the sandbox bank: the other end of the bank network, with
// books, customers and scenarios.
//
// Its public address serves people and tests (books, inboxes, control). The network's
// protocol for the central has its own address, so that the bank can be down for the
// central and still be controlled. Its data is in $GALLA_DATA/bank, the key shared with
// the central in $GALLA_DATA/keys/bank-network.key, and the authority whose certificate
// devices encrypt PID blocks with in $GALLA_DATA/authority; each is created if missing.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/alecthomas/kong"

	"galla/central/bank/network"
	"galla/central/bank/simbank"
	"galla/rdservice/rdcrypto"
	"galla/shared/files"
	"galla/shared/money"
	"galla/shared/seal"
	"galla/shared/settings"
)

// floatRefill is half of the sandbox's float: it is filled up before a transfer is declined
// for it.
const floatRefill = 5_00_000 * money.Rupee

type cli struct {
	Addr        settings.Address `env:"GALLA_BANK_ADDR" default:"http://127.0.0.1:7300" help:"Public address for people and tests: books, inboxes and control."`
	NetworkAddr settings.Address `env:"GALLA_BANK_NETWORK_ADDR" help:"Address of the network's protocol, for the central; by default one port above the public address."`
	Central     settings.Address `env:"GALLA_CENTRAL_ADDR" default:"http://127.0.0.1:7100" help:"Where the sandbox's central answers: its page /docs/try may read inboxes; other pages may not."`
	Notify      string           `env:"GALLA_BANK_NOTIFY_URL" help:"The central that is told of payments by UPI, such as http://127.0.0.1:7100; by default the one at GALLA_CENTRAL_ADDR; none: nobody is told."`
	Data        string           `env:"GALLA_DATA" default:".galla" help:"Folder for Galla's data; the bank's is in bank/ below it."`
	TimeScale   float64          `env:"GALLA_BANK_TIME_SCALE" default:"1" help:"Multiplies the waits of the scenarios, such as 0.1."`

	Run        struct{}          `cmd:"" default:"withargs" help:"Run the bank (what happens without a command)."`
	Settlement settlementCommand `cmd:"" help:"Write the settlement file of a day, from the books of the running bank."`
}

func main() {
	var c cli
	chosen := kong.Parse(&c, kong.Name("galla-bank"), kong.Description("Galla's sandbox bank."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var err error
	if chosen.Command() == "settlement" {
		err = c.Settlement.write(ctx, c.Addr, os.Stdout, os.Stderr)
	} else {
		err = run(ctx, c, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "galla-bank:", err)
		os.Exit(1)
	}
}

// run runs the bank: it returns when ctx has ended and everything is closed, or when
// something fails.
func run(ctx context.Context, c cli, log *slog.Logger) (err error) {
	publicAddr, networkAddr, err := addresses(c)
	if err != nil {
		return err
	}
	if !(c.TimeScale > 0) {
		return fmt.Errorf("GALLA_BANK_TIME_SCALE=%v: must be above 0; 1 keeps the waits of the scenario table, 0.1 makes them a tenth", c.TimeScale)
	}
	notify, err := notifyURL(c)
	if err != nil {
		return err
	}
	key, err := seal.EnsureKeyFile(filepath.Join(c.Data, "keys", "bank-network.key"), rand.Reader)
	if err != nil {
		return fmt.Errorf("key shared with the central: %w", err)
	}
	cert, authority, err := rdcrypto.EnsureAuthority(filepath.Join(c.Data, "authority"), rand.Reader)
	if err != nil {
		return fmt.Errorf("authority of the PID blocks: %w", err)
	}
	// Both addresses are opened first, so that a second bank on one machine ends here
	// and leaves the first one's PID file alone.
	publicListener, err := listen(ctx, "GALLA_BANK_ADDR", publicAddr)
	if err != nil {
		return err
	}
	defer func() { _ = publicListener.Close() }()
	networkListener, err := listen(ctx, "GALLA_BANK_NETWORK_ADDR", networkAddr)
	if err != nil {
		return err
	}
	defer func() { _ = networkListener.Close() }()

	bank, err := simbank.New(ctx, simbank.Config{
		DataDir: filepath.Join(c.Data, "bank"), NetworkKey: key, AuthorityKey: authority, AuthorityCert: cert,
		ListenPublic: func(context.Context) (net.Listener, error) { return publicListener, nil },
		ListenNetwork: firstThen(networkListener, func(ctx context.Context) (net.Listener, error) {
			return listen(ctx, "GALLA_BANK_NETWORK_ADDR", networkAddr)
		}),
		NotifyURL: notify, Origins: c.Central.Origins(), FloatRefill: floatRefill, TimeScale: c.TimeScale, Rand: rand.Reader, Logger: log,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bank.Close()) }()

	remove, err := files.WritePID(filepath.Join(c.Data, "bank.pid"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	log.Info("sandbox bank is open", "public", "http://"+publicListener.Addr().String(), "network", "http://"+networkListener.Addr().String(), "timeScale", c.TimeScale)
	if err := bank.Run(ctx); err != nil {
		return err
	}
	log.Info("sandbox bank is closed")
	return nil
}

// addresses returns host:port of the public address and of the network's.
func addresses(c cli) (publicAddr, networkAddr string, err error) {
	for name, a := range map[string]settings.Address{"GALLA_BANK_ADDR": c.Addr, "GALLA_BANK_NETWORK_ADDR": c.NetworkAddr} {
		if scheme := a.Scheme(); scheme != "" && scheme != "http" {
			return "", "", fmt.Errorf("%s=%s: the sandbox bank speaks plain HTTP only: host:port, with or without http://", name, a)
		}
	}
	publicAddr, networkAddr = c.Addr.HostPort(), c.NetworkAddr.HostPort()
	if networkAddr != "" {
		return publicAddr, networkAddr, nil
	}
	if networkAddr, err = network.NetworkAddr(publicAddr); err != nil {
		return "", "", fmt.Errorf("GALLA_BANK_ADDR: %w; or set GALLA_BANK_NETWORK_ADDR", err)
	}
	return publicAddr, networkAddr, nil
}

// notifyNone is the setting with which nobody is told of payments.
const notifyNone = "none"

// notifyURL is the central that is told of payments; empty: none is.
func notifyURL(c cli) (string, error) {
	switch c.Notify {
	case "":
		return c.Central.URL(), nil
	case notifyNone:
		return "", nil
	}
	a, err := settings.ParseAddress(c.Notify)
	if err != nil {
		return "", fmt.Errorf("GALLA_BANK_NOTIFY_URL: %w; or none", err)
	}
	if scheme := a.Scheme(); scheme != "" && scheme != "http" && scheme != "https" {
		return "", fmt.Errorf("GALLA_BANK_NOTIFY_URL=%s: must begin with http:// or https://", a)
	}
	return a.URL(), nil
}

// listen opens an address; an error names its variable.
func listen(ctx context.Context, name, address string) (net.Listener, error) {
	var l net.ListenConfig
	listener, err := l.Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s=%s: the port is taken by another program; stop that one (it may be an earlier galla-bank), or set %s to another port", name, address, name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s=%s: listen: %w", name, address, err)
	}
	return listener, nil
}

// firstThen returns a function that gives the open listener at its first call, and opens
// the address again at later ones.
func firstThen(open net.Listener, reopen func(context.Context) (net.Listener, error)) func(context.Context) (net.Listener, error) {
	first := make(chan net.Listener, 1)
	first <- open
	return func(ctx context.Context) (net.Listener, error) {
		select {
		case l := <-first:
			return l, nil
		default:
			return reopen(ctx)
		}
	}
}
