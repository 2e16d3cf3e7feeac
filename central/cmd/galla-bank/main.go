// Command galla-bank is the sandbox bank: the far end of the bank network, with
// books, customers and scenarios of its own.
//
// Its public address serves people and tests (books, inboxes, control); the
// network's protocol, which the central speaks, has an address of its own, so
// that the bank can be down for the central and still be controlled. Data lies
// in $GALLA_DATA/bank, the key shared with the central in
// $GALLA_DATA/keys/bank-network.key, and the authority under which devices seal
// PID blocks in $GALLA_DATA/authority; each is made where it is missing.
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
	"strconv"
	"syscall"

	"github.com/alecthomas/kong"

	"galla/central/bank/network"
	"galla/central/bank/simbank"
	"galla/rdservice/rdcrypto"
	"galla/shared/seal"
	"galla/shared/settings"
)

type cli struct {
	Addr        settings.Address `env:"GALLA_BANK_ADDR" default:"http://127.0.0.1:7300" help:"Public address: books, inboxes and control, for people and tests."`
	NetworkAddr settings.Address `env:"GALLA_BANK_NETWORK_ADDR" help:"Address of the network's protocol, for the central; by default one port above the public address."`
	Data        string           `env:"GALLA_DATA" default:".galla" help:"Folder for Galla's data; the bank's lies in bank/ below it."`
	TimeScale   float64          `env:"GALLA_BANK_TIME_SCALE" default:"1" help:"Multiplies the waits of the scenarios, such as 0.1."`

	Run        struct{}          `cmd:"" default:"withargs" help:"Be the bank (what happens without a command)."`
	Settlement settlementCommand `cmd:"" help:"Write the settlement file of a day, from the books of the bank that runs."`
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

// run is the program: it returns when ctx ends and all is closed, or when
// something fails.
func run(ctx context.Context, c cli, log *slog.Logger) (err error) {
	desk, line, err := addresses(c)
	if err != nil {
		return err
	}
	if !(c.TimeScale > 0) {
		return fmt.Errorf("GALLA_BANK_TIME_SCALE=%v: must be above 0; 1 is the times of the scenario table, 0.1 a tenth of them", c.TimeScale)
	}
	key, err := seal.EnsureKeyFile(filepath.Join(c.Data, "keys", "bank-network.key"), rand.Reader)
	if err != nil {
		return fmt.Errorf("key shared with the central: %w", err)
	}
	cert, authority, err := rdcrypto.EnsureAuthority(filepath.Join(c.Data, "authority"), rand.Reader)
	if err != nil {
		return fmt.Errorf("authority of the PID blocks: %w", err)
	}
	// Both addresses are taken before anything else is touched, so that a
	// second bank on one machine ends here and leaves the first one's pid file.
	deskListener, err := listen(ctx, "GALLA_BANK_ADDR", desk)
	if err != nil {
		return err
	}
	defer func() { _ = deskListener.Close() }()
	lineListener, err := listen(ctx, "GALLA_BANK_NETWORK_ADDR", line)
	if err != nil {
		return err
	}
	defer func() { _ = lineListener.Close() }()

	bank, err := simbank.New(ctx, simbank.Config{
		DataDir: filepath.Join(c.Data, "bank"), NetworkKey: key, AuthorityKey: authority, AuthorityCert: cert,
		ListenDesk: func(context.Context) (net.Listener, error) { return deskListener, nil },
		ListenNetwork: firstThen(lineListener, func(ctx context.Context) (net.Listener, error) {
			return listen(ctx, "GALLA_BANK_NETWORK_ADDR", line)
		}),
		TimeScale: c.TimeScale, Rand: rand.Reader, Logger: log,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bank.Close()) }()

	remove, err := writePID(filepath.Join(c.Data, "bank.pid"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	log.Info("sandbox bank is open", "desk", "http://"+deskListener.Addr().String(), "network", "http://"+lineListener.Addr().String(), "timeScale", c.TimeScale)
	if err := bank.Run(ctx); err != nil {
		return err
	}
	log.Info("sandbox bank is closed")
	return nil
}

// addresses gives host:port of the desk and of the network.
func addresses(c cli) (desk, line string, err error) {
	for name, a := range map[string]settings.Address{"GALLA_BANK_ADDR": c.Addr, "GALLA_BANK_NETWORK_ADDR": c.NetworkAddr} {
		if scheme := a.Scheme(); scheme != "" && scheme != "http" {
			return "", "", fmt.Errorf("%s=%s: the sandbox bank speaks plain HTTP only: host:port, with or without http://", name, a)
		}
	}
	desk, line = c.Addr.HostPort(), c.NetworkAddr.HostPort()
	if line != "" {
		return desk, line, nil
	}
	if line, err = network.BesideDesk(desk); err != nil {
		return "", "", fmt.Errorf("GALLA_BANK_ADDR: %w; or set GALLA_BANK_NETWORK_ADDR", err)
	}
	return desk, line, nil
}

// listen opens an address; one that is taken is named with its variable.
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

// firstThen gives the listener that is open at its first call, and opens the
// address anew at later ones.
func firstThen(open net.Listener, again func(context.Context) (net.Listener, error)) func(context.Context) (net.Listener, error) {
	first := make(chan net.Listener, 1)
	first <- open
	return func(ctx context.Context) (net.Listener, error) {
		select {
		case l := <-first:
			return l, nil
		default:
			return again(ctx)
		}
	}
}

// writePID writes this program's process id, and gives the function that
// removes it again.
func writePID(path string) (remove func() error, err error) {
	if err := os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644); err != nil {
		return nil, fmt.Errorf("write the process id: %w", err)
	}
	return func() error {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove the process id: %w", err)
		}
		return nil
	}, nil
}
