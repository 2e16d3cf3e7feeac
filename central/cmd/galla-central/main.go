// Command galla-central is the desk: it serves merchants' programs, vendors'
// sealed messages and terminals, and forwards to the bank network. Without a
// subcommand it serves.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"galla/central/server"
	"galla/shared/bug"
)

type cli struct {
	Data     string `env:"GALLA_DATA" default:".galla" help:"Folder for Galla's data; the central's lies in central/ and keys/ below it."`
	Archives string `name:"archive-folder" env:"GALLA_ARCHIVE" help:"Folder of archives; by default archive in the data folder."`
	Node     string `env:"GALLA_NODE" help:"Name of this central among those that share a database, each of which needs its own; by default central-1 on SQLite, the host's name and the port of the direct routes on PostgreSQL."`

	DatabaseURL string `name:"database-url" help:"PostgreSQL database, postgres://user@host:port/database, without a password; by default GALLA_DATABASE_URL, which may have one. Without either: SQLite in the data folder."`

	Run    runCommand    `cmd:"" default:"withargs" help:"Serve (what happens without a command)."`
	Vendor vendorCommand `cmd:"" help:"Manage vendors."`

	Operation operationCommand `cmd:"" help:"Look at operations."`
	Callback  callbackCommand  `cmd:"" help:"Manage what merchants' programs are told."`

	Archive archiveCommand `cmd:"" help:"Bodies of operations that ended long ago."`
	Purge   struct{}       `cmd:"" help:"Forget what has no use any more, as a running central does every hour."`
	Backup  struct {
		To string `required:"" help:"The new file; its SHA-256 is written beside it."`
	} `cmd:"" help:"Copy the database to a file, checked, while the central runs (SQLite)."`
	Restore restoreCommand `cmd:"" help:"Put the database back from a backup, and look after what came later."`
}

type runCommand struct {
	Addr       string        `env:"GALLA_CENTRAL_ADDR" default:"http://127.0.0.1:7100" help:"Address of the direct routes and the vendor gateway."`
	AdminAddr  string        `env:"GALLA_ADMIN_ADDR" default:"http://127.0.0.1:7101" help:"Address of health and metrics."`
	UplinkAddr string        `env:"GALLA_UPLINK_ADDR" default:"ws://127.0.0.1:7102" help:"Address of the terminals' websocket."`
	UplinkURL  string        `env:"GALLA_UPLINK_URL" help:"URL that terminals are told to connect to; by default the uplink address."`
	Bank       string        `env:"GALLA_BANK_NETWORK_ADDR" default:"http://127.0.0.1:7301" help:"Base URL of the bank network."`
	BankWait   time.Duration `env:"GALLA_BANK_TIMEOUT" default:"15s" help:"How long a request waits for the bank's answer."`
	PIDFile    string        `name:"pid-file" env:"GALLA_PID_FILE" help:"File for the process's id; by default central.pid in the data folder. Two centrals that share a folder need one each."`
	Lead       time.Duration `env:"GALLA_LEAD" help:"How long calls are still taken after SIGTERM, while /readyz says no: until the load balancers have noticed. By default none."`
	Limits     string        `env:"GALLA_LIMITS" help:"File of limits in place of the program's own (see package central/limits)."`
	Rates      string        `env:"GALLA_RATES" help:"File of tax rates and provider costs in place of the program's own (see package central/commission)."`
	Provider   string        `env:"GALLA_PROVIDER" default:"NSDL" help:"The upstream's code in commission slabs."`
	UPIHandle  string        `env:"GALLA_UPI_HANDLE" default:"galla" help:"Part after the @ of merchants' UPI addresses that have none of their own."`
	Sandbox    bool          `env:"GALLA_SANDBOX" help:"Make missing keys, and seed the sandbox's parties."`

	KeepBodies time.Duration `env:"GALLA_KEEP_BODIES" help:"How long replies and the reasons of histories stay in the database after an operation's end; by default 4320h, 180 days."`

	GatewayRate     float64 `env:"GALLA_GATEWAY_RATE" help:"Messages a second that the gateway takes of each vendor; by default 50."`
	GatewayBurst    int     `env:"GALLA_GATEWAY_BURST" help:"Messages that a vendor may send at once above that, which then begin one after the other; by default 500."`
	GatewayUnderWay int     `env:"GALLA_GATEWAY_UNDER_WAY" help:"Calls of each vendor at one time; by default 256."`
}

// masterKeys names the variable that holds the master keys of vendors' keys. It
// is no flag: the arguments of a process can be read by others.
const masterKeys = "GALLA_VENDOR_MASTER_KEY"

// databaseURL names the variable that holds the database's URL. The flag has
// no environment of its own, so that a password in the arguments is noticed.
const databaseURL = "GALLA_DATABASE_URL"

// config is what all commands share.
func (c *cli) config() (server.Config, error) {
	masters, err := server.ParseMasterKeys(os.Getenv(masterKeys))
	if err != nil {
		return server.Config{}, fmt.Errorf("%s: %w", masterKeys, err)
	}
	database, err := server.ParseDatabaseURL(c.DatabaseURL, os.Getenv(databaseURL))
	if err != nil {
		return server.Config{}, err
	}
	host, err := os.Hostname()
	if err != nil && c.Node == "" {
		return server.Config{}, fmt.Errorf("this host has no name; give the central one (--node): %w", err)
	}
	return server.Config{
		Data: c.Data, Archive: c.Archives, DatabaseURL: database, VendorMasterKeys: masters,
		Node: server.NodeName(c.Node, host, server.HostPort(c.Run.Addr), !database.IsZero()),
		Rand: rand.Reader, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}, nil
}

// Serve implements the command run.
func (r *runCommand) Serve(ctx context.Context, cfg server.Config) error {
	cfg.Addr, cfg.AdminAddr, cfg.UplinkAddr = server.HostPort(r.Addr), server.HostPort(r.AdminAddr), server.HostPort(r.UplinkAddr)
	cfg.UplinkURL, cfg.BankURL, cfg.BankTimeout = r.UplinkURL, baseURL(r.Bank), r.BankWait
	cfg.LimitsFile, cfg.RatesFile, cfg.Provider, cfg.UPIHandle = r.Limits, r.Rates, r.Provider, r.UPIHandle
	cfg.Sandbox, cfg.Lead, cfg.PIDFile, cfg.KeepBodies = r.Sandbox, r.Lead, r.PIDFile, r.KeepBodies
	cfg.GatewayRate, cfg.GatewayBurst, cfg.GatewayUnderWay = r.GatewayRate, r.GatewayBurst, r.GatewayUnderWay
	bug.Confess(cfg.Logger)
	return server.Run(ctx, cfg)
}

func main() {
	var c cli
	chosen := kong.Parse(&c, kong.Name("galla-central"), kong.Description("Galla's central: operations from record to final word."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	cfg, err := c.config()
	switch {
	case err != nil:
	case chosen.Command() == "run":
		err = c.Run.Serve(ctx, cfg)
	case strings.HasPrefix(chosen.Command(), "operation "):
		err = c.Operation.look(ctx, cfg, chosen.Command(), os.Stdout)
	case strings.HasPrefix(chosen.Command(), "callback "):
		err = c.Callback.manage(ctx, cfg, chosen.Command(), os.Stdout)
	case strings.HasPrefix(chosen.Command(), "archive "), chosen.Command() == "purge":
		err = c.Archive.keep(ctx, cfg, chosen.Command(), os.Stdout)
	case chosen.Command() == "backup":
		err = server.Backup(ctx, quiet(cfg), c.Backup.To, os.Stdout)
	case strings.HasPrefix(chosen.Command(), "restore "):
		err = c.Restore.restore(ctx, cfg, chosen.Command(), os.Stdin, os.Stdout)
	default:
		err = c.Vendor.Key.manage(ctx, cfg, chosen.Command(), os.Stdout)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "galla-central:", err)
		os.Exit(1)
	}
}

// baseURL adds the scheme that an address may be written without.
func baseURL(addr string) string {
	if server.HostPort(addr) == addr {
		return "http://" + addr
	}
	return addr
}
