//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"

	"galla/shared/settings"
)

// Config is the environment's settings of the local sandbox. Addresses may be given
// with or without their scheme; the defaults are those of sandbox.md, section 1.
type Config struct {
	Central     Address // GALLA_CENTRAL_ADDR, http://127.0.0.1:7100
	Admin       Address // GALLA_ADMIN_ADDR, http://127.0.0.1:7101
	Uplink      Address // GALLA_UPLINK_ADDR, ws://127.0.0.1:7102
	Counter     Address // GALLA_COUNTER_ADDR, http://127.0.0.1:7200
	Bank        Address // GALLA_BANK_ADDR, http://127.0.0.1:7300: books, inbox, control
	BankNetwork Address // GALLA_BANK_NETWORK_ADDR: the network's protocol; one port above the bank's, or any free one where that is taken
	RDSim       Address // GALLA_RDSIM_ADDR, http://127.0.0.1:11100

	Data        string // GALLA_DATA, ./.galla; absolute
	DatabaseURL string // GALLA_DATABASE_URL; empty: SQLite in the data folder
	TimeScale   string // GALLA_BANK_TIME_SCALE, 1; the bank's waits are multiplied by it
}

// Address is where a part listens.
type Address struct {
	Var    string // the environment variable that sets it
	Scheme string // http or ws
	Host   string // host:port; empty: not decided
}

// URL is the address as people and programs write it.
func (a Address) URL() string { return a.Scheme + "://" + a.Host }

// ReadConfig reads the environment. Its error lists every mistake.
func ReadConfig(getenv func(string) string) (Config, error) {
	var faults []error
	read := func(name, fallback string) Address {
		value := getenv(name)
		if value == "" {
			value = fallback
		}
		a, err := parseAddress(name, value)
		if err != nil {
			faults = append(faults, err)
		}
		return a
	}
	c := Config{
		Central: read("GALLA_CENTRAL_ADDR", "http://127.0.0.1:7100"),
		Admin:   read("GALLA_ADMIN_ADDR", "http://127.0.0.1:7101"),
		Uplink:  read("GALLA_UPLINK_ADDR", "ws://127.0.0.1:7102"),
		Counter: read("GALLA_COUNTER_ADDR", "http://127.0.0.1:7200"),
		Bank:    read("GALLA_BANK_ADDR", "http://127.0.0.1:7300"),
		RDSim:   read("GALLA_RDSIM_ADDR", "http://127.0.0.1:11100"),

		BankNetwork: Address{Var: "GALLA_BANK_NETWORK_ADDR", Scheme: "http"},
		Data:        getenv("GALLA_DATA"),
		DatabaseURL: getenv("GALLA_DATABASE_URL"),
		TimeScale:   getenv("GALLA_BANK_TIME_SCALE"),
	}
	c.Uplink.Scheme = "ws"
	if getenv(c.BankNetwork.Var) != "" {
		c.BankNetwork = read(c.BankNetwork.Var, "")
	}
	if c.Data == "" {
		c.Data = ".galla"
	}
	data, err := filepath.Abs(c.Data)
	if err != nil {
		faults = append(faults, fmt.Errorf("GALLA_DATA=%s: %w", c.Data, err))
	}
	c.Data = data
	if scale := c.TimeScale; scale != "" {
		if n, err := strconv.ParseFloat(scale, 64); err != nil || n <= 0 || n > 1000 {
			faults = append(faults, fmt.Errorf("GALLA_BANK_TIME_SCALE=%s: must be a number above 0 and up to 1000, such as 0.05", scale))
		}
	}
	if len(faults) == 0 {
		faults = c.sameTwice()
	}
	return c, errors.Join(faults...)
}

// parseAddress reads an address as every program does.
func parseAddress(name, value string) (Address, error) {
	a := Address{Var: name, Scheme: "http"}
	read, err := settings.ParseAddress(value)
	if err != nil {
		return a, fmt.Errorf("%s=%s: %w", name, value, err)
	}
	switch read.Scheme() {
	case "":
	case "http", "ws":
		a.Scheme = read.Scheme()
	default:
		return a, fmt.Errorf("%s=%s: the scheme must be http or ws; the sandbox has no certificates", name, value)
	}
	a.Host = read.HostPort()
	if host, port, err := net.SplitHostPort(a.Host); err != nil || host == "" || port == "0" {
		return a, fmt.Errorf("%s=%s: must be host:port, such as 127.0.0.1:7100, with or without a scheme; the port must be a number from 1 to 65535", name, value)
	}
	return a, nil
}

// all gives the addresses that are decided.
func (c *Config) all() []Address {
	list := []Address{c.Central, c.Admin, c.Uplink, c.Counter, c.Bank, c.RDSim}
	if c.BankNetwork.Host != "" {
		list = append(list, c.BankNetwork)
	}
	return list
}

// sameTwice finds two parts that have the same address.
func (c *Config) sameTwice() []error {
	var faults []error
	by := map[string]string{}
	for _, a := range c.all() {
		if other := by[a.Host]; other != "" {
			faults = append(faults, fmt.Errorf("%s and %s are both %s: each part needs an address of its own", other, a.Var, a.Host))
		}
		by[a.Host] = a.Var
	}
	return faults
}

// checkFree finds the addresses that are taken, all of them at once, and chooses the
// bank network's if it was not given.
func (c *Config) checkFree() error {
	var faults []error
	for _, a := range c.all() {
		if err := free(a.Host); err != nil {
			faults = append(faults, fmt.Errorf("%s (%s) can't be used: %w. End the program that has it (`ss -ltnp` names it), or set %s to a free address", a.URL(), a.Var, err, a.Var))
		}
	}
	if len(faults) > 0 || c.BankNetwork.Host != "" {
		return errors.Join(faults...)
	}
	host, port, err := net.SplitHostPort(c.Bank.Host)
	if err != nil {
		return fmt.Errorf("%s=%s: %w", c.Bank.Var, c.Bank.Host, err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return fmt.Errorf("%s=%s: %w", c.Bank.Var, c.Bank.Host, err)
	}
	if c.BankNetwork.Host = net.JoinHostPort(host, strconv.Itoa(n+1)); n+1 <= 65535 && c.sameTwice() == nil && free(c.BankNetwork.Host) == nil {
		return nil
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return fmt.Errorf("find a free port for the bank network: %w", err)
	}
	c.BankNetwork.Host = l.Addr().String()
	return l.Close()
}

// free is nil if an address can be listened on.
func free(host string) error {
	l, err := net.Listen("tcp", host)
	if err != nil {
		return err
	}
	return l.Close()
}

// environment is each program's settings, added to the supervisor's own environment.
func (c *Config) environment(inherited []string) []string {
	set := map[string]string{
		"GALLA_SANDBOX": "1",
		"GALLA_DATA":    c.Data,
	}
	for _, a := range c.all() {
		set[a.Var] = a.URL()
	}
	if c.DatabaseURL != "" {
		set["GALLA_DATABASE_URL"] = c.DatabaseURL
	}
	if c.TimeScale != "" {
		set["GALLA_BANK_TIME_SCALE"] = c.TimeScale
	}
	var env []string
	for _, kv := range inherited {
		key, _, _ := strings.Cut(kv, "=")
		if _, ours := set[key]; !ours {
			env = append(env, kv)
		}
	}
	for key, value := range set {
		env = append(env, key+"="+value)
	}
	return env
}
