package publish

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Files of a build that say where it comes from: the statement, the same with signatures,
// and the list of sums, which has the statement in it.
const (
	StatementFile = "provenance.json"
	EnvelopeFile  = "provenance.intoto.jsonl"
	sumsFile      = "SHA256SUMS"
)

const (
	statementType = "https://in-toto.io/Statement/v1"
	predicateType = "https://slsa.dev/provenance/v1"
	payloadType   = "application/vnd.in-toto+json"
	buildType     = "urn:galla:make-dist:v1"

	ourModule     = "galla"
	maxProvenance = 1 << 20 // bytes; that of 13 files and 90 modules has 30,000
)

// Statement says of files, by their sums, how and from what they were made: an in-toto
// statement with SLSA's provenance, version 1.
type Statement struct {
	Type          string     `json:"_type"`
	Subject       []Resource `json:"subject"`
	PredicateType string     `json:"predicateType"`
	Predicate     struct {
		Definition struct {
			BuildType string            `json:"buildType"`
			External  map[string]string `json:"externalParameters"`
			Internal  map[string]string `json:"internalParameters"`
			Resolved  []Resource        `json:"resolvedDependencies"`
		} `json:"buildDefinition"`
		Details struct {
			Builder struct {
				ID      string            `json:"id"`
				Version map[string]string `json:"version"`
			} `json:"builder"`
		} `json:"runDetails"`
	} `json:"predicate"`
}

// Resource is a file, a revision of the source or a module, by its sum.
type Resource struct {
	Name   string            `json:"name,omitzero"`
	URI    string            `json:"uri,omitzero"`
	Digest map[string]string `json:"digest"`
}

// Build is what a statement says of a run of dist.sh.
type Build struct {
	Version  string            // of the release
	Revision string            // of the source: a commit of git
	Modified bool              // the source was not as it is in the revision
	Builder  string            // whose machine it was, a URI
	Tools    map[string]string // versions of what compiled, by name
	Programs []string          // files of all programs that were built, and that packed them
}

// MakeStatement says of all files of a folder how they were made. The modules are read from
// the programs themselves. The same build gives the same bytes.
func MakeStatement(folder string, b Build) ([]byte, error) {
	s := Statement{Type: statementType, PredicateType: predicateType}
	var err error
	if s.Subject, err = subjects(folder); err != nil {
		return nil, err
	}
	d := &s.Predicate.Definition
	d.BuildType, d.External = buildType, map[string]string{"version": b.Version}
	d.Internal = map[string]string{"modified": fmt.Sprint(b.Modified)}
	modules, err := modulesOf(b.Programs)
	if err != nil {
		return nil, err
	}
	source := Resource{Name: "source", Digest: map[string]string{"gitCommit": b.Revision}}
	d.Resolved = append([]Resource{source}, modules...)
	s.Predicate.Details.Builder.ID, s.Predicate.Details.Builder.Version = b.Builder, b.Tools
	if err := s.check(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(s, json.Deterministic(true), jsontext.WithIndent("\t"))
	return append(text, '\n'), err
}

// check holds what a statement must have that somebody signs.
func (s *Statement) check() error {
	d := s.Predicate.Definition
	switch {
	case s.Type != statementType || s.PredicateType != predicateType || d.BuildType != buildType:
		return fmt.Errorf("it is no provenance that dist.sh makes, but %.60q of %.60q", s.PredicateType, d.BuildType)
	case len(s.Subject) == 0:
		return errors.New("it names no file")
	case d.External["version"] == "" || s.Predicate.Details.Builder.ID == "":
		return errors.New("it has no version or no builder")
	case len(s.Revision()) < 40:
		return fmt.Errorf("its source %.60q is no commit", s.Revision())
	}
	return nil
}

// Revision is the commit of the source, and Version the release's.
func (s *Statement) Revision() string {
	if r := s.Predicate.Definition.Resolved; len(r) > 0 {
		return r[0].Digest["gitCommit"]
	}
	return ""
}

// Version is the release's.
func (s *Statement) Version() string { return s.Predicate.Definition.External["version"] }

// subjects gives every file of a folder with its sum, but for those that say so.
func subjects(folder string) (all []Resource, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if slices.Contains([]string{StatementFile, EnvelopeFile, sumsFile}, e.Name()) {
			continue
		}
		sum, err := sumOf(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, Resource{Name: e.Name(), Digest: map[string]string{"sha256": sum}})
	}
	return all, nil
}

func sumOf(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	_, err = io.Copy(hash, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("read %s: %w", file, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// modulesOf gives the modules that are inside of Galla's programs, and those that other
// programs, which packed them, are.
func modulesOf(programs []string) ([]Resource, error) {
	all := map[string]Resource{}
	for _, file := range programs {
		info, err := buildinfo.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s is no program of Go: %w", file, err)
		}
		inside := info.Deps
		if info.Main.Path != ourModule {
			inside = []*debug.Module{&info.Main}
		}
		for _, m := range inside {
			sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
			if err != nil || len(sum) != sha256.Size {
				return nil, fmt.Errorf("%s has the module %s %s without its sum: build it from go.mod", file, m.Path, m.Version)
			}
			uri := "pkg:golang/" + m.Path + "@" + m.Version
			all[uri] = Resource{URI: uri, Digest: map[string]string{"dirHash": hex.EncodeToString(sum)}}
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b Resource) int { return cmp.Compare(a.URI, b.URI) }), nil
}

// Holds tells whether a file is one of the statement's, whatever it is called.
func (s *Statement) Holds(file string) error {
	sum, err := sumOf(file)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(s.Subject, func(r Resource) bool { return r.Digest["sha256"] == sum }) {
		return fmt.Errorf("%s is no file of release %s, or was changed: do not use it", file, s.Version())
	}
	return nil
}
