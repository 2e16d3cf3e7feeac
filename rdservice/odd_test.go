package rdservice

import (
	"encoding/base64"
	"encoding/pem"
	"errors"
	"galla/shared/ist"
	"strings"
	"testing"
	"time"
)

// Slips of makers around and inside a good reply, which change nothing of it.
func TestOddReplies(t *testing.T) {
	good := pidData(`errCode="0" qScore="71"`, someData)
	at := time.Date(2026, 11, 21, 10, 15, 30, 0, ist.Zone())
	// The first bytes behind the clear time, as base64 writes them in its two alphabets.
	sealed := []byte("2026-11-21T10:15:30\xff\xfe\xfd sealed")
	for name, text := range map[string]string{
		"two byte order marks":             "\ufeff\ufeff" + good,
		"mark behind blanks":               "\r\n\ufeff" + good,
		"mark behind the declaration":      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\ufeff\n" + good,
		"mark at the end":                  good + "\n\ufeff",
		"zero bytes and blanks around":     "\x00 " + good + " \x00\r\n\x00",
		"attribute of a foreign namespace": strings.Replace(good, "<Resp ", `<Resp x:errCode="720" x:qScore="1" `, 1),
		"a Resp inside another element":    strings.Replace(good, "<Resp ", `<Trace><Resp errCode="720" qScore="3"/></Trace><Resp `, 1),
		"Data in the URL alphabet":         strings.Replace(good, someData, base64.RawURLEncoding.EncodeToString(sealed), 1),
		"Data in CDATA":                    strings.Replace(good, someData, "<![CDATA["+base64.StdEncoding.EncodeToString(sealed)+"]]>", 1),
		"blanks as references":             strings.Replace(good, someData, "&#13;&#10;&#9;"+someData[:10]+"&#xD;&#xA;"+someData[10:], 1),
	} {
		r, err := ParsePidData([]byte(text))
		if q, _ := r.QScore.Lowest(); err != nil || !r.OK() || q != 71 || !r.CapturedAt.Equal(at) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// What a bank would read in another way than the counter, or could not be given
// unchanged, is no capture.
func TestAmbiguousReplies(t *testing.T) {
	good := pidData(`errCode="0" qScore="71"`, someData)
	for name, text := range map[string]string{
		"two Resp":                    strings.Replace(good, "<Resp ", `<Resp errCode="0"/><Resp `, 1),
		"two Data":                    strings.Replace(good, "<Data ", `<Data type="X">QUJD</Data><Data `, 1),
		"two Skey":                    strings.Replace(good, "<Skey ", `<skey>QUJD</skey><Skey `, 1),
		"two Hmac":                    strings.Replace(good, "<Hmac>", `<Hmac>QUJD</Hmac><Hmac>`, 1),
		"errCode in two letter cases": pidData(`ERRCODE="720" errCode="0"`, someData),
		"Data inside another element": strings.Replace(strings.Replace(good, "<Data ", "<x><Data ", 1), "</Data>", "</Data></x>", 1),
		"Resp inside another element": strings.Replace(good, `<Resp errCode="0" qScore="71"/>`, `<x><Resp errCode="0" qScore="71"/></x>`, 1),
		"not UTF-8":                   pidData("errCode=\"0\" errInfo=\"Ger\xe4t\"", someData),
	} {
		if r, err := ParsePidData([]byte(text)); !errors.Is(err, ErrReply) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	// An error is read wherever it stands, in whatever bytes.
	for name, text := range map[string]string{
		"inside another element": `<PidData><Response><Resp errCode="720" errInfo="gone"/></Response></PidData>`,
		"not UTF-8":              "<PidData><Resp errCode=\"720\" errInfo=\"Ger\xe4t\"/></PidData>",
	} {
		if r, err := ParsePidData([]byte(text)); err != nil || r.ErrCode != "720" {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	// Only 0 says that it captured: the bank takes no other.
	for _, code := range []string{"000", "0.0", "-0", "0,0"} {
		r, err := ParsePidData([]byte(pidData(`errCode="`+code+`"`, someData)))
		if err != nil || r.OK() || Judge(Finger, r, time.Now()).Action != CallSupport {
			t.Errorf("errCode %s: %+v, %v", code, r, err)
		}
	}
}

func TestOddDeviceInfo(t *testing.T) {
	d, err := ParseDeviceInfo([]byte(`<DeviceInfo x:dpId="OTHER" dpId="A"><Param name="srno" value=" "/><Param name="SRNO" value="S1"/><Param name="srno" value="S2"/></DeviceInfo>`))
	if err != nil || d.DPID != "A" || d.Serial != "S1" {
		t.Errorf("%+v, %v", d, err)
	}
	// A chain of certificates: the device's own stands first.
	span := der(tagSequence, der(tagUTCTime, []byte("261101020304Z")), der(tagUTCTime, []byte("270130020304Z")))
	own := der(tagSequence, der(tagSequence, der(tagInteger, []byte{7}), der(tagSequence), der(tagSequence), span), make([]byte, 2))
	if len(own)%3 == 0 {
		t.Fatal("the test's certificate needs no padding, which is the trap")
	}
	other := der(tagSequence, der(tagSequence, der(tagInteger, []byte{8}), der(tagSequence), der(tagSequence),
		der(tagSequence, der(tagUTCTime, []byte("200101000000Z")), der(tagUTCTime, []byte("400101000000Z")))))
	var chain strings.Builder
	for _, c := range [][]byte{own, other} {
		chain.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c}))
	}
	for name, mc := range map[string]string{
		"PEM":              chain.String(),
		"PEM encoded once": base64.StdEncoding.EncodeToString([]byte(chain.String())),
	} {
		_, ends, err := validity(mc)
		if want := time.Date(2027, 1, 30, 2, 3, 4, 0, time.UTC); err != nil || !ends.Equal(want) {
			t.Errorf("a chain as %s ends %v, %v", name, ends, err)
		}
	}
}
