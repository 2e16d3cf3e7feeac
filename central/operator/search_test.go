package operator_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"galla/central"
	"galla/central/operator"
)

// network answers every request with the same.
type network struct {
	central.Bank
	answer central.BankAnswer
	err    error
}

func (n network) Send(context.Context, central.BankRequest) (central.BankAnswer, error) {
	return n.answer, n.err
}

func (n network) Consult(context.Context, central.BankRequest) (central.BankAnswer, error) {
	return n.answer, n.err
}

// noted keeps what was noted.
type noted struct {
	hash   [32]byte
	sender string
	err    error
}

func (n *noted) NoteMobile(_ context.Context, hash [32]byte, sender string, _ time.Time) error {
	n.hash, n.sender = hash, sender
	return n.err
}

// TestNoting: what the network says of a mobile number's remitter is noted by a
// keyed hash; nothing else is, and nothing is stopped by it.
func TestNoting(t *testing.T) {
	key := operator.NewMobileKey(masterKey(3))
	approved := func(data string) central.BankAnswer {
		return central.BankAnswer{Status: central.BankApproved, Data: []byte(data)}
	}
	of := func(kind central.Kind, mobile string) central.BankRequest {
		return central.BankRequest{Kind: kind, Particulars: central.Particulars{Mobile: mobile}}
	}
	for name, c := range map[string]struct {
		request central.BankRequest
		answer  central.BankAnswer
		err     error
		want    string
	}{
		"registered":     {of(central.KindRemitterRegister, "9876543210"), approved(`{"senderid":"s-1","registrationFeeCharged":0}`), nil, "s-1"},
		"looked up":      {of(central.KindRemitterDetails, "9876543210"), approved(`{"senderId":"s-2","status":true}`), nil, "s-2"},
		"declined":       {of(central.KindRemitterDetails, "9876543210"), central.BankAnswer{Status: central.BankDeclined, Data: []byte(`{"senderid":"s"}`)}, nil, ""},
		"no answer":      {of(central.KindRemitterDetails, "9876543210"), approved(`{"senderid":"s"}`), errors.New("cut"), ""},
		"by the sender":  {of(central.KindRemitterRegister, ""), approved(`{"senderid":"s"}`), nil, ""},
		"another kind":   {of(central.KindCustomerDetail, "9876543210"), approved(`{"senderid":"s"}`), nil, ""},
		"no JSON":        {of(central.KindRemitterDetails, "9876543210"), approved(`senderid`), nil, ""},
		"nobody in it":   {of(central.KindRemitterDetails, "9876543210"), approved(`{}`), nil, ""},
		"a list instead": {of(central.KindRemitterDetails, "9876543210"), approved(`{"senderid":["s"]}`), nil, ""},
	} {
		for way, ask := range map[string]func(central.Bank) (central.BankAnswer, error){
			"sent":      func(b central.Bank) (central.BankAnswer, error) { return b.Send(t.Context(), c.request) },
			"consulted": func(b central.Bank) (central.BankAnswer, error) { return b.Consult(t.Context(), c.request) },
		} {
			n := &noted{err: errors.New("the database is full")}
			b, err := operator.NewNoting(network{answer: c.answer, err: c.err}, n, key, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			a, err := ask(b)
			if a.Status != c.answer.Status || !errors.Is(err, c.err) {
				t.Errorf("%s, %s: the answer is %v, %v", name, way, a, err)
			}
			if n.sender != c.want || c.want != "" && n.hash != key.Hash("9876543210") {
				t.Errorf("%s, %s: noted %q", name, way, n.sender)
			}
		}
	}
	if key.Hash("9876543210") == operator.NewMobileKey(masterKey(4)).Hash("9876543210") {
		t.Error("the hash has no key")
	}
	if _, err := operator.NewNoting(nil, &noted{}, key, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("made without a network")
	}
}
