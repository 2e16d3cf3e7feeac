package console

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"os"
	"strconv"
	"testing"

	"github.com/go-json-experiment/json"

	"galla/central"
)

// kindsOfCentral reads the kinds from the source of package central.
func kindsOfCentral(t *testing.T) (kinds []central.Kind) {
	t.Helper()
	file, err := parser.ParseFile(gotoken.NewFileSet(), "../bank.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == "Kind" {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, central.Kind(value))
		}
		return true
	})
	if len(kinds) < 40 {
		t.Fatalf("bank.go has only the kinds %q", kinds)
	}
	return kinds
}

// TestEveryKindHasAName: each kind of the central has one name, and no two the same.
func TestEveryKindHasAName(t *testing.T) {
	seen := map[string]central.Kind{}
	for _, k := range kindsOfCentral(t) {
		name := kindNames()[k]
		if name == "" || seen[name] != "" {
			t.Errorf("%s has the name %q, as %q has", k, name, seen[name])
		}
		seen[name] = k
	}
	if len(kindNames()) != len(seen) {
		t.Errorf("%d names of %d kinds", len(kindNames()), len(seen))
	}
	if got := kindName("NEW_KIND"); got != "NEW_KIND" {
		t.Errorf("an unknown kind is %q", got)
	}
}

// TestKindsAreCalledAsAtTheCounter compares the names with the counter's texts.
func TestKindsAreCalledAsAtTheCounter(t *testing.T) {
	data, err := os.ReadFile("../../edge/outcome/messages/en.json")
	if err != nil {
		t.Fatal(err)
	}
	var texts map[string]any
	if err := json.Unmarshal(data, &texts); err != nil {
		t.Fatal(err)
	}
	for key, kind := range map[string]central.Kind{
		"kind.withdrawal": central.KindWithdrawal, "kind.statement": central.KindMiniStatement, "kind.purchase": central.KindPurchase, "kind.authentication": central.KindAgentAuth,
		"kind.transfer": central.KindTransfer, "kind.payment": central.KindUPIPayment, "kind.payment-returned": central.KindUPIRefund,
	} {
		if got := kindName(kind); got != texts[key] {
			t.Errorf("%s is %q here, and %q at the counter", kind, got, texts[key])
		}
	}
}
