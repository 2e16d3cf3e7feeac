package printer

import (
	"path/filepath"
	"slices"
)

// Candidate is a device of this computer that may be a printer.
type Candidate struct {
	Kind    Kind
	Address string
}

// maxCandidates bounds what Find returns.
const maxCandidates = 8

// Find returns the devices of this computer that may be printers: the kernel's printer
// devices, and serial ports of adapters. It opens none of them, since a serial port may be
// anything. Ports of the main board are left out: every computer has them.
func Find() []Candidate {
	return find(map[Kind][]string{
		USB:    {"/dev/usb/lp*"},
		Serial: {"/dev/ttyUSB*", "/dev/ttyACM*", "/dev/rfcomm*"},
	})
}

func find(patterns map[Kind][]string) []Candidate {
	var out []Candidate
	for _, kind := range []Kind{Serial, USB} {
		for _, pattern := range patterns[kind] {
			files, err := filepath.Glob(pattern)
			if err != nil {
				continue // a malformed pattern finds nothing
			}
			for _, f := range files {
				out = append(out, Candidate{kind, f})
			}
		}
	}
	return slices.Clip(out[:min(len(out), maxCandidates)])
}
