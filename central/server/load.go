package server

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"galla/central"
	"galla/central/gateway"
	"galla/central/httpapi"
)

// Load bounds what callers may ask of a central. Zero values take their defaults, which
// the help names. Programs embed it in their command line (package settings).
type Load struct {
	DirectRate        float64 `name:"direct-rate" env:"GALLA_DIRECT_RATE" help:"Requests a second that the direct routes accept from each caller, and from each network without authentication, at all nodes together; by default 500."`
	DirectBurst       int     `name:"direct-burst" env:"GALLA_DIRECT_BURST" help:"Requests at once above that rate; by default 1000."`
	DirectConnections int     `name:"direct-connections" env:"GALLA_DIRECT_CONNECTIONS" help:"Connections to the direct routes at one time; more wait to be accepted; by default 4096."`
	DirectConcurrency int     `name:"direct-concurrency" env:"GALLA_DIRECT_CONCURRENCY" help:"Concurrent requests of all callers of the direct routes; by default 2048."`

	BankConcurrency int `name:"bank-concurrency" env:"GALLA_BANK_CONCURRENCY" help:"Operations that wait for the bank at one time; more are refused before anything is done; by default 1024."`
	BankEnquiries   int `name:"bank-enquiries" env:"GALLA_BANK_ENQUIRIES" help:"Enquiries about pending operations at one time, 1024 at most; fewer while operations take the places at the bank; by default a quarter of bank-concurrency."`

	GatewayRate             float64 `name:"gateway-rate" env:"GALLA_GATEWAY_RATE" help:"Messages a second that the gateway accepts from each vendor; by default 50."`
	GatewayBurst            int     `name:"gateway-burst" env:"GALLA_GATEWAY_BURST" help:"Messages above that rate that a vendor may send at once; they wait for their turn; by default 500."`
	GatewayConcurrency      int     `name:"gateway-concurrency" env:"GALLA_GATEWAY_CONCURRENCY" help:"Concurrent requests of each vendor; by default 256."`
	GatewayTotalConcurrency int     `name:"gateway-total-concurrency" env:"GALLA_GATEWAY_TOTAL_CONCURRENCY" help:"Concurrent requests of all vendors; by default 1024."`
	GatewayUnknownRate      float64 `name:"gateway-unknown-rate" env:"GALLA_GATEWAY_UNKNOWN_RATE" help:"Messages a second of each network that turn out not to be authentic; over it, all messages of the network are refused; by default 2000, in a sandbox 10000."`
	GatewayUnknownBurst     int     `name:"gateway-unknown-burst" env:"GALLA_GATEWAY_UNKNOWN_BURST" help:"Such messages at once above that rate; by default 20000."`
}

// defaultBankConcurrency is how many operations wait for the bank at one time.
const defaultBankConcurrency = 1024

// inForce returns the bounds with defaults in place of zero values.
func (l Load) inForce(sandbox bool) Load {
	unknown := httpapi.DefaultUnknownRate
	if sandbox {
		unknown = sandboxUnknownRate
	}
	concurrency := cmp.Or(l.BankConcurrency, defaultBankConcurrency)
	return Load{
		DirectRate: cmp.Or(l.DirectRate, httpapi.DefaultRate), DirectBurst: cmp.Or(l.DirectBurst, httpapi.DefaultBurst),
		DirectConnections: cmp.Or(l.DirectConnections, httpapi.DefaultConns), DirectConcurrency: cmp.Or(l.DirectConcurrency, httpapi.DefaultUnderWay),
		BankConcurrency: concurrency, BankEnquiries: cmp.Or(l.BankEnquiries, central.DefaultEnquiries(concurrency)),
		GatewayRate: cmp.Or(l.GatewayRate, gateway.DefaultRate), GatewayBurst: cmp.Or(l.GatewayBurst, gateway.DefaultBurst),
		GatewayConcurrency: cmp.Or(l.GatewayConcurrency, gateway.DefaultUnderWay), GatewayTotalConcurrency: cmp.Or(l.GatewayTotalConcurrency, gateway.DefaultAllUnderWay),
		GatewayUnknownRate: cmp.Or(l.GatewayUnknownRate, unknown), GatewayUnknownBurst: cmp.Or(l.GatewayUnknownBurst, httpapi.DefaultUnknownBurst),
	}
}

// validate reports bounds that can't be meant.
func (l Load) validate() error {
	for _, rate := range []float64{l.DirectRate, l.GatewayRate, l.GatewayUnknownRate} {
		if math.IsNaN(rate) || math.IsInf(rate, 0) {
			return errors.New("rates must be finite numbers")
		}
	}
	if min(l.DirectRate, l.GatewayRate, l.GatewayUnknownRate) < 0 || min(l.DirectBurst, l.DirectConnections, l.DirectConcurrency,
		l.BankConcurrency, l.BankEnquiries, l.GatewayBurst, l.GatewayConcurrency, l.GatewayTotalConcurrency, l.GatewayUnknownBurst) < 0 {
		return errors.New("rates, bursts and numbers of concurrent requests can't be below zero")
	}
	if l.BankEnquiries > central.MaxEnquiries {
		return fmt.Errorf("%d enquiries at one time; at most %d can be made", l.BankEnquiries, central.MaxEnquiries)
	}
	return nil
}

// direct sets the bounds of the direct routes and of their listener.
func (l Load) direct(c httpapi.Config) httpapi.Config {
	c.Rate, c.Burst, c.MaxConns, c.MaxUnderWay = l.DirectRate, l.DirectBurst, l.DirectConnections, l.DirectConcurrency
	c.UnknownRate, c.UnknownBurst = l.GatewayUnknownRate, l.GatewayUnknownBurst
	return c
}
