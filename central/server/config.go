package server

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"galla/central/gateway"
	"galla/shared/secret"
)

// Config sets up a central.
type Config struct {
	Addr       string // of the direct routes, host:port
	AdminAddr  string // of health and metrics, host:port
	UplinkAddr string // of the terminals' websocket, host:port
	// UplinkURL is what an enrolled terminal is told to connect to; default
	// ws://UplinkAddr/uplink.
	UplinkURL string
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

	// BankTimeout is how long a dispatch waits for the bank; default 15 s.
	BankTimeout time.Duration

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
	if u, err := url.Parse(c.BankURL); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		errs = append(errs, fmt.Errorf("bank network %q: want a URL", c.BankURL))
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
	if !c.DatabaseURL.IsZero() {
		if err := checkDatabase(c.DatabaseURL.Reveal()); err != nil {
			errs = append(errs, err)
		}
	}
	if c.GatewayRate < 0 || c.GatewayBurst < 0 || c.GatewayUnderWay < 0 {
		errs = append(errs, errors.New("the gateway's rate, burst and calls under way can't be below zero"))
	}
	if c.Rand == nil || c.Logger == nil {
		errs = append(errs, errors.New("randomness and a logger are needed"))
	}
	return errors.Join(errs...)
}

func (c Config) uplinkURL() string {
	if c.UplinkURL != "" {
		return c.UplinkURL
	}
	return "ws://" + c.UplinkAddr + "/uplink"
}

func (c Config) handle() string {
	if c.UPIHandle != "" {
		return c.UPIHandle
	}
	return defaultHandle
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

func (c Config) database() string { return filepath.Join(c.Data, "central", "central.db") }

// HostPort reads an address that may be written as a URL.
func HostPort(addr string) string {
	for _, scheme := range []string{"http://", "https://", "ws://", "wss://"} {
		addr = strings.TrimPrefix(addr, scheme)
	}
	return strings.TrimSuffix(addr, "/")
}
