package compat

import (
	"encoding/json"
	"fmt"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"
)

// Result is the difference between two documents.
type Result struct {
	// Breaking says in words what a program of the older document may trip over.
	Breaking []string
	// Changed is true if anything that programs can notice differs.
	Changed bool
	// Older and Newer are the versions that the documents state.
	Older, Newer string
}

// Compare compares two OpenAPI documents. Its errors are documents that can't be read.
func Compare(older, newer []byte) (Result, error) {
	a, err := read("the released document", older)
	if err != nil {
		return Result{}, err
	}
	b, err := read("the present document", newer)
	if err != nil {
		return Result{}, err
	}
	config := diff.NewConfig()
	for _, words := range []string{diff.ExcludeExamplesOption, diff.ExcludeDescriptionOption, diff.ExcludeTitleOption, diff.ExcludeSummaryOption, diff.ExcludeExtensionsOption} {
		config.ExcludeElements.Add(words)
	}
	report, sources, err := diff.GetWithOperationsSourcesMap(config, a, b)
	if err != nil {
		return Result{}, fmt.Errorf("compare the documents: %w", err)
	}
	result := Result{Older: a.GetVersion(), Newer: b.GetVersion()}
	if report != nil {
		report.InfoDiff = nil // the version itself
		result.Changed = !report.Empty()
	}
	// A request field that is gone is only a warning there. Programs that send it count
	// on it.
	for _, change := range checker.CheckBackwardCompatibilityUntilLevel(checker.NewConfig(checker.GetAllChecks()), report, sources, checker.WARN) {
		result.Breaking = append(result.Breaking, fmt.Sprintf("%s %s: %s", change.GetOperation(), change.GetPath(), change.GetUncolorizedText(checker.NewDefaultLocalizer())))
	}
	return result, nil
}

// read reads a document. Shapes without a name get one by their place: oasdiff compares
// those of the same name, and takes others that differ for new ones.
func read(name string, text []byte) (*load.SpecInfo, error) {
	var whole any
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	nameShapes(whole)
	named, err := json.Marshal(whole)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	info, err := load.NewSpecInfoFromData(openapi3.NewLoader(), named, name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return info, nil
}

// nameShapes gives each inline alternative of a schema a title.
func nameShapes(v any) {
	switch v := v.(type) {
	case map[string]any:
		if shapes, ok := v["anyOf"].([]any); ok {
			for i, shape := range shapes {
				if s, ok := shape.(map[string]any); ok && s["$ref"] == nil {
					s["title"] = fmt.Sprintf("shape %d", i+1)
				}
			}
		}
		for _, inner := range v {
			nameShapes(inner)
		}
	case []any:
		for _, inner := range v {
			nameShapes(inner)
		}
	}
}
