package printer

import (
	"context"
	"errors"
	"fmt"
	"net"
)

// Kind is the kind of connection to a printer.
type Kind string

// The kinds of connection.
const (
	Serial Kind = "serial" // a serial port, including Bluetooth and USB adapters
	USB    Kind = "usb"    // a printer device of the kernel, such as /dev/usb/lp0
	TCP    Kind = "tcp"    // a network printer
)

const (
	defaultBaud = 9600
	defaultPort = "9100" // raw printing
)

// openerFor returns the function that opens a configured printer's connection.
func openerFor(cfg Config) (func(context.Context) (channel, error), error) {
	if cfg.Address == "" {
		return nil, errors.New("a printer needs an address: a device file, a port, or a host")
	}
	switch cfg.Kind {
	case Serial:
		baud := cfg.Baud
		if baud == 0 {
			baud = defaultBaud
		}
		if baud < 0 {
			return nil, fmt.Errorf("a serial port can't run at %d baud: give the speed on the printer's self-test slip", baud)
		}
		return func(context.Context) (channel, error) { return openSerial(cfg.Address, baud) }, nil
	case USB:
		return func(context.Context) (channel, error) { return openDevice(cfg.Address) }, nil
	case TCP:
		address := cfg.Address
		if _, _, err := net.SplitHostPort(address); err != nil {
			address = net.JoinHostPort(address, defaultPort)
		}
		return func(ctx context.Context) (channel, error) { return dial(ctx, address) }, nil
	}
	return nil, fmt.Errorf("printer of kind %q is not known: choose serial, usb or tcp", cfg.Kind)
}

func dial(ctx context.Context, address string) (channel, error) {
	d := net.Dialer{Timeout: openTimeout}
	c, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, conditionError(Unplugged, err)
	}
	return c, nil
}
