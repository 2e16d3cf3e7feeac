package printer

import (
	"path/filepath"
	"slices"
)

// Found is a device of this computer that a printer may be behind.
type Found struct {
	Kind    Kind
	Address string
}

// maxFound bounds what Find gives: a shop's computer has a few ports.
const maxFound = 8

// Find gives the devices of this computer that a printer may be behind: every
// printer device of the kernel, and the serial ports of adapters. It opens none
// of them, since a serial port may be anything. Ports of the board itself are
// left out: every computer lists them, printer or not.
func Find() []Found {
	return find(map[Kind][]string{
		USB:    {"/dev/usb/lp*"},
		Serial: {"/dev/ttyUSB*", "/dev/ttyACM*", "/dev/rfcomm*"},
	})
}

func find(patterns map[Kind][]string) []Found {
	var out []Found
	for _, kind := range []Kind{Serial, USB} {
		for _, pattern := range patterns[kind] {
			files, err := filepath.Glob(pattern)
			if err != nil {
				continue // a pattern of ours that is wrong finds nothing
			}
			for _, f := range files {
				out = append(out, Found{kind, f})
			}
		}
	}
	return slices.Clip(out[:min(len(out), maxFound)])
}
