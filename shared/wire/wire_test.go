package wire

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"galla/shared/op"
)

const id = op.ID("019bd3a0-0000-7000-8000-000000000001")

// golden is one frame of each kind, as it stands on the wire.
var golden = []struct {
	frame Frame
	text  string
}{
	{Frame{T: THello, V: 1, Terminal: "t1", Version: "dev", Clock: 5, Cursor: 7, Unresolved: []op.ID{id}},
		`{"t":"hello","v":1,"terminal":"t1","version":"dev","unresolved":["019bd3a0-0000-7000-8000-000000000001"],"clock":5,"cursor":7}`},
	{Frame{T: TWelcome, Clock: 5, Window: 8, Outcomes: []Frame{OutcomeFrame(id, op.Outcome{State: op.Pending, HTTP: 200, Reply: []byte(`{}`)})}},
		`{"t":"welcome","clock":5,"window":8,"outcomes":[{"t":"outcome","id":"019bd3a0-0000-7000-8000-000000000001","state":"pending","http":200,"reply":{}}]}`},
	{Frame{T: TOp, ID: id, Route: op.Withdrawal, Body: []byte(`{"TxnAmount":5}`), NotAfter: 9, CapturedAt: 8},
		`{"t":"op","id":"019bd3a0-0000-7000-8000-000000000001","route":"POST /aeps/withdrawal","body":{"TxnAmount":5},"notAfter":9,"capturedAt":8}`},
	{Frame{T: TAccepted, ID: id}, `{"t":"accepted","id":"019bd3a0-0000-7000-8000-000000000001"}`},
	{OutcomeFrame(id, op.Outcome{State: op.Succeeded, HTTP: 200, Reply: []byte(`{"statusCode":"00"}`)}),
		`{"t":"outcome","id":"019bd3a0-0000-7000-8000-000000000001","state":"succeeded","http":200,"reply":{"statusCode":"00"}}`},
	{Frame{T: TAsk, ID: id}, `{"t":"ask","id":"019bd3a0-0000-7000-8000-000000000001"}`},
	{Frame{T: TUnseen, ID: id}, `{"t":"unseen","id":"019bd3a0-0000-7000-8000-000000000001"}`},
	{Frame{T: TEvent, Cursor: 3, Kind: EventOutcome, ID: id, State: op.Reversed, HTTP: 200, Reply: []byte(`{}`)},
		`{"t":"event","id":"019bd3a0-0000-7000-8000-000000000001","state":"reversed","http":200,"reply":{},"cursor":3,"kind":"outcome"}`},
	{Frame{T: TEvent, Cursor: 4, Kind: EventBanks}, `{"t":"event","cursor":4,"kind":"banks"}`},
	{Frame{T: TSeen, Cursor: 4}, `{"t":"seen","cursor":4}`},
}

func TestGoldenFrames(t *testing.T) {
	for _, g := range golden {
		data, err := Encode(g.frame)
		if err != nil || string(data) != g.text {
			t.Errorf("Encode(%v) = %s, %v\nwant %s", g.frame, data, err, g.text)
		}
		back, err := Decode([]byte(g.text))
		if err != nil || !reflect.DeepEqual(back, g.frame) {
			t.Errorf("Decode(%s) = %#v, %v", g.text, back, err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	tests := []struct {
		text string
		err  error
	}{
		{``, ErrSyntax}, {`[]`, ErrSyntax}, {`{"t":"seen","cursor":1}{}`, ErrSyntax},
		{`{"t":"seen","cursor":1,"cursor":2}`, ErrSyntax},
		{`{"t":"seen","cursor":"1"}`, ErrSyntax},
		{"{\"t\":\"\xff\"}", ErrSyntax},
		{`{"t":"shout"}`, ErrType}, {`{"T":"seen","cursor":1}`, ErrType},
		{`{"t":"seen"}`, ErrField}, {`{"t":"hello","v":1}`, ErrField},
		{`{"t":"ask","id":"1"}`, ErrField},
		{`{"t":"ask","id":"019BD3A0-0000-7000-8000-000000000001"}`, ErrField},
		{`{"t":"op","id":"019bd3a0-0000-7000-8000-000000000001","route":"x"}`, ErrField},
		{`{"t":"outcome","id":"019bd3a0-0000-7000-8000-000000000001","state":"failed","http":99,"reply":{}}`, ErrField},
		{`{"t":"event","cursor":1,"kind":"outcome"}`, ErrField},
		{`{"t":"welcome","clock":1,"window":1,"outcomes":[{"t":"ask","id":"019bd3a0-0000-7000-8000-000000000001"}]}`, ErrField},
		{`{"t":"seen","pad":"` + strings.Repeat("x", MaxFrame) + `","cursor":1}`, ErrSyntax},
	}
	for _, tt := range tests {
		if _, err := Decode([]byte(tt.text)); !errors.Is(err, tt.err) {
			t.Errorf("Decode(%.80s) = %v, want %v", tt.text, err, tt.err)
		}
	}
}

func TestFramesDoNotPrintBodies(t *testing.T) {
	f := Frame{T: TOp, ID: id, Body: []byte(`{"PidData":"CANARY"}`)}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if s := fmt.Sprintf(verb, f); strings.Contains(s, "CANARY") {
			t.Errorf("%s prints the body: %s", verb, s)
		}
	}
	if _, err := Encode(Frame{T: TOp, Body: []byte(`CANARY`)}); err == nil || strings.Contains(err.Error(), "CANARY") {
		t.Errorf("error = %v, want one that does not quote the body", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, g := range golden {
		f.Add([]byte(g.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		frame, err := Decode(data)
		if err != nil {
			return
		}
		text, err := Encode(frame)
		if err != nil {
			t.Fatalf("decoded but does not encode: %v", err)
		}
		again, err := Decode(text)
		if err != nil {
			t.Fatalf("own encoding does not decode: %v", err)
		}
		if once, _ := Encode(again); string(once) != string(text) {
			t.Fatalf("%s and %s differ", once, text)
		}
	})
}
