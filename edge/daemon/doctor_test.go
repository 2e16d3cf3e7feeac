package daemon

import (
	"path/filepath"
	"strings"
	"testing"

	"galla/edge/printing/printer"
	uiprinter "galla/edge/ui/printer"
)

// TestDoctorAsksThePrinter: the one that is set up is asked, whatever its kind;
// where it is stays out of the report.
func TestDoctorAsksThePrinter(t *testing.T) {
	if probePrinter(uiprinter.Settings{}, nil) != nil {
		t.Error("no printer is asked")
	}
	address := filepath.Join(t.TempDir(), "lp0")
	prints, do := probePrinter(uiprinter.Settings{Kind: printer.USB, Address: address}, nil)(t.Context())
	if prints || do != "The printer can't be reached: check power, cable and address." {
		t.Errorf("%v, %q", prints, do)
	}
	if prints, do := probePrinter(uiprinter.Settings{Kind: printer.TCP, Address: "127.0.0.1:1"}, nil)(t.Context()); prints || strings.Contains(do, "127.0.0.1") {
		t.Errorf("%v, %q", prints, do)
	}
	if prints, do := probePrinter(uiprinter.Settings{Kind: "parallel", Address: "LPT1"}, nil)(t.Context()); prints || do == "" {
		t.Errorf("%v, %q", prints, do)
	}
}
