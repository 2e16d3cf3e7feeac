package openapitest

import (
	"fmt"
	"regexp"
)

// componentRef is a reference to a component, in JSON.
var componentRef = regexp.MustCompile(`"\$ref":"#/components/([^/"]+)/([^"]+)"`)

// pruneComponents removes components that nothing refers to, starting from top:
// tools warn about unused components. Security schemes are named in another way,
// and stay.
func pruneComponents(top object, components object) (object, error) {
	met := map[string]bool{}
	var follow func(any) error
	follow = func(v any) error {
		text, err := write(v)
		if err != nil {
			return fmt.Errorf("look for references: %w", err)
		}
		for _, m := range componentRef.FindAllSubmatch(text, -1) {
			kind, name := string(m[1]), string(m[2])
			if met[kind+"/"+name] {
				continue
			}
			met[kind+"/"+name] = true
			for _, c := range membersOf(components, kind) {
				if c.name == name {
					if err := follow(c.value); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}
	if err := follow(top); err != nil {
		return nil, err
	}
	var out object
	for _, kind := range components {
		if kind.name == "securitySchemes" {
			out = append(out, kind)
			continue
		}
		var left object
		for _, c := range membersOf(components, kind.name) {
			if met[kind.name+"/"+c.name] {
				left = append(left, c)
			}
		}
		out = out.with(kind.name, left)
	}
	return out, nil
}

// membersOf lists the components of a kind.
func membersOf(components object, kind string) object {
	for _, m := range components {
		if m.name != kind {
			continue
		}
		switch list := m.value.(type) {
		case object:
			return list
		case ordered[*schema]:
			out := make(object, 0, len(list))
			for _, s := range list {
				out = out.with(s.name, s.value)
			}
			return out
		}
	}
	return nil
}
