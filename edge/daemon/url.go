package daemon

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"

	"galla/shared/localname"
)

// PagesURL returns the address of the counter's pages, and creates its name if there
// is none: the installer shows it before the first start. It creates nothing in a
// missing folder (fs.ErrNotExist). Who can't read the folder does not learn it.
func PagesURL(cfg Config) (string, error) {
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
	const whose = "the counter's link is for whoever may read its data folder (--data, or --config with it); the sign 'Galla' on the desktop or in the menu opens an installed counter"
	if _, err := os.Stat(cfg.Data); err != nil {
		return "", fmt.Errorf("there is no counter: %w; %s", err, whose)
	}
	name, err := localname.Ensure(string(folderOf(cfg.Data)), cfg.Rand)
	if err != nil {
		return "", fmt.Errorf("%w; %s", err, whose)
	}
	return localname.URL(name, port), nil
}
