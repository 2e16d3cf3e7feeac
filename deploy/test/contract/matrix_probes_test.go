package contract

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"galla/shared/op"
	"galla/shared/wire"
)

// may tells whether a caller is let in to a route at a door.
func may(at entrance, who caller, r op.Route) bool {
	return r.Entrances&at.flag() != 0 && (len(r.Roles) == 0 || r.Allows(who.role))
}

// unlike gives an identifier of the same form that nobody has.
func unlike(id string) string {
	b := []byte(id)
	for i, changed := len(b)-1, 0; i >= 0 && changed < 6; i-- {
		switch {
		case b[i] == '-':
			continue
		case b[i] >= '0' && b[i] <= '9':
			b[i] = '9'
		default:
			b[i] = 'f'
		}
		changed++
	}
	return string(b)
}

// refuseRoles asks each route as each caller that may not, with party one's records.
func (m *matrix) refuseRoles(t *testing.T) {
	t.Helper()
	for _, at := range tableDoors {
		d := m.doors[at]
		for _, r := range op.Table() {
			for _, who := range d.callers() {
				if may(d, who, r) {
					continue
				}
				m.count(at, refused)
				params := map[string]string{}
				for _, name := range pathParam.FindAllString(r.Path, -1) {
					params[name] = map[string]string{":vendorId": vendor1, ":merchantId": merchant1, ":clientId": v1}[name]
					for _, row := range m.rows {
						if row.route == r.ID && row.params[name] != "" {
							params[name] = row.params[name]
						}
					}
				}
				d.refuses(t, who, r, d.ask(t, who, r, params, fields{"merchantId": merchant1}))
			}
		}
	}
}

// admitRoles asks each route as each caller that may, for its own: it is let in, and is
// shown nothing of party one unless it belongs to it.
func (m *matrix) admitRoles(t *testing.T) {
	t.Helper()
	for _, at := range tableDoors {
		d := m.doors[at]
		for _, r := range op.Table() {
			for _, who := range d.callers() {
				if !may(d, who, r) {
					continue
				}
				m.count(at, allowed)
				params := map[string]string{}
				for _, name := range pathParam.FindAllString(r.Path, -1) {
					params[name] = ownParam(who, name, unlike(vendor1))
				}
				f := fields{"merchantId": who.of.merchant}
				a := d.ask(t, who, r, params, f)
				if a.http == 403 || a.http == 401 && len(r.Roles) > 0 || a.http >= 500 {
					t.Errorf("%s: %s as %s: HTTP %d %s", at, r.ID, who.name, a.http, a.raw)
				}
				if leak := m.leaks(a.raw); leak != "" && who.of != partyOne && who.client != v1 {
					t.Errorf("%s: %s as %s shows %q: %s", at, r.ID, who.name, leak, a.raw)
				}
			}
		}
	}
}

// ownParam is a caller's own value of a path parameter.
func ownParam(who caller, name, other string) string {
	switch name {
	case ":vendorId":
		return who.of.vendor
	case ":merchantId":
		return who.of.merchant
	case ":clientId":
		return who.client
	}
	return other
}

// request is the request of a row as a caller makes it: with a value for the row's
// parameter, and the caller's own for those that say who it is.
func (m *matrix) request(row idRow, who caller, value string) (map[string]string, fields) {
	params, body := map[string]string{}, with(row.body, nil)
	for name, theirs := range row.params {
		params[name] = theirs
		if name != row.name {
			params[name] = ownParam(who, name, theirs)
		}
	}
	if who.role == op.Vendor && m.acting[row.route] {
		body["merchantId"] = who.of.merchant
	}
	if strings.HasPrefix(row.name, ":") {
		params[row.name] = value
	} else {
		body[row.name] = value
	}
	return params, body
}

// refuseForeign names each identifier of party one as each caller that may call the route
// and does not own it, and another that nobody has. Both are answered alike.
func (m *matrix) refuseForeign(t *testing.T) {
	t.Helper()
	for _, row := range m.rows {
		r, _ := op.Find(row.route)
		for _, at := range tableDoors {
			d := m.doors[at]
			for _, who := range d.callers() {
				if !may(d, who, r) || row.owns(who) {
					continue
				}
				m.count(at, foreign)
				if row.name == "merchantId" && who.role == op.Merchant {
					m.ownWins(t, d, who, r, row)
					continue
				}
				m.answersAlike(t, d, who, r, row)
			}
		}
	}
	m.foreignFrames(t)
}

func (m *matrix) answersAlike(t *testing.T, d entrance, who caller, r op.Route, row idRow) {
	t.Helper()
	ask := func(value string) answer {
		params, body := m.request(row, who, value)
		return d.ask(t, who, r, params, body)
	}
	theirs, none := ask(row.value), ask(unlike(row.value))
	what := fmt.Sprintf("%s: another's %s as %s", r.ID, row.name, who.name)
	switch ok := map[verdict]bool{
		absentRecord: theirs.http == 404 && (theirs.body["statusCode"] == "01" || theirs.body["statusCode"] == "04") && theirs.body["data"] == nil,
		wrongPage:    theirs.http == 400 && theirs.body["statusCode"] == "02",
		emptyList:    theirs.http == 200 && fmt.Sprint(theirs.body["data"]) == "[]",
		notAdded:     theirs.http == 422 && theirs.body["statusCode"] == "05" && theirs.body["data"] == nil,
	}[row.is]; {
	case !ok:
		t.Errorf("%s: HTTP %d %s", what, theirs.http, theirs.raw)
	case row.is == notAdded:
	case theirs.http != none.http || !bytes.Equal(theirs.raw, none.raw):
		t.Errorf("%s: HTTP %d %s\nand one that nobody has: HTTP %d %s", what, theirs.http, theirs.raw, none.http, none.raw)
	}
	if leak := m.leaks(theirs.raw); leak != "" {
		t.Errorf("%s shows %q: %s", what, leak, theirs.raw)
	}
}

// ownWins: whatever merchant a merchant's request names, it is for the caller's own.
func (m *matrix) ownWins(t *testing.T, d entrance, who caller, r op.Route, row idRow) {
	t.Helper()
	ask := func(f fields) answer {
		params := map[string]string{}
		for _, name := range pathParam.FindAllString(r.Path, -1) {
			params[name] = unlike(vendor1)
		}
		return d.ask(t, who, r, params, f)
	}
	own, theirs := ask(fields{}), ask(fields{"merchantId": row.value})
	if own.http != theirs.http || own.body["statusCode"] != theirs.body["statusCode"] {
		t.Errorf("%s as %s: HTTP %d %s, and naming another's merchant HTTP %d %s", r.ID, who.name, own.http, own.raw, theirs.http, theirs.raw)
	}
	if leak := m.leaks(theirs.raw); leak != "" {
		t.Errorf("%s as %s, naming another's merchant, shows %q: %s", r.ID, who.name, leak, theirs.raw)
	}
}

// foreignFrames: a terminal that asks for the operation of another is told that it was
// never seen, and a hello that names it gets no outcome.
func (m *matrix) foreignFrames(t *testing.T) {
	t.Helper()
	for _, merchant := range []string{m2, m3} {
		x := m.enrolTerminal(t, merchant)
		m.connect(t, x)
		m.count(uplinkDoor, foreign)
		if welcome := x.hello(t, m.operation, m.late); len(welcome.Outcomes) != 0 {
			t.Errorf("a terminal of %s is told the outcome of another's operation: %s", merchant, welcome.Outcomes[0].Reply)
		}
		for _, id := range []string{m.operation, m.late} {
			m.count(uplinkDoor, foreign)
			if reply := x.exchange(t, wire.Frame{T: wire.TAsk, ID: op.ID(id)}, op.ID(id)); reply.T != wire.TUnseen {
				t.Errorf("a terminal of %s asks for another's operation: %s, HTTP %d %s", merchant, reply.T, reply.HTTP, reply.Reply)
			}
		}
	}
}

// refuseNames sends what party one sent, under the same name: each caller's names are its
// own, so that nobody gets the reply to another's request.
func (m *matrix) refuseNames(t *testing.T) {
	t.Helper()
	for _, row := range m.names {
		r, _ := op.Find(row.route)
		for _, at := range tableDoors {
			d := m.doors[at]
			for _, who := range d.callers() {
				if !may(d, who, r) || who.of == partyOne || who.client == v1 {
					continue // vendor one's own calls change rows of vendor one
				}
				m.count(at, foreign)
				body := with(row.body, nil)
				if who.role == op.Vendor {
					body["merchantId"] = who.of.merchant
				}
				a := d.ask(t, who, r, nil, body)
				if a.http == 409 || a.http >= 500 || m.leaks(a.raw) != "" || bytes.Equal(a.raw, row.reply) {
					t.Errorf("%s: another's %s as %s: HTTP %d %s shows %q", r.ID, row.name, who.name, a.http, a.raw, m.leaks(a.raw))
				}
			}
		}
	}
}

// admitOwners makes the request of each row as its owner: the answer is not that of the
// others, so that the rows above were refused for whose they are.
func (m *matrix) admitOwners(t *testing.T) {
	t.Helper()
	asked := map[string]bool{}
	for _, row := range m.rows {
		r, _ := op.Find(row.route)
		at := directDoor
		if r.Entrances&op.Direct == 0 {
			at = uplinkDoor
		}
		params, body := m.request(row, row.owner, row.value)
		request := fmt.Sprint(r.ID, params, body)
		if asked[request] {
			continue // the same request names more than one record
		}
		asked[request] = true
		m.count(at, allowed)
		a := m.doors[at].ask(t, row.owner, r, params, body)
		empty := row.is == emptyList && fmt.Sprint(a.body["data"]) == "[]"
		if a.http == 404 || a.http == 403 || a.http == 401 || a.http >= 500 || empty || row.is != absentRecord && a.http != 200 {
			t.Errorf("%s: %s, whose %s it is: HTTP %d %s", r.ID, row.owner.name, row.name, a.http, a.raw)
		}
	}
	for _, row := range m.names {
		r, _ := op.Find(row.route)
		m.count(directDoor, allowed)
		a := m.doors[directDoor].ask(t, callerM1, r, nil, row.body)
		if !bytes.Equal(a.raw, row.reply) {
			t.Errorf("%s by its own %s again: HTTP %d %s, and at first %s", r.ID, row.name, a.http, a.raw, row.reply)
		}
	}
	x := m.doors[uplinkDoor].(uplinkEntrance).terminals[m1]
	m.connect(t, x)
	m.count(uplinkDoor, allowed)
	if welcome := x.hello(t, m.operation); len(welcome.Outcomes) != 1 {
		t.Errorf("a terminal is told the outcome of %d of its operations, want 1", len(welcome.Outcomes))
	}
}
