package contract

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/gorilla/websocket"

	"galla/shared/op"
	"galla/shared/wire"
)

// uplinkEntrance is the door of terminals.
type uplinkEntrance struct {
	m         *matrix
	terminals map[string]*terminal // by whose they are
}

// terminal is an enrolled terminal with an open connection. It speaks in frames: a
// counter's program would refuse by itself what the central has to refuse.
type terminal struct {
	id     string
	key    ed25519.PrivateKey
	conn   *websocket.Conn
	frames chan wire.Frame // that the central sent; closed when the connection has ended
}

func (m *matrix) newUplink(t *testing.T) uplinkEntrance {
	t.Helper()
	u := uplinkEntrance{m, map[string]*terminal{}}
	for _, merchant := range []string{m1, m2, m3} {
		u.terminals[merchant] = m.enrolTerminal(t, merchant)
	}
	m.noConnection(t, u.terminals[m1])
	for _, x := range u.terminals {
		m.connect(t, x)
		if welcome := x.hello(t); len(welcome.Outcomes) != 0 {
			t.Errorf("a new terminal is told of %d operations", len(welcome.Outcomes))
		}
	}
	return u
}

func (m *matrix) enrolTerminal(t *testing.T, merchant string) *terminal {
	t.Helper()
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	code := m.call(t, merchant, "POST", "/terminals", fields{}).is(201, "00").data()["code"]
	made := m.send(t, "POST", "/terminals/enrol", jsonOf(t, fields{"code": code, "publicKey": base64.StdEncoding.EncodeToString(public), "name": "Matrix"})).is(201, "00").data()
	return &terminal{id: text(t, made, "terminalId"), key: key}
}

// token signs a terminal's token with a key.
func (x *terminal) token(t *testing.T, key ed25519.PrivateKey) string {
	t.Helper()
	now := time.Now()
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, jwt.RegisteredClaims{
		Audience: jwt.ClaimStrings{"galla-uplink"}, ID: uuid.NewString(), IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(time.Minute)),
	})
	token.Header["kid"] = x.id
	signed, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// connect opens a terminal's connection. It is read until it ends, also while nothing is
// asked: the central's pings are answered by that.
func (m *matrix) connect(t *testing.T, x *terminal) {
	t.Helper()
	conn, _, err := websocket.DefaultDialer.Dial(m.uplinkURL(), http.Header{"Authorization": {"Bearer " + x.token(t, x.key)}})
	if err != nil {
		t.Fatal(err)
	}
	frames, ended := make(chan wire.Frame, 10_000), make(chan struct{})
	go func() {
		defer close(ended)
		defer close(frames)
		for {
			_, data, err := conn.ReadMessage()
			if err != nil {
				return
			}
			f, err := wire.Decode(data)
			if err != nil {
				t.Errorf("the central sent what is no frame: %v", err)
				return
			}
			frames <- f
		}
	}()
	t.Cleanup(func() { _ = conn.Close(); <-ended })
	x.conn, x.frames = conn, frames
}

func (m *matrix) uplinkURL() string { return "ws://" + m.cfg.UplinkAddr + "/uplink" }

// noConnection: nobody connects without a token, in another terminal's name, or with a
// program's token.
func (m *matrix) noConnection(t *testing.T, x *terminal) {
	t.Helper()
	_, stranger, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, token := range map[string]string{
		"no token": "", "a forged token": forged, "another's key": x.token(t, stranger),
		"a merchant's token": m.token(t, m1), "a vendor's token": m.token(t, v1),
	} {
		m.count(uplinkDoor, refused)
		header := http.Header{}
		if token != "" {
			header.Set("Authorization", "Bearer "+token)
		}
		conn, resp, err := websocket.DefaultDialer.Dial(m.uplinkURL(), header)
		if err == nil {
			_ = conn.Close()
			t.Errorf("%s opens the uplink", name)
		} else if resp == nil || resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s at the uplink: %v, %+v", name, err, resp)
		}
	}
}

// exchange sends a frame and reads until the frame that answers it: the welcome, or what
// becomes of an operation.
func (x *terminal) exchange(t *testing.T, f wire.Frame, id op.ID) wire.Frame {
	t.Helper()
	data, err := wire.Encode(f)
	if err == nil {
		err = x.conn.WriteMessage(websocket.TextMessage, data)
	}
	if err != nil {
		t.Fatal(err)
	}
	late := time.After(time.Minute)
	for {
		select {
		case reply, open := <-x.frames:
			if !open {
				t.Fatalf("%v: the connection ended", f)
			}
			if reply.T == wire.TWelcome || reply.ID == id && (reply.T == wire.TUnseen || reply.T == wire.TOutcome && reply.State != op.Pending) {
				return reply
			}
		case <-late:
			t.Fatalf("%v: no answer within a minute", f)
		}
	}
}

// hello greets, naming operations.
func (x *terminal) hello(t *testing.T, unresolved ...string) wire.Frame {
	t.Helper()
	f := wire.Frame{T: wire.THello, V: wire.Version, Terminal: x.id, Version: "matrix", Clock: time.Now().UnixMilli()}
	for _, id := range unresolved {
		f.Unresolved = append(f.Unresolved, op.ID(id))
	}
	return x.exchange(t, f, "")
}

func (uplinkEntrance) flag() op.Entrance { return op.Uplink }

func (uplinkEntrance) callers() []caller {
	return []caller{
		{"merchant one's terminal", m1, op.Merchant, partyOne}, {"its sibling's terminal", m2, op.Merchant, sibling}, {"another merchant's terminal", m3, op.Merchant, partyTwo},
	}
}

func (u uplinkEntrance) ask(t *testing.T, who caller, r op.Route, params map[string]string, f fields) answer {
	t.Helper()
	id := op.ID(newIdentity())
	if named, ok := f[identity].(string); ok {
		id = op.ID(named)
	}
	body := with(f, fields{identity: nil})
	for name, value := range params {
		body[strings.TrimPrefix(name, ":")] = value
	}
	reply := u.terminals[who.client].exchange(t, wire.Frame{T: wire.TOp, ID: id, Route: r.ID, Body: jsonOf(t, body), NotAfter: time.Now().Add(time.Minute).UnixMilli(), CapturedAt: time.Now().UnixMilli()}, id)
	a := answer{t: t, asked: "uplink " + string(r.ID), http: reply.HTTP, header: http.Header{}, raw: reply.Reply}
	a.read()
	return a
}

func (uplinkEntrance) refuses(t *testing.T, who caller, r op.Route, a answer) {
	t.Helper()
	if a.http != 404 || a.body["statusCode"] != "04" {
		t.Errorf("%s over the uplink as %s: HTTP %d %s", r.ID, who.name, a.http, a.raw)
	}
	a.bare()
}
