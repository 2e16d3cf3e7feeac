//go:build unix

package sandbox

import (
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"

	"galla/shared/localname"
)

// The sandbox's identities are constants of its document (sandbox.md, section 2):
// public, the same everywhere, and worth nothing outside of it.

// client is one party that may call the central.
type client struct {
	id, secret, who string
}

// clients gives the parties in the order of the document.
func clients() []client {
	return []client{
		{"agg-galla", "sandbox-aggregator-1", "aggregator A1"},
		{"vendor-sahyadri", "sandbox-vendor-1", "vendor V1, Sahyadri Fintech (of A1); API key vk_sandbox_sahyadri"},
		{"vendor-deccan", "sandbox-vendor-2", "vendor V2, Deccan Pay; API key vk_sandbox_deccan"},
		{"merchant-lakshmi", "sandbox-merchant-1", "merchant M1, Lakshmi Kirana Store (V1): ready for AEPS, owns the counter"},
		{"merchant-ganesh", "sandbox-merchant-2", "merchant M2, Ganesh Telecom (V1): not onboarded for AEPS"},
		{"merchant-charminar", "sandbox-merchant-3", "merchant M3, Charminar General (V2): ready for AEPS"},
		{"merchant-nila", "sandbox-merchant-4", "merchant M4, Nila Stores (V1): pending"},
		{"merchant-saraswati", "sandbox-merchant-5", "merchant M5, Saraswati Traders (V1): no merchant info"},
	}
}

// The counter's owner and its agent. The Aadhaar number is one of UIDAI's public demo
// numbers.
const (
	ownerClient  = "merchant-lakshmi"
	agentName    = "Fatima"
	agentPIN     = "2580"
	agentAadhaar = "999933119405"
	counterName  = "Counter 1"
)

// The console's staff.
const operatorPassword = "sandbox-console-1"

func operators() []struct{ login, key, role string } {
	return []struct{ login, key, role string }{
		{"sandbox-admin", "AAAQEAYEAUDAOCAJBIFQYDIOB4IBCEQT", "admin"},
		{"sandbox-operator", "EAQSEIZEEUTCOKBJFIVSYLJOF4YDCMRT", "operator"},
		{"sandbox-viewer", "IBAUEQ2EIVDEOSCJJJFUYTKOJ5IFCUST", "viewer"},
	}
}

// The people of vendors, on the portal.
const portalPassword = "sandbox-portal-1"

func portalPeople() []struct{ login, key, role string } {
	return []struct{ login, key, role string }{
		{"sahyadri-owner", "MBQWEY3EMVTGO2DJNJVWY3LON5YHC4TT", "owner, of V1"},
		{"sahyadri-member", "QCAYFA4EQWDIPCEJRKFYZDMOR6IJDEUT", "member, of V1"},
		{"deccan-owner", "UCQ2FI5EUWTKPKFJVKV2ZLNOV6YLDMVT", "owner, of V2"},
	}
}

// pageAddress is where a browser opens the console or the portal: they are served only
// under a name of this data folder.
func pageAddress(c Config, host, path string) string {
	name, err := localname.Read(filepath.Join(c.Data, "central"))
	if err != nil {
		return "is not served, since it has no name: " + err.Error()
	}
	_, port, _ := net.SplitHostPort(host) // it was read from one
	return "http://" + net.JoinHostPort(name, port) + path
}

// counterLink is where the browser opens the counter: under a name that only this
// sandbox has (shared/localname).
func counterLink(c Config) (string, error) {
	_, port, err := net.SplitHostPort(c.Counter.Host)
	if err != nil {
		return "", err
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return "", err
	}
	name, err := localname.Read(filepath.Join(c.Data, "edge"))
	if err != nil {
		return "", err
	}
	return localname.URL(name, n), nil
}

// banner is what `make run` prints when everything is ready.
func banner(c Config) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("")
	line("Galla runs. Ctrl-C stops it; the next start finds the same data.")
	line("")
	link, err := counterLink(c)
	if err != nil { // the counter runs, so it has made its name
		link = "galla-edge open (" + err.Error() + ")"
	}
	line("  counter UI      %s    agent %s, PIN %s", link, agentName, agentPIN)
	line("  central         %s    administration %s", c.Central.URL(), c.Admin.URL())
	line("  console         %s    sign in as below", pageAddress(c, c.Admin.Host, "/console/"))
	line("  portal          %s    for people of vendors", pageAddress(c, c.Central.Host, "/portal/"))
	line("  uplink          %s", c.Uplink.URL())
	line("  sandbox bank    %s    network %s", c.Bank.URL(), c.BankNetwork.URL())
	line("  RD simulator    %s", c.RDSim.URL())
	line("  data            %s    logs in log/", c.Data)
	line("  documentation   %s/docs    for partners %s/docs/gateway", c.Central.URL(), c.Central.URL())
	line("")
	line("Sandbox credentials, public and good for nothing else (POST %s/oauth/token):", c.Central.URL())
	line("")
	line("  %-20s %-22s %s", "client_id", "client_secret", "who")
	for _, p := range clients() {
		line("  %-20s %-22s %s", p.id, p.secret, p.who)
	}
	line("")
	line("Vendors' keys for the gateway (%s/process/…; how to use them: %s/docs/gateway):", c.Central.URL(), c.Central.URL())
	line("")
	line("  %-20s %s", "vk_sandbox_sahyadri", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
	line("  %-20s %s", "vk_sandbox_deccan", "QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8=")
	line("")
	line("Operators of the console, password %s, and the key for an authenticator (oathtool --totp -b KEY gives a code, too):", operatorPassword)
	line("")
	for _, o := range operators() {
		line("  %-20s %s    %s", o.login, o.key, o.role)
	}
	line("")
	line("People of vendors on the portal, password %s:", portalPassword)
	line("")
	for _, o := range portalPeople() {
		line("  %-20s %s    %s", o.login, o.key, o.role)
	}
	line("")
	line("galla: ready")
	return b.String()
}
