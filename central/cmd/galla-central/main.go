// Command galla-central is the desk: it serves merchants' programs, vendors'
// sealed messages and terminals, and forwards to the bank network. Without a
// subcommand it serves.
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

	"galla/central/office"
	"galla/central/server"
	"galla/deploy/docs"
	"galla/installers"
	"galla/shared/bug"
	"galla/shared/settings"
	"galla/shared/trace"
)

type cli struct {
	File settings.Path `name:"config" env:"GALLA_CONFIG" help:"File of settings, such as /etc/galla/central.toml: names are those of the flags below, and of run's; flags and the environment win over it."`

	Data     string `env:"GALLA_DATA" default:".galla" help:"Folder for Galla's data; the central's lies in central/ and keys/ below it."`
	Archives string `name:"archive-folder" env:"GALLA_ARCHIVE" help:"Folder of archives; by default archive in the data folder."`
	Node     string `env:"GALLA_NODE" help:"Name of this central among those that share a database, each of which needs its own; by default central-1 on SQLite, the host's name and the port of the direct routes on PostgreSQL."`

	DatabaseURL string `name:"database-url" setting:"GALLA_DATABASE_URL" help:"PostgreSQL database, postgres://user@host:port/database, without a password; by default GALLA_DATABASE_URL, which may have one. Without either: SQLite in the data folder."`

	LogFormat string `name:"log-format" env:"GALLA_LOG_FORMAT" enum:"json,text" default:"json" help:"Form of the log on standard error: json, or text for people."`

	Version kong.VersionFlag `help:"Print the release and end."`

	Run    runCommand    `cmd:"" default:"withargs" help:"Serve (what happens without a command)."`
	Check  runCommand    `cmd:"" help:"Look at everything that a start needs, with the flags and the environment of run, and change nothing: keys, database, bank, clock."`
	Config runCommand    `cmd:"" help:"Print the settings in force, with the flags and the environment of run; what is secret is masked."`
	Vendor vendorCommand `cmd:"" help:"Manage vendors."`

	Health  healthCommand `cmd:"" help:"Ask a running central whether it should get calls, print what it says, and exit with 1 where not."`
	Migrate struct{}      `cmd:"" help:"Bring the database to the schema that this program brings, and exit; a start does so, too."`

	Operation operationCommand `cmd:"" help:"Look at operations."`
	Callback  callbackCommand  `cmd:"" help:"Manage what merchants' programs are told."`
	Client    clientCommand    `cmd:"" help:"Manage the credentials of parties' programs at the direct door."`
	Terminal  terminalCommand  `cmd:"" help:"Manage terminals."`

	Correspondent correspondentCommand `cmd:"" help:"Manage whose the bank's business correspondents and their agents are."`

	Operator operatorCommand `cmd:"" help:"Manage the people of the console."`
	Console  consoleCommand  `cmd:"" help:"Print the address at which a browser on this machine opens the console, or through a forwarded port."`

	Settle settleCommand `cmd:"" help:"Reconcile a day with the bank's settlement file."`

	Archive archiveCommand `cmd:"" help:"Bodies of operations that ended long ago."`
	Purge   struct{}       `cmd:"" help:"Forget what has no use any more, as a running central does every hour."`
	Backup  struct {
		To string `required:"" help:"The new file; its SHA-256 is written beside it."`
	} `cmd:"" help:"Copy the database to a file, checked, while the central runs (SQLite)."`
	Restore restoreCommand `cmd:"" help:"Put the database back from a backup, and look after what came later."`
}

type runCommand struct {
	Addr       settings.Address `env:"GALLA_CENTRAL_ADDR" default:"http://127.0.0.1:7100" help:"Address of the direct routes and the vendor gateway."`
	AdminAddr  settings.Address `env:"GALLA_ADMIN_ADDR" default:"http://127.0.0.1:7101" help:"Address of health and metrics."`
	UplinkAddr settings.Address `env:"GALLA_UPLINK_ADDR" default:"ws://127.0.0.1:7102" help:"Address of the terminals' websocket."`
	UplinkURL  string           `env:"GALLA_UPLINK_URL" help:"URL that terminals are told to connect to; by default the uplink address."`
	TLSCert    string           `name:"tls-cert" env:"GALLA_TLS_CERT" help:"PEM file of the certificate, with its chain, of the direct routes, the gateway and the uplink, which then speak TLS 1.3 only; read anew when it changes. Without it they speak plainly, to a proxy in front."`
	TLSKey     string           `name:"tls-key" env:"GALLA_TLS_KEY" help:"PEM file of the certificate's key."`
	Proxies    []string         `name:"trusted-proxies" env:"GALLA_TRUSTED_PROXIES" help:"Networks of the proxies in front, such as 10.1.2.0/24, whose X-Forwarded-For says where a call comes from."`
	Updates    string           `env:"GALLA_UPDATES" help:"Folder of the counters' releases, as 'galla-release' makes it, offered to them at the uplink's address. By default none are."`
	Bank       settings.Address `env:"GALLA_BANK_NETWORK_ADDR" default:"http://127.0.0.1:7301" help:"Base URL of the bank network."`
	BankWait   time.Duration    `env:"GALLA_BANK_TIMEOUT" default:"15s" help:"How long a request waits for the bank's answer; at most 25s."`
	PIDFile    string           `name:"pid-file" env:"GALLA_PID_FILE" help:"File for the process's id; by default central.pid in the data folder. Two centrals that share a folder need one each."`
	Lead       time.Duration    `env:"GALLA_LEAD" help:"How long calls are still taken after SIGTERM, while /readyz says no: until the load balancers have noticed. By default none."`
	Limits     string           `env:"GALLA_LIMITS" help:"File of limits in place of the program's own (see package central/limits)."`
	Rates      string           `env:"GALLA_RATES" help:"File of tax rates and provider costs in place of the program's own (see package central/commission)."`
	Provider   string           `env:"GALLA_PROVIDER" default:"NSDL" help:"The upstream's code in commission slabs."`
	UPIHandle  string           `env:"GALLA_UPI_HANDLE" default:"galla" help:"Part after the @ of merchants' UPI addresses that have none of their own."`
	Sandbox    bool             `env:"GALLA_SANDBOX" help:"Make missing keys, and seed the sandbox's parties."`

	KeepBodies time.Duration `env:"GALLA_KEEP_BODIES" help:"How long replies and the reasons of histories stay in the database after an operation's end; by default 4320h, 180 days."`

	GatewayRate     float64 `env:"GALLA_GATEWAY_RATE" help:"Messages a second that the gateway takes of each vendor; by default 50."`
	GatewayBurst    int     `env:"GALLA_GATEWAY_BURST" help:"Messages that a vendor may send at once above that, which then begin one after the other; by default 500."`
	GatewayUnderWay int     `env:"GALLA_GATEWAY_UNDER_WAY" help:"Calls of each vendor at one time; by default 256."`

	Traces trace.Settings `embed:""`
}

// masterKeys names the variable that holds the master keys of vendors' keys. It
// is no flag: the arguments of a process can be read by others.
const masterKeys = "GALLA_VENDOR_MASTER_KEY"

// databaseURL names the variable that holds the database's URL. The flag has
// no environment of its own, so that a password in the arguments is noticed.
const databaseURL = "GALLA_DATABASE_URL"

// serving gives the flags of the command that was chosen, where they are those of
// a central that serves; else run's, which are the defaults and the environment's.
func (c *cli) serving(command string) *runCommand {
	switch command {
	case "check":
		return &c.Check
	case "config":
		return &c.Config
	}
	return &c.Run
}

// config is what all commands share. Where something is wrong, the configuration
// has the rest, and the error names all of it.
func (c *cli) config(command string) (server.Config, error) {
	var wrong []error
	masters, err := server.ParseMasterKeys(os.Getenv(masterKeys))
	if err != nil {
		wrong = append(wrong, fmt.Errorf("%s: %w", masterKeys, err))
	}
	database, err := office.ParseDatabaseURL(c.DatabaseURL, os.Getenv(databaseURL))
	if err != nil {
		wrong = append(wrong, err)
	}
	host, err := os.Hostname()
	if err != nil && c.Node == "" {
		wrong = append(wrong, fmt.Errorf("this host has no name; give the central one (--node): %w", err))
	}
	return server.Config{
		Data: c.Data, Archive: c.Archives, DatabaseURL: database, VendorMasterKeys: masters,
		Node: server.NodeName(c.Node, host, c.serving(command).Addr.HostPort(), !database.IsZero()),
		Rand: rand.Reader, Logger: slog.New(c.handler(os.Stderr)), Version: installers.Release(),
		Documents: docs.Pages(),
	}, errors.Join(wrong...)
}

// settings completes the configuration of a central that is going to serve. As
// config does, it names everything that is wrong.
func (r *runCommand) settings(cfg server.Config) (server.Config, error) {
	var wrong [2]error
	cfg.TrustedProxies, wrong[0] = server.ParseProxies(r.Proxies)
	cfg.Traces, wrong[1] = r.Traces.Config(os.Getenv)
	cfg.TLSCert, cfg.TLSKey = r.TLSCert, r.TLSKey
	cfg.Addr, cfg.AdminAddr, cfg.UplinkAddr = r.Addr.HostPort(), r.AdminAddr.HostPort(), r.UplinkAddr.HostPort()
	cfg.Updates = r.Updates
	cfg.UplinkURL, cfg.BankURL, cfg.BankTimeout = r.UplinkURL, r.Bank.URL(), r.BankWait
	cfg.LimitsFile, cfg.RatesFile, cfg.Provider, cfg.UPIHandle = r.Limits, r.Rates, r.Provider, r.UPIHandle
	cfg.Sandbox, cfg.Lead, cfg.PIDFile, cfg.KeepBodies = r.Sandbox, r.Lead, r.PIDFile, r.KeepBodies
	cfg.GatewayRate, cfg.GatewayBurst, cfg.GatewayUnderWay = r.GatewayRate, r.GatewayBurst, r.GatewayUnderWay
	return cfg, errors.Join(wrong[:]...)
}

// Serve implements the command run.
func (r *runCommand) Serve(ctx context.Context, cfg server.Config) error {
	bug.Confess(cfg.Logger)
	cfg, err := r.settings(cfg)
	if err != nil {
		return err
	}
	return server.Run(ctx, cfg)
}

// Examine implements the command check; misread is what was wrong with what all
// commands share.
func (r *runCommand) Examine(ctx context.Context, cfg server.Config, misread error, out io.Writer) error {
	cfg, wrong := r.settings(quiet(cfg))
	return server.Check(ctx, cfg, errors.Join(misread, wrong), out)
}

func main() {
	var c cli
	book := newBook()
	chosen := kong.Parse(&c, kong.Name("galla-central"), kong.Description("Galla's central: operations from record to final word."), kong.Vars{"version": installers.Release()}, kong.Bind(book))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	cfg, err := c.config(chosen.Command())
	code := 0
	switch {
	case chosen.Command() == "check":
		err = c.Check.Examine(ctx, cfg, err, os.Stdout)
	case err != nil:
	case chosen.Command() == "run":
		err = c.Run.Serve(ctx, cfg)
	case chosen.Command() == "health":
		err = c.Health.ask(ctx, os.Stdout)
	case chosen.Command() == "migrate":
		err = office.Migrate(ctx, quiet(cfg).Office(), os.Stdout)
	case chosen.Command() == "config":
		if err = c.inForce(cfg); err == nil {
			err = book.Effective(chosen, os.Environ(), os.Stdout)
		}
	case strings.HasPrefix(chosen.Command(), "operation "):
		err = c.Operation.look(ctx, cfg, chosen.Command(), os.Stdout)
	case strings.HasPrefix(chosen.Command(), "callback "):
		err = c.Callback.manage(ctx, cfg, chosen.Command(), os.Stdout)
	case strings.HasPrefix(chosen.Command(), "client "), strings.HasPrefix(chosen.Command(), "terminal "):
		err = managePrograms(ctx, cfg, &c, chosen.Command(), os.Stdout)
	case strings.HasPrefix(chosen.Command(), "correspondent "):
		err = c.Correspondent.manage(ctx, cfg, chosen.Command(), os.Stdout)
	case strings.HasPrefix(chosen.Command(), "operator "):
		err = c.Operator.manage(ctx, cfg, chosen.Command(), os.Stdout)
	case chosen.Command() == "console":
		err = office.ConsoleAddress(cfg.Office(), c.Console.AdminAddr.HostPort(), os.Stdout)
	case strings.HasPrefix(chosen.Command(), "settle "):
		code, err = c.Settle.settle(ctx, cfg, chosen.Command(), os.Stdin, os.Stdout)
	case strings.HasPrefix(chosen.Command(), "archive "), chosen.Command() == "purge":
		err = c.Archive.keep(ctx, cfg, chosen.Command(), os.Stdout)
	case chosen.Command() == "backup":
		err = office.Backup(ctx, beside(cfg), c.Backup.To, os.Stdout)
	case strings.HasPrefix(chosen.Command(), "restore "):
		err = c.Restore.restore(ctx, cfg, chosen.Command(), os.Stdin, os.Stdout)
	default:
		err = c.Vendor.Key.manage(ctx, cfg, chosen.Command(), os.Stdout)
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
