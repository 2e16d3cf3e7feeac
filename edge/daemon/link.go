package daemon

import (
	"errors"
	"fmt"
	"net"
	"strconv"

	"galla/shared/localname"
)

// Link gives the address under which browsers open the counter of a data folder,
// and makes its name where none has been made yet. Whoever can't read the folder
// does not learn it.
func Link(cfg Config) (string, error) {
	if err := cfg.Validate(); err != nil {
		return "", err
	}
	_, text, err := net.SplitHostPort(hostPort(cfg.Addr))
	if err != nil {
		return "", err // Validate has seen it
	}
	port, err := strconv.Atoi(text)
	if err != nil || port < 1 {
		return "", errors.New("the address of the pages has no port that a browser could open: " + cfg.Addr)
	}
	name, err := localname.Ensure(string(at(cfg.Data)), cfg.Rand)
	if err != nil {
		return "", fmt.Errorf("%w; the counter's link is for whoever may read its data folder", err)
	}
	return localname.URL(name, port), nil
}
