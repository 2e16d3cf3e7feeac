package rdservice

import (
	"errors"
	"slices"
	"strconv"
	"time"
)

// Action is what the agent's program should do next.
type Action string

// The actions (sandbox.md, `galla-edge capture`).
const (
	Accept        Action = "accept"         // go on with this capture
	RetryCustomer Action = "retry-customer" // ask the customer for the finger again
	RetryDevice   Action = "retry-device"   // look at the reader, then try again
	FixRequest    Action = "fix-request"    // our request was wrong: a fault of this program
	CallSupport   Action = "call-support"   // nobody at the counter can mend it
)

// Sentence is a short text for the agent. Key names it for translation; Text is
// the English one.
type Sentence struct {
	Key  string
	Text string
}

// Quality rules of the field, for fingerprints (rdservice.md, 'Protocol').
const (
	RefusedBelow = 25 // qScore under which a capture is refused
	AdviseBelow  = 45 // qScore under which another try is asked for
	GoodMinutiae = 35 // nmPoints from which a capture is good without a qScore
)

// rule is a row of the table of codes.
type rule struct {
	family Family // empty: every family for which there is no own row
	code   string
	action Action
	text   string
}

// codeRules is the table of errCodes. The face family reuses the numbers with
// other meanings (UIDAI, 'Consolidated Error Code List'); of it only codes that
// are published stand here, and nothing is inherited.
func codeRules() []rule {
	return []rule{
		{"", "100", FixRequest, "The reader refused the request (PidOptions)."},
		{"", "110", FixRequest, "The reader refused the kind of fingerprint asked for (fType)."},
		{"", "120", FixRequest, "The reader refused the number of fingers asked for (fCount)."},
		{"", "130", FixRequest, "The reader refused the kind of iris asked for (iType)."},
		{"", "140", FixRequest, "The reader refused the number of irises asked for (iCount)."},
		{"", "150", FixRequest, "The reader does not know this PID version (pidVer)."},
		{"", "160", FixRequest, "The reader refused the time limit asked for (timeout)."},
		{"", "170", FixRequest, "The reader refused the finger position asked for (posh)."},
		{"", "180", FixRequest, "This reader cannot capture a face."},
		{"", "190", FixRequest, "The reader refused the format asked for."},
		{"", "200", FixRequest, "The reader refused the demographic part of the request."},
		{"", "210", FixRequest, "This reader does not know the protobuf format."},
		{"", "220", FixRequest, "The reader refused the environment asked for (env)."},
		{"", "700", RetryCustomer, "No finger was placed in time. Ask the customer to place the finger again."},
		{"", "710", RetryDevice, "Another program is using the reader. Close it and try again."},
		{"", "720", RetryDevice, "The reader is not ready. Check its cable, wait a moment and try again."},
		{"", "730", RetryCustomer, "The finger could not be read. Clean the finger and the glass, and try again."},
		{"", "740", RetryDevice, "The reader must start again. Unplug it, plug it in, wait and try again."},
		{"", "750", FixRequest, "This reader cannot read fingerprints."},
		{"", "760", FixRequest, "This reader cannot read an iris."},
		{"", "770", FixRequest, "The reader's service does not know the address that was called."},
		{"", "900", CallSupport, "The reader is locked to another application. Call support."},
		{"", "999", CallSupport, "The reader's service has an internal fault. Check internet and clock, then call support."},
		{"", "-1307", RetryDevice, "The reader is not connected. Plug it in and try again."},
		{"", startingCode, RetryDevice, "The reader's service is still starting. Wait half a minute and try again."},
		{Iris, "700", RetryCustomer, "No eye was seen in time. Ask the customer to look into the reader again."},
		{Iris, "730", RetryCustomer, "The iris could not be read. Ask the customer to open the eyes wide and hold still, and try again."},
		{Face, "001", RetryCustomer, "The face did not match. Ask the customer to look at the camera again."},
		{Face, "100", FixRequest, "The face service refused the request (PidOptions)."},
		{Face, "101", FixRequest, "The face service misses the transaction id."},
		{Face, "102", FixRequest, "The face service has seen this transaction id before."},
		{Face, "103", CallSupport, "The right face application is not installed. Call support."},
		{Face, "110", CallSupport, "The profile of the face application has ended and must be renewed. Call support."},
		{Face, "111", FixRequest, "The face service refused the AUA code."},
		{Face, "112", FixRequest, "The face service refused the sub-AUA code."},
		{Face, "160", FixRequest, "The face service refused the time limit asked for."},
		{Face, "161", RetryCustomer, "The request to the face service had expired. Try again."},
	}
}

// Sentences of judgements that do not follow from an errCode.
func otherRules() []rule {
	return []rule{
		{"", "ok", Accept, "The finger was captured."},
		{Iris, "ok", Accept, "The iris was captured."},
		{Face, "ok", Accept, "The face was captured."},
		{"", "quality.refused", RetryCustomer, "The fingerprint is too faint to use. Clean the finger, press flat, or use another finger."},
		{"", "quality.low", RetryCustomer, "The fingerprint is faint. Better try again; it may be refused by the bank."},
		{"", "time.stale", RetryDevice, "The reader returned an old capture, or its clock is wrong. Check the clock and try again."},
		{"", "time.unknown", RetryDevice, "The reader returned a capture without a time. Restart the reader's service and try again."},
		{"", "unknown", CallSupport, "The reader reported an error that is not known here. Note its code and call support."},
		{"", "refused", RetryDevice, "The reader's service is not running. Start it, check the reader's cable, and try again."},
		{"", "timeout", RetryDevice, "The reader's service did not answer in time. Check the reader and try again."},
		{"", "cancelled", RetryCustomer, "The capture was cancelled."},
		{"", "broken", RetryDevice, "The reader's service broke off its answer. Check the reader and try again."},
		{"", "busy", RetryDevice, "A capture is running on this reader already. Wait until it has ended."},
		{"", "options", FixRequest, "This capture cannot be asked for."},
		{"", "interface", RetryDevice, "The reader's service offers no capture. Restart it and try again."},
		{"", "address", CallSupport, "The address of the reader's service is wrong in the settings."},
		{"", "foreign", CallSupport, "The reader's service points to another computer and is not trusted. Call support."},
		{"", "reply", CallSupport, "What answered is no proper reader service, or its answer is damaged. Call support."},
	}
}

// keyPrefix stands in front of all keys, so that they can share a catalogue.
const keyPrefix = "rd."

// Sentences lists every sentence of this package, for translators.
func Sentences() []Sentence {
	var all []Sentence
	for _, r := range slices.Concat(codeRules(), otherRules()) {
		all = append(all, r.judgement().Sentence)
	}
	return all
}

func (r rule) judgement() Judgement {
	key := keyPrefix + r.code
	if r.family != "" {
		key = keyPrefix + string(r.family) + "." + r.code
	}
	return Judgement{Action: r.action, Sentence: Sentence{key, r.text}}
}

// judgementFor gives one of otherRules.
func judgementFor(name string) Judgement { return judgementForFamily("", name) }

// judgementForFamily gives one of otherRules: the family's own, where it has one.
func judgementForFamily(family Family, name string) Judgement {
	rules := otherRules()
	i := slices.IndexFunc(rules, func(r rule) bool { return r.family == family && r.code == name })
	if i < 0 {
		i = slices.IndexFunc(rules, func(r rule) bool { return r.family == "" && r.code == name })
	}
	return rules[i].judgement()
}

// nfiqMakers are the makers whose qScore is a class of quality (NFIQ: 1 the
// best, 5 the worst) and no score of 100: by public captures, where a service
// gives 2 with 45 minutiae (unconfirmed by its maker).
func nfiqMakers() []string { return []string{"Tatvik"} }

// Quality is the quality of the worst finger, 0 to 100; ok is false where the
// service tells none.
func (r PidReply) Quality() (score int, ok bool) {
	score, ok = r.QScore.Lowest()
	if !ok || !slices.Contains(nfiqMakers(), r.Device.Vendor()) {
		return score, ok
	}
	scores := []int{1: 90, 2: 70, 3: 50, 4: 35, 5: 10}
	if worst := slices.Max(r.QScore); score > 0 && worst < len(scores) {
		return scores[worst], true
	}
	return score, ok
}

// Judge says what to make of a reply of a device of that family, captured no
// longer than MaxAge before or after now. A code that is not known is
// call-support; an error in our own request is fix-request.
func Judge(family Family, r PidReply, now time.Time) Judgement {
	if !r.OK() {
		return judgeCode(family, r.ErrCode)
	}
	if r.CapturedAt.IsZero() {
		return judgementFor("time.unknown")
	}
	if age := now.Sub(r.CapturedAt); age.Abs() > MaxAge {
		return judgementFor("time.stale")
	}
	score, known := r.Quality()
	points, _ := r.NmPoints.Lowest()
	j := judgementForFamily(family, "ok")
	switch {
	case family != Finger:
	case known && score < RefusedBelow:
		return judgementFor("quality.refused")
	case known && score < AdviseBelow, !known && points > 0 && points < GoodMinutiae:
		j = judgementFor("quality.low")
	}
	j.Usable = true
	return j
}

func judgeCode(family Family, code string) Judgement {
	rules := codeRules()
	find := func(f Family) int {
		return slices.IndexFunc(rules, func(r rule) bool { return r.family == f && r.code == code })
	}
	i := find(family)
	if i < 0 && family != Face {
		i = find("")
	}
	if i >= 0 {
		return rules[i].judgement()
	}
	// A maker may use a number of the request's class that has no row here.
	last := lastRequestCode
	if family == Face {
		last = lastFaceRequestCode
	}
	if n, err := strconv.Atoi(code); err == nil && n >= firstRequestCode && n <= last {
		return judgementFor("options")
	}
	return judgementFor("unknown")
}

// The class of codes that say that our request was wrong.
const (
	firstRequestCode    = 100
	lastRequestCode     = 220
	lastFaceRequestCode = 199
)

// Explain gives the judgement of an error of this package, for the agent. An
// error of anything else is call-support.
func Explain(err error) Judgement {
	for _, known := range []struct {
		kind error
		name string
	}{
		{ErrRefused, "refused"},
		{ErrTimeout, "timeout"},
		{ErrCancelled, "cancelled"},
		{ErrBroken, "broken"},
		{ErrBusy, "busy"},
		{ErrOptions, "options"},
		{ErrNoInterface, "interface"},
		{ErrAddress, "address"},
		{ErrForeignHost, "foreign"},
	} {
		if errors.Is(err, known.kind) {
			return judgementFor(known.name)
		}
	}
	return judgementFor("reply")
}
