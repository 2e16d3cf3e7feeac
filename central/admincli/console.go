package admincli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strconv"

	"galla/shared/localname"
)

// ConsoleAddress prints the address at which a browser on this machine opens the
// console; admin is the admin address, such as 127.0.0.1:7101.
func ConsoleAddress(cfg Config, admin string, out io.Writer) error {
	name, err := localname.Read(cfg.LocalNameFolder())
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the central of the data folder %s has not started yet: its first start makes the console's name", cfg.Data)
	}
	if err != nil {
		return err
	}
	_, text, err := net.SplitHostPort(admin)
	if err != nil {
		return fmt.Errorf("the admin address %q: %w", admin, err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("the admin address %q: the port must be a number", admin)
	}
	_, err = fmt.Fprintln(out, localname.URL(name, port)+"console/")
	return err
}
