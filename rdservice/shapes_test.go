package rdservice

import (
	"encoding/base64"
	"galla/shared/ist"
	"strings"
	"testing"
	"time"
)

// oddMC is a certificate as some makers issue them: a serial number with a
// needless zero and an RSA key whose modulus reads as negative.
func oddMC(begins, ends string) string {
	span := der(tagSequence, der(tagUTCTime, []byte(begins)), der(tagUTCTime, []byte(ends)))
	tbs := der(tagSequence, der(tagVersion, der(tagInteger, []byte{2})), der(tagInteger, []byte{0, 6, 0x3b}), der(tagSequence),
		der(tagSequence), span, der(tagSequence), der(tagSequence, der(tagInteger, []byte{0x9c, 1, 2})))
	return base64.StdEncoding.EncodeToString(der(tagSequence, tbs, der(tagSequence)))
}

// Replies in the shapes of makers of which no reply lies in the fixtures: what
// public captures of their services show, with values of our own.
func TestShapesOfMakers(t *testing.T) {
	at := time.Date(2026, 11, 21, 10, 15, 30, 0, ist.Zone())
	l0 := oddMC("261101000000Z", "261201000000Z")
	parts := `<Skey ci="20300101">QUJD</Skey><Hmac>QUJD</Hmac><Data type="X">` + someData + `</Data>`
	tests := map[string]struct {
		text    string
		dpID    string
		vendor  string
		mi      string
		serial  string
		level   Level
		quality int // -1: not reported
		want    Action
	}{
		"Morpho, a line break inside qScore and no further information": {
			"<PidData><Resp errCode=\"0\" errInfo=\"\" fCount=\"1\" fType=\"2\" iCount=\"\" pCount=\"\" pgCount=\"\" pTimeout=\"\" nmPoints=\"42\" qScore=\"59\n\"/>" +
				`<DeviceInfo dpId="Morpho.SmartChip" rdsId="SCPL.WIN.001" rdsVer="1.0.1" dc="d" mi="MSO1300E2L0SW" mc="` + l0 + `" />` + "\n" + parts + "</PidData>",
			"Morpho.SmartChip", "Morpho", "MSO1300E2L0SW", "", L0, 59, Accept},
		"Startek, namespaces and attributes of its own": {
			`<PidData xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><Resp fType="0" iCount="0" pCount="0" errCode="0" errInfo="" fCount="1" ts="2026-11-21T10:15:30" nmPoints="27" qScore="80" />` +
				`<DeviceInfo dpId="STARTEK.ACPL" rdsId="ACPL.WIN.001" rdsVer="1.0.3" dc="d" mi="FM220U" mc="` + l0 + `" error=""><additional_info><Param name="srno" value="B1" /><Param name="sysid" value="x" /><Param name="DeviceType" value="Open" /></additional_info></DeviceInfo>` + parts + "</PidData>",
			"STARTEK.ACPL", "Startek", "FM220U", "B1", L0, 80, Accept},
		"Precision, DOS line ends and a time with blanks": {
			strings.ReplaceAll("<PidData>\n  <Resp errCode=\"0\" errInfo=\"\" fCount=\"1\" fType=\"0\" iCount=\"0\" iType=\"\" pCount=\"0\" pType=\"\" nmPoints=\"36\" qScore=\"80\"/>\n"+
				`  <DeviceInfo dpId="PRECISION.PB" rdsId="PRECISION.WIN.001" rdsVer="1.2.3" dc="d" mi="PBCS200" mc="`+l0+"\">\n    <additional_info>\n      <Param name=\"ts\" value=\"2026-11-21 10:15:30 +05:30\"/>\n      <Param name=\"srno\" value=\"P1\"/>\n    </additional_info>\n  </DeviceInfo>\n  "+parts+"\n</PidData>", "\n", "\r\n"),
			"PRECISION.PB", "Precision", "PBCS200", "P1", L0, 80, Accept},
		"Tatvik, single quotes and a quality by class": {
			strings.ReplaceAll(`<PidData><Resp errCode="0" errInfo="Success" fCount="1" fType="0" pCount="0" pType="0" nmPoints="45" qScore="2"/><DeviceInfo dpId="TATVIK.TATVIK" rdsId="TATVIK.WIN.001" rdsVer="1.0.3" dc="d" mi="TMF20" mc="`+l0+
				`"><additional_info><Param name="srno" value="17"/></additional_info></DeviceInfo>`+strings.Replace(parts, "type=", "type= ", 1)+"</PidData>", `"`, "'"),
			"TATVIK.TATVIK", "Tatvik", "TMF20", "17", L0, 70, Accept},
		"Evolute, 'null' as quality and a serial by another name": {
			strings.ReplaceAll(`<PidData><Resp errCode="0" errInfo="y" fCount="1" fType="0" nmPoints="40" qScore="null" /><DeviceInfo dpId="EVOLUTE.EVOLUTE" rdsId="EVOLUTE.AND.001" rdsVer="1.0.12" dc="d" mi="IDENTI5" mc="`+l0+
				`"><additional_info><Param name="DeviceSerial" value="E1"/><Param name="PrinterSupport" value="N"/></additional_info></DeviceInfo>`+parts+"</PidData>", `"`, "'"),
			"EVOLUTE.EVOLUTE", "Evolute", "IDENTI5", "E1", L0, -1, Accept},
		"Mantra, level 1": {
			"<?xml version=\"1.0\"?>\n<PidData>\n  <Resp errCode=\"0\" errInfo=\"Success.\" fCount=\"1\" fType=\"2\" nmPoints=\"39\" qScore=\"70\" />\n" +
				`  <DeviceInfo dpId="MANTRA.MSIPL" rdsId="RENESAS.MANTRA.001" rdsVer="1.4.1" mi="MFS110" mc="` + oddMC("261101000000Z", "361101000000Z") + `" dc="d"><additional_info><Param name="srno" value="M1" /><Param name="modality_type" value="Finger" /><Param name="device_type" value="L1" /></additional_info></DeviceInfo>` + parts + "\n</PidData>",
			"MANTRA.MSIPL", "Mantra", "MFS110", "M1", L1, 70, Accept},
		"a maker with other names for its parameters": {
			`<PidData><Resp errCode="0" qScore="20"/><DeviceInfo dpId="X" mi="Y"><Additional_Info><Info name="srno" value="I1"/></Additional_Info></DeviceInfo>` + parts + "</PidData>",
			"X", "", "Y", "I1", "", 20, RetryCustomer},
		"a serial as an attribute": {
			`<PidData><Resp errCode="0" qScore="70"/><DeviceInfo dpId="X" mi="Y" srno="A1"/>` + parts + "</PidData>",
			"X", "", "Y", "A1", "", 70, Accept},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := ParsePidData([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			d := r.Device
			if d.DPID != tt.dpID || d.Vendor() != tt.vendor || d.MI != tt.mi || d.Serial != tt.serial || d.Level != tt.level {
				t.Errorf("the device is %+v of %q", d, d.Vendor())
			}
			if strings.Contains(tt.text, "mc=") == d.CertificateEnds.IsZero() {
				t.Errorf("the certificate ends %v", d.CertificateEnds)
			}
			quality, known := r.Quality()
			if known != (tt.quality >= 0) || known && quality != tt.quality {
				t.Errorf("quality %d, %v", quality, known)
			}
			if j := Judge(Finger, r, at.Add(time.Second)); j.Action != tt.want || !r.CapturedAt.Equal(at) {
				t.Errorf("captured at %v, judged %+v", r.CapturedAt, j)
			}
		})
	}
}

// Classes of quality go the other way: 1 is the best, 5 the worst, and the worst
// finger counts. No other maker's scores are taken for classes.
func TestQualityByClass(t *testing.T) {
	for _, tt := range []struct {
		dpID string
		q    Scores
		want Action
	}{
		{"TATVIK.TATVIK", Scores{1}, Accept}, {"TATVIK.TATVIK", Scores{3}, Accept}, {"TATVIK.TATVIK", Scores{4}, RetryCustomer},
		{"TATVIK.TATVIK", Scores{1, 5}, RetryCustomer}, {"TATVIK.TATVIK", Scores{0}, RetryCustomer}, {"TATVIK.TATVIK", Scores{6}, RetryCustomer},
		{"TATVIK.TATVIK", Scores{66}, Accept}, {"MANTRA.MSIPL", Scores{2}, RetryCustomer}, {"", Scores{1}, RetryCustomer},
	} {
		now := time.Now()
		j := Judge(Finger, PidReply{ErrCode: "0", QScore: tt.q, CapturedAt: now, Device: DeviceInfo{DPID: tt.dpID}}, now)
		if j.Action != tt.want || j.Usable != (tt.want == Accept || tt.q[0] == 4) {
			t.Errorf("%s %v: %+v", tt.dpID, tt.q, j)
		}
	}
}
