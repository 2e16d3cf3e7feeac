// Command galla-central serves merchants' programs, vendors' encrypted messages and
// terminals, and sends their operations to the bank network. Its subcommands manage the
// same database. Without a subcommand it serves.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"galla/central/admincli"
	"galla/central/keys"
	"galla/central/server"
	"galla/deploy/docs"
	"galla/installers"
	"galla/shared/settings"
	"galla/shared/telemetry"
)

type cli struct {
	File settings.Path `name:"config" env:"GALLA_CONFIG" help:"Settings file, such as /etc/galla/central.toml: its names are those of the flags below, and of run's; flags and the environment override it."`

	Data     string `env:"GALLA_DATA" default:".galla" help:"Folder for Galla's data; the central's lies in central/ and keys/ below it."`
	Archives string `name:"archive-folder" env:"GALLA_ARCHIVE" help:"Folder of archives; by default archive in the data folder."`
	Node     string `env:"GALLA_NODE" help:"Name of this central among those that share a database, each of which needs its own; by default central-1 on SQLite, the host's name and the port of the direct routes on PostgreSQL."`

	DatabaseURL string `name:"database-url" setting:"GALLA_DATABASE_URL" help:"PostgreSQL database, postgres://user@host:port/database, without a password; by default GALLA_DATABASE_URL, which may have one. Without either: SQLite in the data folder."`

	LogFormat string `name:"log-format" env:"GALLA_LOG_FORMAT" enum:"json,text" default:"json" help:"Form of the log on standard error: json, or text for people."`

	Version kong.VersionFlag `help:"Print the release and end."`

	Run    runCommand `cmd:"" default:"withargs" help:"Serve (what happens without a command)."`
	Check  runCommand `cmd:"" help:"Check everything that a start needs, with the flags and the environment of run, without changing anything: keys, database, bank, clock."`
	Config runCommand `cmd:"" help:"Print the settings in force, with the flags and the environment of run; secrets are masked."`

	Merchant   merchantCommand   `cmd:"" help:"Manage merchants."`
	Vendor     vendorCommand     `cmd:"" help:"Manage vendors and their keys."`
	Aggregator aggregatorCommand `cmd:"" help:"Manage aggregators."`

	Health  healthCommand `cmd:"" help:"Ask a running central whether it is ready for requests, print its answer, and exit with 1 if it is not."`
	Migrate struct{}      `cmd:"" help:"Migrate the database to this program's schema, and exit; a start does this, too."`

	Operation operationCommand `cmd:"" help:"Show operations."`
	Callback  callbackCommand  `cmd:"" help:"Manage callbacks to merchants."`
	Client    clientCommand    `cmd:"" help:"Manage the credentials with which parties' programs use the direct routes."`
	Terminal  terminalCommand  `cmd:"" help:"Manage terminals."`

	Correspondent correspondentCommand `cmd:"" help:"Manage the owners of business correspondents and their agents."`

	Staff   staffCommand   `cmd:"" help:"Manage the staff of the console."`
	Console consoleCommand `cmd:"" help:"Print the console's address for a browser on this machine, or for a forwarded port."`

	Reconcile reconcileCommand `cmd:"" help:"Reconcile a day with the bank's settlement file."`

	Audit   auditCommand   `cmd:"" help:"Verify the log that shows when the past was rewritten."`
	Archive archiveCommand `cmd:"" help:"Archive the bodies of operations that ended long ago."`
	Purge   struct{}       `cmd:"" help:"Delete data that is no longer needed, as a running central does every hour."`
	Backup  struct {
		To string `required:"" help:"The new file; its SHA-256 is written beside it."`
	} `cmd:"" help:"Copy the database to a file and check the copy; the central may run (SQLite)."`
	Restore restoreCommand `cmd:"" help:"Restore the database from a backup, and handle what came after the backup."`
}

type runCommand struct {
	Addr       settings.Address `env:"GALLA_CENTRAL_ADDR" default:"http://127.0.0.1:7100" help:"Address of the direct routes and the vendor gateway."`
	AdminAddr  settings.Address `env:"GALLA_ADMIN_ADDR" default:"http://127.0.0.1:7101" help:"Address of health, metrics and the console: https:// speaks TLS with tls-cert, http:// or no scheme plain HTTP."`
	UplinkAddr settings.Address `env:"GALLA_UPLINK_ADDR" default:"ws://127.0.0.1:7102" help:"Address of the terminals' websocket."`
	UplinkURL  string           `env:"GALLA_UPLINK_URL" help:"URL that terminals get to connect to; by default the uplink address."`
	TLSCert    string           `name:"tls-cert" env:"GALLA_TLS_CERT" help:"PEM file of the certificate, with its chain, of the direct routes, the gateway and the uplink, which then speak TLS 1.3 only; read again when it changes. Without it they speak plain HTTP, to a proxy in front."`
	TLSKey     string           `name:"tls-key" env:"GALLA_TLS_KEY" help:"PEM file of the certificate's key."`
	Proxies    []string         `name:"trusted-proxies" env:"GALLA_TRUSTED_PROXIES" help:"Networks of the proxies in front, such as 10.1.2.0/24, whose X-Forwarded-For header is trusted."`
	Updates    string           `env:"GALLA_UPDATES" help:"Folder of the counters' releases, as 'galla-release' makes it, offered at the uplink's address. By default none."`
	Bank       settings.Address `env:"GALLA_BANK_NETWORK_ADDR" default:"http://127.0.0.1:7301" help:"Base URL of the bank network."`
	BankWait   time.Duration    `env:"GALLA_BANK_TIMEOUT" default:"15s" help:"How long a request waits for the bank's answer; at most 25s."`
	BankIdle   time.Duration    `env:"GALLA_BANK_IDLE" default:"3s" help:"How long a connection to the bank may have waited to be used again; must be well below the time after which the bank ends idle connections; at most 30s. With 0s each request opens a connection."`
	PIDFile    string           `name:"pid-file" env:"GALLA_PID_FILE" help:"File for the process's id; by default central.pid in the data folder. Two centrals that share a folder need one each."`
	DrainDelay time.Duration    `env:"GALLA_DRAIN_DELAY" help:"How long requests are still served after SIGTERM while /readyz answers 503, so that load balancers notice. By default none."`
	Limits     string           `env:"GALLA_LIMITS" help:"File of limits that replaces the program's own (see package central/limits)."`
	Rates      string           `env:"GALLA_RATES" help:"File of tax rates and provider costs that replaces the program's own (see package central/commission)."`
	Provider   string           `env:"GALLA_PROVIDER" default:"NSDL" help:"The upstream's code in commission slabs."`
	UPIHandle  string           `env:"GALLA_UPI_HANDLE" default:"galla" help:"Part after the @ of merchants' UPI addresses that have none of their own."`
	Sandbox    bool             `env:"GALLA_SANDBOX" help:"Make missing keys, and seed the sandbox's parties."`
	Reader     settings.Address `name:"sandbox-reader" env:"GALLA_RDSIM_ADDR" default:"http://127.0.0.1:11100" help:"The sandbox's simulated reader, which the page /docs/try calls."`
	Inbox      settings.Address `name:"sandbox-bank" env:"GALLA_BANK_ADDR" default:"http://127.0.0.1:7300" help:"The sandbox's bank with the inboxes, which the page /docs/try reads."`

	BodyRetention time.Duration `env:"GALLA_BODY_RETENTION" help:"How long replies and the reasons of histories stay in the database after an operation's end; by default 4320h, 180 days."`

	Checkpoints server.Checkpoints `embed:""`

	Load server.Load `embed:""`

	Reports server.Reports `embed:""`

	UplinkGreetings int `env:"GALLA_UPLINK_GREETINGS" help:"Terminals that are authenticated at one time; others are told when to come back; by default 256."`

	Traces telemetry.Settings `embed:""`
}

// masterKeys names the variable that holds the master keys of vendors' keys. It is not
// a flag because others can read a process's arguments.
const masterKeys = "GALLA_VENDOR_MASTER_KEY"

// databaseURL names the variable that holds the database's URL. The flag has
// no environment of its own, so that a password in the arguments is noticed.
const databaseURL = "GALLA_DATABASE_URL"

// serveFlags returns the flags of check and config, or those of run, which have the
// defaults and the environment.
func (c *cli) serveFlags(command string) *runCommand {
	switch command {
	case "check":
		return &c.Check
	case "config":
		return &c.Config
	}
	return &c.Run
}

// config returns the configuration that all commands share. The error names all faults;
// the configuration then has the rest.
func (c *cli) config(command string) (server.Config, error) {
	var wrong []error
	masters, err := keys.ParseMasterKeys(os.Getenv(masterKeys))
	if err != nil {
		wrong = append(wrong, fmt.Errorf("%s: %w", masterKeys, err))
	}
	database, err := admincli.ParseDatabaseURL(c.DatabaseURL, os.Getenv(databaseURL))
	if err != nil {
		wrong = append(wrong, err)
	}
	host, err := os.Hostname()
	if err != nil && c.Node == "" {
		wrong = append(wrong, fmt.Errorf("this host has no name; give the central one (--node): %w", err))
	}
	return server.Config{
		Data: c.Data, Archive: c.Archives, DatabaseURL: database, VendorMasterKeys: masters,
		Node: server.NodeName(c.Node, host, c.serveFlags(command).Addr.HostPort(), !database.IsZero()),
		Rand: rand.Reader, Logger: slog.New(c.logHandler(os.Stderr)), Version: installers.Release(),
		Documents: docs.Pages(),
	}, errors.Join(wrong...)
}

// settings completes the configuration of a central that serves. The error names all
// faults.
func (r *runCommand) settings(cfg server.Config) (server.Config, error) {
	var wrong [2]error
	cfg.TrustedProxies, wrong[0] = server.ParseProxies(r.Proxies)
	cfg.Traces, wrong[1] = r.Traces.Config(os.Getenv)
	cfg.TLSCert, cfg.TLSKey = r.TLSCert, r.TLSKey
	cfg.Addr, cfg.AdminAddr, cfg.UplinkAddr = r.Addr.HostPort(), r.AdminAddr.HostPort(), r.UplinkAddr.HostPort()
	cfg.AdminTLS = r.AdminAddr.Scheme() == "https"
	cfg.Updates = r.Updates
	cfg.UplinkURL, cfg.BankURL, cfg.BankTimeout = r.UplinkURL, r.Bank.URL(), r.BankWait
	if cfg.BankIdle = r.BankIdle; r.BankIdle == 0 {
		cfg.BankIdle = -1 // none
	}
	cfg.LimitsFile, cfg.RatesFile, cfg.Provider, cfg.UPIHandle = r.Limits, r.Rates, r.Provider, r.UPIHandle
	cfg.Sandbox, cfg.DrainDelay, cfg.PIDFile, cfg.BodyRetention = r.Sandbox, r.DrainDelay, r.PIDFile, r.BodyRetention
	cfg.SandboxReader, cfg.SandboxBank = r.Reader.URL(), r.Inbox.URL()
	cfg.UplinkGreetings, cfg.Checkpoints = r.UplinkGreetings, r.Checkpoints
	cfg.Load, cfg.Reports = r.Load, r.Reports
	return cfg, errors.Join(wrong[:]...)
}

// Serve runs the command run.
func (r *runCommand) Serve(ctx context.Context, cfg server.Config) error {
	cfg, err := r.settings(cfg)
	if err != nil {
		return err
	}
	keepHeapFloor(ctx)
	return server.Run(ctx, cfg)
}

// RunCheck runs the command check; misread has the faults of the shared configuration.
func (r *runCommand) RunCheck(ctx context.Context, cfg server.Config, misread error, out io.Writer) error {
	cfg, wrong := r.settings(quietConfig(cfg))
	return server.Check(ctx, cfg, errors.Join(misread, wrong), out)
}

func main() {
	var c cli
	book := newBook()
	chosen := kong.Parse(&c, kong.Name("galla-central"), kong.Description("Galla's central: operations from record to final outcome."), kong.Vars{"version": installers.Release()}, kong.Bind(book))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	cfg, err := c.config(chosen.Command())
	code := 0
	switch {
	case chosen.Command() == "check":
		err = c.Check.RunCheck(ctx, cfg, err, os.Stdout)
	case err != nil:
	case chosen.Command() == "run":
		err = c.Run.Serve(ctx, cfg)
	case chosen.Command() == "health":
		err = c.Health.ask(ctx, os.Stdout)
	case chosen.Command() == "migrate":
		err = admincli.Migrate(ctx, quietConfig(cfg).CLIConfig(), os.Stdout)
	case chosen.Command() == "config":
		if err = c.fillDefaults(cfg); err == nil {
			err = book.Effective(chosen, os.Environ(), os.Stdout)
		}
	case strings.HasPrefix(chosen.Command(), "merchant "):
		err = c.Merchant.run(ctx, cfg, chosen.Command(), os.Stdout)
	case strings.HasPrefix(chosen.Command(), "aggregator "):
		err = c.Aggregator.run(ctx, cfg, chosen.Command(), os.Stdout)
	case strings.HasPrefix(chosen.Command(), "operation "):
		err = c.Operation.run(ctx, cfg, chosen.Command(), os.Stdout)
	case strings.HasPrefix(chosen.Command(), "callback "):
		err = c.Callback.run(ctx, cfg, chosen.Command(), os.Stdout)
	case strings.HasPrefix(chosen.Command(), "client "), strings.HasPrefix(chosen.Command(), "terminal "):
		err = runClientCommand(ctx, cfg, &c, chosen.Command(), os.Stdout)
	case strings.HasPrefix(chosen.Command(), "correspondent "):
		err = c.Correspondent.run(ctx, cfg, chosen.Command(), os.Stdout)
	case strings.HasPrefix(chosen.Command(), "staff "):
		err = c.Staff.run(ctx, cfg, chosen.Command(), os.Stdout)
	case chosen.Command() == "console":
		err = c.Console.run(cfg, os.Stdout)
	case strings.HasPrefix(chosen.Command(), "reconcile "):
		code, err = c.Reconcile.run(ctx, cfg, chosen.Command(), os.Stdin, os.Stdout)
	case strings.HasPrefix(chosen.Command(), "archive "), chosen.Command() == "purge":
		err = c.Archive.run(ctx, cfg, chosen.Command(), os.Stdout)
	case strings.HasPrefix(chosen.Command(), "audit "):
		err = c.Audit.run(ctx, cfg, chosen.Command(), os.Stdout)
	case chosen.Command() == "backup":
		err = admincli.Backup(ctx, commandConfig(cfg), c.Backup.To, os.Stdout)
	case strings.HasPrefix(chosen.Command(), "restore "):
		err = c.Restore.run(ctx, cfg, chosen.Command(), os.Stdin, os.Stdout)
	default:
		err = c.Vendor.run(ctx, cfg, chosen.Command(), os.Stdout)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "galla-central:", err)
		code = 1
	}
	if code != 0 {
		os.Exit(code)
	}
}
