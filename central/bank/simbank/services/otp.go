package services

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"galla/shared/secret"
)

// The rules of OTPs (sandbox.md). They are not scaled.
const (
	otpLife  = 3 * time.Minute
	otpTries = 3
)

// Limits of what is kept in memory.
const (
	// maxOTPs bounds the OTPs that wait: far more than all counters ask for
	// within their three minutes.
	maxOTPs = 10_000
	// maxTexts bounds the texts with OTPs; older ones are dropped.
	maxTexts = 2_000
	// maxListed bounds what an inbox shows, as the books' does.
	maxListed = 100
	// maxDraws bounds the attempts at a number that is evenly distributed; one
	// in ten thousand fails once.
	maxDraws = 16
)

// errManyOTPs says that as many OTPs wait as may.
var errManyOTPs = errors.New("too many OTPs wait to be used")

// purpose is what an OTP is bound to; two that are alike are one purpose.
type purpose string

// purposeOf names a purpose by a word and what it is for. No part holds a line
// feed: ids, MIDs, digits and codes.
func purposeOf(word string, parts ...string) purpose {
	return purpose(word + "\n" + strings.Join(parts, "\n"))
}

// otp is one that waits to be used.
type otp struct {
	request string // otpreqid
	value   secret.OTP
	ends    time.Time
	tries   int
}

// text is a message that begins with an OTP.
type text struct {
	mobile string
	at     time.Time
	otp    secret.OTP
	rest   string
}

// otps are the OTPs and their texts.
type otps struct {
	random func([]byte) error

	mu    sync.Mutex
	live  map[purpose]*otp
	texts []text // oldest first
}

func newOTPs(random func([]byte) error) *otps {
	return &otps{random: random, live: map[purpose]*otp{}}
}

// send makes an OTP for a purpose, in place of an earlier one, and puts a text
// into the inbox of a mobile number, which begins with it. request names it.
func (o *otps) send(p purpose, request, mobile, rest string, now time.Time) error {
	value, err := o.draw()
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.live) >= maxOTPs {
		maps.DeleteFunc(o.live, func(_ purpose, x *otp) bool { return !now.Before(x.ends) })
	}
	if o.live[p] == nil && len(o.live) >= maxOTPs {
		return errManyOTPs
	}
	o.live[p] = &otp{request: request, value: value, ends: now.Add(otpLife)}
	if len(o.texts) >= maxTexts {
		o.texts = slices.Delete(o.texts, 0, len(o.texts)-maxTexts+1)
	}
	o.texts = append(o.texts, text{mobile: mobile, at: time.UnixMilli(now.UnixMilli()), otp: value, rest: rest})
	return nil
}

// use takes the OTP of a purpose, if it is the given one. A wrong one costs a
// try. Where OTPs are named by their request, another's name costs none: it
// says nothing about this one. Callers hold the writer of the books, so that
// what an OTP permits and its use are one.
func (o *otps) use(p purpose, request string, given secret.OTP, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	x := o.live[p]
	if x == nil || x.request != request || !now.Before(x.ends) {
		return false
	}
	right := x.value.Equal(given)
	if x.tries++; right || x.tries >= otpTries {
		delete(o.live, p)
	}
	return right
}

// draw gives six digits, each number as likely as any other.
func (o *otps) draw() (secret.OTP, error) {
	const all = 1_000_000
	const even = 1<<32 - 1<<32%all // numbers from here on would favour the small ones
	for range maxDraws {
		var raw [4]byte
		if err := o.random(raw[:]); err != nil {
			return secret.OTP{}, fmt.Errorf("draw an OTP: %w", err)
		}
		if n := binary.BigEndian.Uint32(raw[:]); n < even {
			return secret.NewOTP(fmt.Sprintf("%06d", n%all)), nil
		}
	}
	return secret.OTP{}, errors.New("draw an OTP: the source of randomness gives no random numbers")
}

// Message is a text that the bank sent to a telephone. OTP is empty where it
// carries none.
type Message struct {
	At   time.Time
	Text string
	OTP  string
}

// Inbox lists the newest texts sent to a mobile number, newest first, at most
// 100. Those with an OTP do not survive a restart, the others do.
func (s *Services) Inbox(ctx context.Context, mobile string) ([]Message, error) {
	kept, err := s.books.Inbox(ctx, mobile)
	if err != nil {
		return nil, err
	}
	out := []Message{}
	for _, m := range kept { // first: of one millisecond, what an OTP permitted came after it
		out = append(out, Message{At: m.At, Text: m.Text})
	}
	out = append(out, s.otps.inbox(mobile)...)
	slices.SortStableFunc(out, func(a, b Message) int { return b.At.Compare(a.At) })
	return out[:min(len(out), maxListed)], nil
}

// inbox lists the texts with OTPs, newest first.
func (o *otps) inbox(mobile string) []Message {
	o.mu.Lock()
	defer o.mu.Unlock()
	out := []Message{}
	for _, t := range slices.Backward(o.texts) {
		if t.mobile == mobile {
			code := t.otp.Reveal()
			out = append(out, Message{At: t.at, Text: code + t.rest, OTP: code})
		}
	}
	return out
}
