package gateway

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"galla/central"
	"galla/shared/op"
)

// Prefix stands before a direct route's path in its mirror's.
const Prefix = "/process"

// mirror knows every route of the table under its mirrored path: those that are
// not for vendors, or not for this door, too, for their callers are told so.
type mirror struct {
	fixed  map[string][]op.Route // by path
	shaped []shape               // those with parameters
}

// shape is a path with parameters, in its parts.
type shape struct {
	parts []string
	route op.Route
}

func newMirror(table []op.Route) mirror {
	m := mirror{fixed: map[string][]op.Route{}}
	for _, route := range table {
		path := Prefix + route.Path
		if strings.Contains(path, ":") {
			m.shaped = append(m.shaped, shape{strings.Split(path, "/"), route})
			continue
		}
		m.fixed[path] = append(m.fixed[path], route)
	}
	return m
}

// find gives the route of a method and of a path as it was signed, with the
// values of its parameters. NoMethod: the path has other methods only; NoRoute:
// there is none with it.
func (m mirror) find(method, path string) (route op.Route, params map[string]string, err error) {
	fits := m.fixed[path]
	if i := slices.IndexFunc(fits, func(r op.Route) bool { return r.Method == method }); i >= 0 {
		return fits[i], map[string]string{}, nil
	}
	known := len(fits) > 0
	parts := strings.Split(path, "/")
	for _, s := range m.shaped {
		sent, ok := s.fit(parts)
		if !ok {
			continue
		}
		if s.route.Method == method {
			return s.route, sent, nil
		}
		known = true
	}
	if known {
		return op.Route{}, nil, central.Refuse(central.NoMethod, "")
	}
	return op.Route{}, nil, central.Refuse(central.NoRoute, "")
}

// fit holds a path against a shape, and gives the parameters as they were sent.
func (s shape) fit(parts []string) (map[string]string, bool) {
	if len(parts) != len(s.parts) {
		return nil, false
	}
	sent := map[string]string{}
	for i, part := range parts {
		name, isParam := strings.CutPrefix(s.parts[i], ":")
		switch {
		case isParam && part != "":
			sent[name] = part
		case isParam, part != s.parts[i]:
			return nil, false
		}
	}
	return sent, true
}

// unescaped gives the parameters' values. What is no escaping, or hides a
// separator, names nothing.
func unescaped(sent map[string]string) (map[string]string, error) {
	for name, text := range sent {
		value, err := url.PathUnescape(text)
		if err != nil || strings.Contains(value, "/") || !utf8.ValidString(value) {
			return nil, central.Refuse(central.NotFound, "")
		}
		sent[name] = value
	}
	return sent, nil
}
