package archtest

import (
	"fmt"
	"go/ast"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func TestAddresses(t *testing.T) { enforce(t, addresses) }

var addressName = regexp.MustCompile(`^GALLA_[A-Z_]*_?ADDR$`)

// addresses requires that every setting that is an address is read by one function: all
// programs accept the same forms.
func addresses(h *repo) []string {
	var out []string
	for _, f := range h.files {
		if f.test {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.Field:
				if x.Tag == nil {
					return true
				}
				tag := reflect.StructTag(strings.Trim(x.Tag.Value, "`"))
				for _, name := range []string{tag.Get("env"), tag.Get("setting")} {
					if addressName.MatchString(name) && typeText(x.Type) != "settings.Address" {
						out = append(out, fmt.Sprintf("%s: %s is an address and of type %s; make it a settings.Address, which every program reads alike.", h.at(f, x), name, typeText(x.Type)))
					}
				}
			case *ast.CallExpr:
				if typeText(x.Fun) != "os.Getenv" || len(x.Args) != 1 {
					return true
				}
				if name, ok := x.Args[0].(*ast.BasicLit); ok && addressName.MatchString(strings.Trim(name.Value, `"`)) {
					out = append(out, fmt.Sprintf("%s: %s is read past the flags; make it a settings.Address, which every program reads alike.", h.at(f, x), name.Value))
				}
			}
			return true
		})
	}
	return out
}

// typeText writes an expression of one or two names.
func typeText(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return typeText(x.X) + "." + x.Sel.Name
	}
	return "another"
}

// TestAddressesAreSeen checks that the rule finds the existing settings, so that a
// renamed tag does not switch it off.
func TestAddressesAreSeen(t *testing.T) {
	seen := map[string]bool{}
	h, err := tree()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range h.files {
		for _, name := range regexp.MustCompile(`env:"(GALLA_[A-Z_]*ADDR)"`).FindAllStringSubmatch(f.src, -1) {
			if !f.test {
				seen[f.pkg+" "+name[1]] = true
			}
		}
	}
	for _, want := range []string{
		"central/cmd/galla-central GALLA_CENTRAL_ADDR", "central/cmd/galla-central GALLA_ADMIN_ADDR", "central/cmd/galla-central GALLA_UPLINK_ADDR", "central/cmd/galla-central GALLA_BANK_NETWORK_ADDR",
		"central/cmd/galla-bank GALLA_CENTRAL_ADDR", "rdservice/cmd/galla-rdsim GALLA_CENTRAL_ADDR",
		"central/cmd/galla-bank GALLA_BANK_ADDR", "central/cmd/galla-bank GALLA_BANK_NETWORK_ADDR", "central/cmd/galla-call GALLA_CENTRAL_ADDR", "central/cmd/galla-call GALLA_BANK_ADDR", "central/cmd/galla-call GALLA_RDSIM_ADDR",
		"edge/cmd/galla-edge GALLA_COUNTER_ADDR", "edge/cmd/galla-edge GALLA_CENTRAL_ADDR", "edge/cmd/galla-edge GALLA_RDSIM_ADDR", "rdservice/cmd/galla-rdsim GALLA_RDSIM_ADDR",
	} {
		if !seen[want] {
			t.Errorf("%s was not met", want)
		}
	}
}
