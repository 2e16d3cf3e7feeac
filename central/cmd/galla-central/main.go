// Command galla-central is the desk: it serves merchants' programs and
// terminals and forwards to the bank network.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"galla/central/server"
)

type cli struct {
	Addr       string        `env:"GALLA_CENTRAL_ADDR" default:"http://127.0.0.1:7100" help:"Address of the direct routes."`
	AdminAddr  string        `env:"GALLA_ADMIN_ADDR" default:"http://127.0.0.1:7101" help:"Address of health and metrics."`
	UplinkAddr string        `env:"GALLA_UPLINK_ADDR" default:"ws://127.0.0.1:7102" help:"Address of the terminals' websocket."`
	UplinkURL  string        `env:"GALLA_UPLINK_URL" help:"URL that terminals are told to connect to; by default the uplink address."`
	Bank       string        `env:"GALLA_BANK_NETWORK_ADDR" default:"http://127.0.0.1:7301" help:"Base URL of the bank network."`
	BankWait   time.Duration `env:"GALLA_BANK_TIMEOUT" default:"15s" help:"How long a request waits for the bank's answer."`
	Limits     string        `env:"GALLA_LIMITS" help:"File of limits in place of the program's own (see package central/limits)."`
	Rates      string        `env:"GALLA_RATES" help:"File of tax rates and provider costs in place of the program's own (see package central/commission)."`
	Provider   string        `env:"GALLA_PROVIDER" default:"NSDL" help:"The upstream's code in commission slabs."`
	UPIHandle  string        `env:"GALLA_UPI_HANDLE" default:"galla" help:"Part after the @ of merchants' UPI addresses that have none of their own."`
	Data       string        `env:"GALLA_DATA" default:".galla" help:"Folder for Galla's data; the central's lies in central/ and keys/ below it."`
	Sandbox    bool          `env:"GALLA_SANDBOX" help:"Make missing keys, and seed the sandbox's parties."`
	Node       string        `env:"GALLA_NODE" default:"central-1" help:"Name of this central among those that share a database."`
}

func main() {
	var c cli
	kong.Parse(&c, kong.Name("galla-central"), kong.Description("Galla's central: operations from record to final word."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := server.Run(ctx, server.Config{
		Addr: server.HostPort(c.Addr), AdminAddr: server.HostPort(c.AdminAddr), UplinkAddr: server.HostPort(c.UplinkAddr),
		UplinkURL: c.UplinkURL, BankURL: baseURL(c.Bank), BankTimeout: c.BankWait,
		LimitsFile: c.Limits, RatesFile: c.Rates, Provider: c.Provider, UPIHandle: c.UPIHandle,
		Data: c.Data, Sandbox: c.Sandbox, Node: c.Node,
		Rand: rand.Reader, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
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
