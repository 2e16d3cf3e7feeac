package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"testing"

	"galla/shared/printable"
)

func TestNameFields(t *testing.T) { enforce(t, nameFields) }

// nameFields wants every field that the central reads as a name (form.Reader.Name)
// in the table that both halves judge by: the counter would else ask for a finger
// with what the central then refuses.
func nameFields(h *house) []string {
	table := printable.Fields()
	var out []string
	for _, f := range h.files {
		if f.test || f.room != "central/dmt" && f.room != "central/contract" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 3 {
				return true
			}
			if member, ok := call.Fun.(*ast.SelectorExpr); !ok || member.Sel.Name != "Name" {
				return true
			}
			field, ok := call.Args[0].(*ast.BasicLit)
			if !ok || field.Kind != token.STRING {
				return true
			}
			if name, err := strconv.Unquote(field.Value); err == nil && table[name] == 0 {
				out = append(out, fmt.Sprintf("%s reads %q as a name, which shared/printable does not know: add the field to its table, so that the counter judges it before a finger is asked for.", h.at(f, call), name))
			}
			return true
		})
	}
	return out
}
