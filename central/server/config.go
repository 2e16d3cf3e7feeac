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

	"galla/central/credential"
	"galla/central/duty"
	"galla/central/gateway"
	"galla/central/office"
	"galla/shared/secret"
	"galla/shared/trace"
)

// Config sets up a central.
type Config struct {
	Addr       string // of the direct routes, host:port
	AdminAddr  string // of health and metrics, host:port
	UplinkAddr string // of the terminals' websocket, host:port
	// UplinkURL is what an enrolled terminal is told to connect to; default
	// ws://UplinkAddr/uplink, with a certificate wss://.
	UplinkURL string
	// TLSCert and TLSKey are PEM files, read anew when they change: with them the
	// direct routes, the gateway and the uplink speak TLS 1.3 and nothing else.
	// Without them they speak plainly, to whoever ends TLS in front.
	TLSCert, TLSKey string
	// TrustedProxies are the networks of those in front whose X-Forwarded-For
	// says where a call comes from; nobody else's is read.
	TrustedProxies []netip.Prefix
	// Updates is the folder of the counters' releases, offered at the uplink's
	// origin (package offer); empty: none are.
	Updates string
	// BankURL is the bank network's base URL.
	BankURL string
	Data    string // folder; the central's files lie in central/ and keys/ below it
	Sandbox bool   // make missing keys, seed the sandbox's parties and limits
	Node    string // name of this central among those that share a database; no two may have the same

	// PIDFile is where the process's id is told; default central.pid in Data. Two
	// nodes that share a folder need one each.
	PIDFile string

	// DatabaseURL is a PostgreSQL database, by its URL or a list of key=value,
	// which several centrals may share; empty: SQLite in the data folder.
	DatabaseURL secret.Token

	// LimitsFile replaces the limits that the program brings (package limits has
	// the format); empty: the program's own, the sandbox's in a sandbox.
	LimitsFile string
	// RatesFile replaces the tax rates and provider costs that the program
	// brings (package commission has the format); empty: the program's own.
	RatesFile string
	// Provider is the upstream's code in commission slabs; default NSDL.
	Provider string
	// UPIHandle is the part after the @ of merchants' UPI addresses; default
	// galla.
	UPIHandle string

	// VendorMasterKeys, if given, take the place of the files
	// keys/vendor-master*.key: the first seals vendors' keys, all open them.
	VendorMasterKeys []secret.Key
	// GatewayRate (messages a second), GatewayBurst and GatewayUnderWay bound
	// each vendor at the gateway; zero: the gateway's defaults.
	GatewayRate     float64
	GatewayBurst    int
	GatewayUnderWay int

	// Lead is how long the central still takes calls after it was told to stop,
	// while it says that it is not ready: until the load balancers in front have
	// noticed. Default none, for there may be no balancer.
	Lead time.Duration
	// Archive is the folder that bodies are archived in; default archive in Data.
	Archive string
	// KeepBodies is how long bodies stay in the database after an operation's
	// end; default 180 days, at least 30.
	KeepBodies time.Duration

	// BankTimeout is how long a dispatch waits for the bank; default 15 s, at most 25.
	BankTimeout time.Duration

	// Documents are the handbook's, in Markdown, which are served below /docs/;
	// nil: none are.
	Documents fs.FS

	// Traces says where spans are told, and which; nil: nowhere. Service,
	// Version and Logger are filled in.
	Traces *trace.Config
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

// maxLead bounds Config.Lead: no balancer takes longer to notice, and whoever
// stops the central waits that long.
const maxLead = 5 * time.Minute

// maxBankTimeout bounds Config.BankTimeout: the bank's word comes before a terminal's
// wait of 30 s and a caller's of 35 s are over, and what the central writes after it.
const maxBankTimeout = 25 * time.Second

// nodeName is what a node may be called: the name stands in the database, in
// logs, and in a file's name.
var nodeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// Validate reports all faults at once.
func (c Config) Validate() error {
	var errs []error
	for name, addr := range map[string]string{"direct": c.Addr, "admin": c.AdminAddr, "uplink": c.UplinkAddr} {
		if _, _, err := net.SplitHostPort(addr); err != nil {
			errs = append(errs, fmt.Errorf("%s address %q: want host:port", name, addr))
		}
	}
	// What stands before an @ may be a password, and is not quoted.
	if u, err := url.Parse(c.BankURL); err != nil || u.Host == "" || u.User != nil || (u.Scheme != "http" && u.Scheme != "https") {
		errs = append(errs, errors.New("the bank network's address: want http:// or https://, a host and a port, and no user or password: its key is keys/bank-network.key"))
	}
	if c.Data == "" {
		errs = append(errs, errors.New("data folder is missing"))
	}
	if !nodeName.MatchString(c.Node) {
		errs = append(errs, fmt.Errorf("node name %q: want letters, digits, '.', '_' and '-', at most 100", c.Node))
	}
	if c.Lead < 0 || c.Lead > maxLead {
		errs = append(errs, fmt.Errorf("lead %s before a stop: want at most %s", c.Lead, maxLead))
	}
	if c.BankTimeout < 0 || c.BankTimeout > maxBankTimeout {
		errs = append(errs, fmt.Errorf("a wait of %s for the bank: want at most %s, since callers wait for 30 s", c.BankTimeout, maxBankTimeout))
	}
	if !c.DatabaseURL.IsZero() {
		if err := office.CheckDatabase(c.DatabaseURL.Reveal()); err != nil {
			errs = append(errs, err)
		}
	}
	if err := c.checkTLS(); err != nil {
		errs = append(errs, err)
	}
	if c.KeepBodies != 0 && c.KeepBodies < duty.LeastBodiesKept {
		errs = append(errs, fmt.Errorf("bodies are kept for %s: want at least %s, in which replies are asked for again", c.KeepBodies, duty.LeastBodiesKept))
	}
	if c.GatewayRate < 0 || c.GatewayBurst < 0 || c.GatewayUnderWay < 0 {
		errs = append(errs, errors.New("the gateway's rate, burst and calls under way can't be below zero"))
	}
	if c.Rand == nil || c.Logger == nil {
		errs = append(errs, errors.New("randomness and a logger are needed"))
	}
	return errors.Join(errs...)
}

// checkTLS reports what of a certificate is missing in a configuration.
func (c Config) checkTLS() error {
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return errors.New("a certificate needs its key, and a key its certificate: give both files, or neither")
	}
	return nil
}

// credentials says where the keys are.
func (c Config) credentials() credential.Config {
	return credential.Config{Folder: filepath.Join(c.Data, "keys"), Sandbox: c.Sandbox, VendorMasters: c.VendorMasterKeys, Rand: c.Rand}
}

// ParseMasterKeys reads master keys of vendors' keys from a text, as the
// environment holds them (credential.ParseMasterKeys).
func ParseMasterKeys(text string) ([]secret.Key, error) { return credential.ParseMasterKeys(text) }

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

// InForce is the configuration with what its zero values stand for.
func (c Config) InForce() Config {
	c.UplinkURL = c.uplinkURL()
	c.UPIHandle = c.handle()
	c.PIDFile = cmp.Or(c.PIDFile, filepath.Join(c.Data, pidFile))
	c.Archive = c.Office().ArchiveFolder()
	c.KeepBodies = cmp.Or(c.KeepBodies, duty.BodiesKept)
	c.GatewayRate = cmp.Or(c.GatewayRate, gateway.DefaultRate)
	c.GatewayBurst = cmp.Or(c.GatewayBurst, gateway.DefaultBurst)
	c.GatewayUnderWay = cmp.Or(c.GatewayUnderWay, gateway.DefaultUnderWay)
	return c
}

// gateway gives the gateway's configuration. Only a sandbox explains, and only
// messages under its own public keys.
func (c Config) gateway() gateway.Config {
	out := gateway.Config{
		Rate: c.GatewayRate, Burst: c.GatewayBurst, UnderWay: c.GatewayUnderWay, Rand: c.Rand, Logger: c.Logger,
	}
	if c.Sandbox {
		out.Explain = sandboxKeyIDs()
	}
	return out
}

// Office says where the central's records and keys are, for commands on them.
func (c Config) Office() office.Config {
	return office.Config{
		Data: c.Data, Node: c.Node, DatabaseURL: c.DatabaseURL, VendorMasterKeys: c.VendorMasterKeys,
		Archive: c.Archive, KeepBodies: c.KeepBodies, Sandbox: c.Sandbox, Rand: c.Rand, Logger: c.Logger,
	}
}
