package gateway

import (
	"slices"
	"strings"

	"galla/central"
	"galla/central/api/field"
	"galla/shared/op"
)

// Prefix begins the gateway's path of a direct route.
const Prefix = "/process"

// routeTable has every route of the table under its gateway path, also those that
// are not for vendors or not for the gateway: they get 403.
type routeTable struct {
	fixed    map[string][]op.Route // by path
	patterns []pattern             // paths with parameters
}

// pattern is a path with parameters, in segments.
type pattern struct {
	parts []string
	route op.Route
}

func newRouteTable(table []op.Route) routeTable {
	m := routeTable{fixed: map[string][]op.Route{}}
	for _, route := range table {
		path := Prefix + route.Path
		if strings.Contains(path, ":") {
			m.patterns = append(m.patterns, pattern{strings.Split(path, "/"), route})
			continue
		}
		m.fixed[path] = append(m.fixed[path], route)
	}
	return m
}

// find returns the route of a method and a path as it was signed, with the values of
// its parameters. NoMethod: the path has other methods only; NoRoute: no such path.
func (t routeTable) find(method, path string) (route op.Route, params map[string]string, err error) {
	fits := t.fixed[path]
	if i := slices.IndexFunc(fits, func(r op.Route) bool { return r.Method == method }); i >= 0 {
		return fits[i], nil, nil
	}
	known := len(fits) > 0
	parts := strings.Split(path, "/")
	for _, s := range t.patterns {
		sent, ok := s.match(parts)
		if !ok {
			continue
		}
		if s.route.Method == method {
			return s.route, sent, nil
		}
		known = true
	}
	if known {
		return op.Route{}, nil, central.NewError(central.NoMethod, "")
	}
	return op.Route{}, nil, central.NewError(central.NoRoute, "")
}

// match compares a path with the pattern, and returns the parameters as sent.
func (p pattern) match(parts []string) (map[string]string, bool) {
	if len(parts) != len(p.parts) {
		return nil, false
	}
	sent := map[string]string{}
	for i, part := range parts {
		name, isParam := strings.CutPrefix(p.parts[i], ":")
		switch {
		case isParam && part != "":
			sent[name] = part
		case isParam, part != p.parts[i]:
			return nil, false
		}
	}
	return sent, true
}

// unescapeParams returns the parameters' values.
func unescapeParams(sent map[string]string) (map[string]string, error) {
	for name, text := range sent {
		value, err := field.PathValue(text)
		if err != nil {
			return nil, err
		}
		sent[name] = value
	}
	return sent, nil
}
