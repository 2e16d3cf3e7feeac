package server

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"time"

	"galla/central/admincli"
	"galla/central/bank"
	"galla/central/gateway"
	"galla/central/keys"
	"galla/central/retention"
	"galla/central/uplink"
	"galla/shared/secret"
	"galla/shared/telemetry"
)

// Config configures a central.
type Config struct {
	Addr       string // of the direct routes, host:port
	AdminAddr  string // of health, metrics, the console and the handbook, host:port
	AdminTLS   bool   // whether AdminAddr speaks TLS, with TLSCert; otherwise plain HTTP
	UplinkAddr string // of the terminals' websocket, host:port
	// UplinkURL is the URL that an enrolled terminal gets; default
	// ws://UplinkAddr/uplink, with a certificate wss://.
	UplinkURL string
	// TLSCert and TLSKey are PEM files, read again when they change: with them the
	// direct routes, the gateway and the uplink speak TLS 1.3 only.
	// Without them they speak plain HTTP, to a proxy that ends TLS.
	TLSCert, TLSKey string
	// TrustedProxies are the networks of proxies whose X-Forwarded-For header is used;
	// others' headers are ignored.
	TrustedProxies []netip.Prefix
	// Updates is the folder of the counters' releases, offered at the uplink's
	// origin (package updates); empty: none.
	Updates string
	// BankURL is the bank network's base URL.
	BankURL string
	Data    string // folder; the central's files are in central/ and keys/ below it
	Sandbox bool   // create missing keys, and the sandbox's parties and limits
	Node    string // name of this central, unique among those that share a database

	// PIDFile is the file for the process id; default central.pid in Data. Two nodes
	// that share a folder need one each.
	PIDFile string

	// DatabaseURL is a PostgreSQL database, by its URL or a list of key=value,
	// which several centrals may share; empty: SQLite in the data folder.
	DatabaseURL secret.Token

	// LimitsFile replaces the program's limits (package limits has the format); empty:
	// the program's own, in a sandbox the sandbox's.
	LimitsFile string
	// RatesFile replaces the program's tax rates and provider costs (package commission
	// has the format); empty: the program's own.
	RatesFile string
	// Provider is the upstream's code in commission slabs; default NSDL.
	Provider string
	// UPIHandle is the part after the @ of merchants' UPI addresses; default
	// galla.
	UPIHandle string

	// VendorMasterKeys, if given, replace the files
	// keys/vendor-master*.key: the first seals vendors' keys, all open them.
	VendorMasterKeys []secret.Key
	// UplinkGreetings is how many terminals are authenticated at one time; others come
	// back when there is time for them. Default uplink.DefaultGreetings.
	UplinkGreetings int
	// Load bounds what callers may ask.
	Load Load

	// DrainDelay is how long the central still serves requests after a stop was
	// requested, while /readyz answers 503, so that load balancers notice. Default
	// none: there may be no balancer.
	DrainDelay time.Duration
	// Archive is the folder of archived bodies; default archive in Data.
	Archive string
	// BodyRetention is how long bodies stay in the database after an operation's
	// end; default 180 days, at least 30.
	BodyRetention time.Duration

	// Checkpoints are where signed checkpoints of the log are copied to each hour.
	Checkpoints Checkpoints

	// Reports are the reports that are written as files, and where.
	Reports Reports

	// BankTimeout bounds the wait for the bank's answer; default 15 s, at most 25 s.
	BankTimeout time.Duration
	// BankIdle is how long a connection to the bank may have waited to be used again;
	// default 3 s, at most 30 s. A negative one: each request gets its own connection.
	BankIdle time.Duration

	// SandboxReader and SandboxBank are the URLs of a sandbox's simulated reader and of its
	// bank's inboxes, which /docs/try calls; default http://127.0.0.1:11100 and
	// http://127.0.0.1:7300.
	SandboxReader, SandboxBank string

	// Documents is the handbook in Markdown, served below /docs/; nil: none.
	Documents fs.FS

	// Traces configures the export of spans; nil: none. Service, Version and Logger are
	// filled in.
	Traces *telemetry.Config
	// Version is this program's, for people and for metrics.
	Version string

	Rand   io.Reader
	Logger *slog.Logger
}

// Names of what a central issues: the issuer of tokens and their audience, and
// the audience of the terminals' own.
const (
	issuer         = "galla-central"
	audience       = "galla"
	uplinkAudience = "galla-uplink"
)

// defaultHandle is the part after the @ of merchants' UPI addresses.
const defaultHandle = "galla"

// maxDrainDelay bounds Config.DrainDelay: no balancer takes longer to notice, and a stop
// takes that long.
const maxDrainDelay = 5 * time.Minute

// maxBankTimeout bounds Config.BankTimeout: the bank's answer, and the central's record of
// it, must come before the waits of a terminal (30 s) and of a caller (35 s) end.
const maxBankTimeout = 25 * time.Second

// maxBankIdle bounds Config.BankIdle: servers commonly end idle connections after a minute
// or sooner, and a request on a connection that is just ending has an unknown outcome.
const maxBankIdle = 30 * time.Second

// nodeName is the pattern of node names: they are in the database, in logs, and in a file
// name.
var nodeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// Validate reports all faults at once.
func (c Config) Validate() error {
	var errs []error
	for name, addr := range map[string]string{"direct": c.Addr, "admin": c.AdminAddr, "uplink": c.UplinkAddr} {
		if _, _, err := net.SplitHostPort(addr); err != nil {
			errs = append(errs, fmt.Errorf("%s address %q: want host:port", name, addr))
		}
	}
	// The text before an @ may be a password, so the URL is not quoted.
	if u, err := url.Parse(c.BankURL); err != nil || u.Host == "" || u.User != nil || (u.Scheme != "http" && u.Scheme != "https") {
		errs = append(errs, errors.New("the bank network's address: want http:// or https://, a host and a port, and no user or password: its key is keys/bank-network.key"))
	}
	if c.Data == "" {
		errs = append(errs, errors.New("data folder is missing"))
	}
	if !nodeName.MatchString(c.Node) {
		errs = append(errs, fmt.Errorf("node name %q: want letters, digits, '.', '_' and '-', at most 100", c.Node))
	}
	if c.DrainDelay < 0 || c.DrainDelay > maxDrainDelay {
		errs = append(errs, fmt.Errorf("drain delay %s: want at most %s", c.DrainDelay, maxDrainDelay))
	}
	if c.BankTimeout < 0 || c.BankTimeout > maxBankTimeout {
		errs = append(errs, fmt.Errorf("a wait of %s for the bank: want at most %s, since callers wait for 30 s", c.BankTimeout, maxBankTimeout))
	}
	if c.BankIdle > maxBankIdle {
		errs = append(errs, fmt.Errorf("idle connections to the bank for %s: want at most %s", c.BankIdle, maxBankIdle))
	}
	if !c.DatabaseURL.IsZero() {
		if err := admincli.CheckDatabase(c.DatabaseURL.Reveal()); err != nil {
			errs = append(errs, err)
		}
	}
	if err := c.checkTLS(); err != nil {
		errs = append(errs, err)
	}
	if c.BodyRetention != 0 && c.BodyRetention < retention.MinBodyRetention {
		errs = append(errs, fmt.Errorf("body retention %s: want at least %s, in which callers may ask for replies again", c.BodyRetention, retention.MinBodyRetention))
	}
	if c.UplinkGreetings < 0 {
		errs = append(errs, errors.New("the number of terminals that are greeted at one time can't be below zero"))
	}
	if err := errors.Join(c.Load.validate(), c.Reports.validate(), c.Checkpoints.validate()); err != nil {
		errs = append(errs, err)
	}
	if c.Rand == nil || c.Logger == nil {
		errs = append(errs, errors.New("a source of randomness and a logger are needed"))
	}
	return errors.Join(errs...)
}

// checkTLS reports what of a certificate is missing in a configuration.
func (c Config) checkTLS() error {
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return errors.New("a certificate needs its key, and a key its certificate: give both files, or neither")
	}
	if c.AdminTLS && c.TLSCert == "" {
		return errors.New("the admin address begins with https://: give the certificate (tls-cert, tls-key), or begin it with http://")
	}
	return nil
}

// keyConfig returns the configuration of the keys.
func (c Config) keyConfig() keys.Config {
	return keys.Config{Folder: filepath.Join(c.Data, "keys"), Sandbox: c.Sandbox, VendorMasters: c.VendorMasterKeys, Rand: c.Rand}
}

func (c Config) uplinkURL() string {
	if c.UplinkURL != "" {
		return c.UplinkURL
	}
	if c.TLSCert != "" {
		return "wss://" + c.UplinkAddr + "/uplink"
	}
	return "ws://" + c.UplinkAddr + "/uplink"
}

func (c Config) handle() string {
	if c.UPIHandle != "" {
		return c.UPIHandle
	}
	return defaultHandle
}

// InForce returns the configuration with defaults in place of zero values.
func (c Config) InForce() Config {
	c.UplinkURL = c.uplinkURL()
	c.UPIHandle = c.handle()
	c.PIDFile = cmp.Or(c.PIDFile, filepath.Join(c.Data, pidFile))
	c.Archive = c.CLIConfig().ArchiveFolder()
	c.BodyRetention = cmp.Or(c.BodyRetention, retention.BodyRetention)
	c.UplinkGreetings = cmp.Or(c.UplinkGreetings, uplink.DefaultGreetings)
	c.Load = c.Load.inForce(c.Sandbox)
	return c
}

// bank returns the configuration of the bank's client. Operations that the engine takes
// never wait for a place there, whatever enquiries are under way.
func (c Config) bank(key secret.Key) bank.Config {
	load := c.Load.inForce(c.Sandbox)
	return bank.Config{
		BaseURL: c.BankURL, Key: key, Timeout: c.BankTimeout, MaxIdle: c.BankIdle, Logger: c.Logger,
		MaxConnections: load.BankConcurrency + load.BankEnquiries,
	}
}

// gateway returns the gateway's configuration. Only a sandbox explains refusals, and only
// to messages under its own public keys.
func (c Config) gateway() gateway.Config {
	load := c.Load.inForce(c.Sandbox)
	out := gateway.Config{
		Rate: load.GatewayRate, Burst: load.GatewayBurst, UnderWay: load.GatewayConcurrency, AllUnderWay: load.GatewayTotalConcurrency, Rand: c.Rand, Logger: c.Logger,
	}
	if c.Sandbox {
		out.Explain = sandboxKeyIDs()
	}
	return out
}

// CLIConfig returns the part of the configuration that commands need.
func (c Config) CLIConfig() admincli.Config {
	return admincli.Config{
		Data: c.Data, Node: c.Node, DatabaseURL: c.DatabaseURL, VendorMasterKeys: c.VendorMasterKeys,
		Archive: c.Archive, BodyRetention: c.BodyRetention, Sandbox: c.Sandbox, Rand: c.Rand, Logger: c.Logger,
	}
}
