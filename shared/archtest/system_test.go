package archtest

import (
	"fmt"
	"go/ast"
	"strings"
	"testing"
)

// mayRename are files whose renames need not survive a power cut; the value is the reason.
var mayRename = map[string]string{
	"central/store/restore.go":      "sqlite.Sync syncs the folder too",
	"deploy/local/supervise/log.go": "the sandbox's logs",
	"shared/files/pid.go":           "an id is worthless after a power cut",
}

func TestRenamesAreDurable(t *testing.T) { enforce(t, renames) }

// renames finds files that give a file a name and do not sync the folder: after a power cut
// the name may be gone, and money's records with it.
func renames(h *repo) []string {
	var out []string
	for _, f := range h.code() {
		if mayRename[f.path] != "" || strings.Contains(f.src, "SyncFolder(") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && isIdent(s.X, "os") && (s.Sel.Name == "Rename" || s.Sel.Name == "Link") {
				out = append(out, fmt.Sprintf("%s: os.%s is lost in a power cut: use files.WriteAtomic, or call files.SyncFolder for the folder.", h.at(f, n), s.Sel.Name))
			}
			return true
		})
	}
	return out
}

// mayKill are files that may call the system's kill; the value is the reason.
var mayKill = map[string]string{
	"deploy/local/supervise/runner.go": "the process groups of programs that it has started",
}

func TestSignals(t *testing.T) { enforce(t, kills) }

// kills finds signals to an id that may be 0 or negative: they reach a whole group, that of
// the test itself among them.
func kills(h *repo) []string {
	var out []string
	for _, f := range h.files {
		if mayKill[f.path] != "" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Kill" && (isIdent(s.X, "syscall") || isIdent(s.X, "unix")) {
				out = append(out, fmt.Sprintf("%s: with 0, kill reaches the caller's whole group: use files.Signal, which refuses it.", h.at(f, n)))
			}
			return true
		})
	}
	return out
}
