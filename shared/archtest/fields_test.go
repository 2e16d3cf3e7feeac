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

// nameFields requires that every field that the central reads as a name
// (field.Reader.Name) is in the table that both halves use. Otherwise the counter asks
// for a finger and the central then refuses the name.
func nameFields(h *repo) []string {
	table := printable.Fields()
	var out []string
	for _, f := range h.files {
		if f.test || f.pkg != "central/api" {
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
				out = append(out, fmt.Sprintf("%s reads %q as a name, which shared/printable does not know: add the field to its table, so that the counter checks it before it asks for a finger.", h.at(f, call), name))
			}
			return true
		})
	}
	return out
}
