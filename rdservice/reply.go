package rdservice

import (
	"bytes"
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"galla/shared/ist"
)

// Status is what an RD service says of its device, trimmed and in capitals.
type Status string

// The three statuses of the specification. A service may send another word; it
// is kept as it is and ranks last.
const (
	Ready    Status = "READY"    // a capture can start
	Used     Status = "USED"     // a capture is running, or another program holds the device
	NotReady Status = "NOTREADY" // no device, or not initialised
)

// Bounds of the words and numbers that a reply may carry for people.
const (
	maxText   = 256 // bytes of info, errInfo and each identity attribute
	maxScores = 16  // one for each finger, iris or face captured
)

// Announcement is the answer to RDSERVICE: the paths are still as the maker
// wrote them.
type Announcement struct {
	Status                Status
	Info                  string
	InfoPath, CapturePath string
}

// ParseRDService reads the answer to RDSERVICE. An Interface is known by its
// id; the first of each kind counts. Errors wrap ErrReply.
func ParseRDService(b []byte) (Announcement, error) {
	root, err := parseXML(b, "RDService", false)
	if err != nil {
		return Announcement{}, err
	}
	a := Announcement{Status: parseStatus(root.attr("status")), Info: clean(root.attr("info"), maxText)}
	for _, e := range root.descendants("Interface") {
		switch strings.ToUpper(e.attr("id")) {
		case "DEVICEINFO":
			if a.InfoPath == "" {
				a.InfoPath = e.attr("path")
			}
		case "CAPTURE":
			if a.CapturePath == "" {
				a.CapturePath = e.attr("path")
			}
		}
	}
	if a.Status == "" {
		return Announcement{}, replyError("RDService has no status")
	}
	return a, nil
}

// parseStatus compares whole words only: NOTREADY contains READY.
func parseStatus(s string) Status {
	s = strings.ToUpper(clean(s, maxText))
	switch strings.NewReplacer(" ", "", "_", "", "-", "").Replace(s) {
	case "NOTREADY":
		return NotReady
	case "READY":
		return Ready
	case "USED":
		return Used
	}
	return Status(s)
}

// Level is the security level of a registered device: where the biometric is
// signed. Empty: not known.
type Level string

// The levels of the specification.
const (
	L0 Level = "L0" // signed in the RD service on the computer
	L1 Level = "L1" // signed inside the device
)

// DeviceInfo is a device's identity (DeviceInfo in the specification, section
// 'Device Information'). What the service did not say is empty.
type DeviceInfo struct {
	DPID   string // device provider, such as MANTRA.MSIPL; SIM.… is a simulator
	RDSID  string // RD service
	RDSVer string // its version
	MI     string // model
	DC     string // device code, a UUID
	Serial string // the Param named srno; some makers have other names for it
	Level  Level
	// CertificateBegins and CertificateEnds are the validity of mc, zero where
	// it could not be read.
	CertificateBegins, CertificateEnds time.Time
}

// Vendor is the maker's name for people: 'Simulator' for the simulated device,
// empty where the maker is not known.
func (d DeviceInfo) Vendor() string { return vendorOf(d.DPID + " " + d.RDSID) }

// ParseDeviceInfo reads the answer to DEVICEINFO. Errors wrap ErrReply.
func ParseDeviceInfo(b []byte) (DeviceInfo, error) {
	root, err := parseXML(b, "DeviceInfo", false)
	if err != nil {
		return DeviceInfo{}, err
	}
	return deviceInfo(root), nil
}

func deviceInfo(e *element) DeviceInfo {
	words := func(name string) string { return clean(e.attr(name), maxText) }
	d := DeviceInfo{
		DPID: words("dpId"), RDSID: words("rdsId"), RDSVer: words("rdsVer"),
		MI: words("mi"), DC: words("dc"),
	}
	params := params(e)
	for _, name := range []string{"srno", "deviceserial", "deviceserialno", "serialno", "serialnumber"} {
		if d.Serial == "" {
			d.Serial = params[name]
		}
	}
	if d.Serial == "" {
		d.Serial = words("srno")
	}
	// An unreadable certificate is no fault of the reply: the times stay zero.
	if begins, ends, err := validity(e.attr("mc")); err == nil {
		d.CertificateBegins, d.CertificateEnds = begins, ends
	}
	d.Level = levelOf(params["devicetype"], d)
	return d
}

// params gives what a device says beside its attributes, by name in small
// letters without joints: makers write device_type and DeviceType. The first of
// each that says something counts.
func params(e *element) map[string]string {
	found := map[string]string{}
	for _, p := range slices.Concat(e.descendants("Param"), e.descendants("Info")) {
		name := strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(p.attr("name")))
		if found[name] == "" {
			found[name] = clean(p.attr("value"), maxText)
		}
	}
	return found
}

// levelOf knows the level by what the device says outright, by its model's
// name, and last by its certificate's life: 30 days on L0, 90 on L1.
func levelOf(said string, d DeviceInfo) Level {
	for _, text := range []string{said, d.MI} {
		text = strings.ToUpper(text)
		switch {
		case strings.Contains(text, "L1"), strings.Contains(text, "MFS110"):
			return L1
		case strings.Contains(text, "L0"):
			return L0
		}
	}
	switch life := d.CertificateEnds.Sub(d.CertificateBegins).Round(24 * time.Hour); {
	case d.CertificateEnds.IsZero():
		return ""
	case life >= 28*24*time.Hour && life <= 31*24*time.Hour:
		return L0
	case life >= 88*24*time.Hour && life <= 92*24*time.Hour:
		return L1
	}
	return ""
}

// Scores is a number of a reply as makers send it: one, a list with one for
// each finger, or none.
type Scores []int

// Lowest is the lowest score that is not negative: makers use negative numbers
// for 'not measured'. ok is false where there is none.
func (s Scores) Lowest() (lowest int, ok bool) {
	for _, n := range s {
		if n >= 0 && (!ok || n < lowest) {
			lowest, ok = n, true
		}
	}
	return lowest, ok
}

func parseScores(s string) Scores {
	var scores Scores
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(",;| \t\r\n", r) }) {
		f, err := strconv.ParseFloat(part, 64)
		if err != nil || math.Abs(f) > math.MaxInt16 || math.IsNaN(f) {
			continue
		}
		if scores = append(scores, int(math.Floor(f))); len(scores) == maxScores {
			break
		}
	}
	return scores
}

// PidReply is what can be read of PidData without decrypting it. It holds no
// biometric, sealed or not.
type PidReply struct {
	ErrCode    string // as sent, trimmed: '0', '720', '-1509'
	ErrInfo    string // the maker's words
	QScore     Scores // quality of each finger as sent; Quality puts it on one scale
	NmPoints   Scores // minutiae found in each finger
	Device     DeviceInfo
	CI         string    // Skey's ci: the day on which the authority's certificate ends
	DataType   string    // X for XML, P for protobuf
	CapturedAt time.Time // the clear timestamp of Data; zero where it cannot be read
}

// captured is the only errCode of a success: a bank takes no other.
const captured = "0"

// OK tells whether the service says that it captured.
func (r PidReply) OK() bool { return r.ErrCode == captured }

// ParsePidData reads the answer to CAPTURE. An answer that says that it
// captured must be well-formed XML in UTF-8 and hold one Resp, Data, Hmac and
// Skey each, since a bank must read it as it was judged here; of an answer that
// reports an error only the Resp is wanted, wherever it stands. Errors wrap
// ErrReply and quote nothing of the input but the name of a wrong root element.
func ParsePidData(b []byte) (PidReply, error) {
	root, strictErr := parseXML(b, "PidData", true)
	if strictErr != nil {
		var err error
		if root, err = parseXML(b, "PidData", false); err != nil {
			return PidReply{}, strictErr
		}
	}
	resp := root.first("Resp")
	if resp == nil {
		return PidReply{}, replyError("PidData has no Resp")
	}
	r := PidReply{
		ErrCode:  clean(resp.attr("errCode"), maxText),
		ErrInfo:  clean(resp.attr("errInfo"), maxText),
		QScore:   parseScores(resp.attr("qScore")),
		NmPoints: parseScores(resp.attr("nmPoints")),
	}
	if r.ErrCode == "" {
		return PidReply{}, replyError("Resp has no errCode")
	}
	if e := root.first("DeviceInfo"); e != nil {
		r.Device = deviceInfo(e)
	}
	if !r.OK() {
		return r, nil
	}
	if strictErr != nil {
		return PidReply{}, strictErr
	}
	if !utf8.Valid(b) {
		return PidReply{}, replyError("PidData says that it captured and is not UTF-8")
	}
	if len(root.childrenNamed("Resp")) != 1 || resp.countAttr("errCode") != 1 {
		return PidReply{}, replyError("PidData says that it captured and has not one Resp with one errCode")
	}
	parts := map[string]*element{}
	for _, name := range []string{"Data", "Hmac", "Skey"} {
		own := root.childrenNamed(name)
		if len(own) != 1 || len(bytes.TrimSpace(own[0].text)) == 0 {
			return PidReply{}, replyError("PidData says that it captured and has not one %s", name)
		}
		parts[name] = own[0]
	}
	r.CI = clean(parts["Skey"].attr("ci"), maxText)
	r.DataType = clean(parts["Data"].attr("type"), maxText)
	r.CapturedAt = captureTime(parts["Data"].text)
	return r, nil
}

// timeLayout and timeLen are the form of the clear timestamp in front of Data.
const (
	timeLayout = "2006-01-02T15:04:05"
	timeLen    = len(timeLayout)
)

// captureTime reads the first 19 bytes of Data; zero where they are no time.
func captureTime(data []byte) time.Time {
	const chars = (timeLen + 2) / 3 * 4 // base64 of the timestamp, whole groups
	head := make([]byte, 0, chars)
	for _, c := range data {
		if len(head) == chars {
			break
		}
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '-': // of the URL alphabet
			c = '+'
		case '_':
			c = '/'
		}
		head = append(head, c)
	}
	clear, err := base64.StdEncoding.DecodeString(string(head))
	if err != nil || len(clear) < timeLen {
		return time.Time{}
	}
	t, err := time.ParseInLocation(timeLayout, string(clear[:timeLen]), ist.Zone())
	if err != nil {
		return time.Time{}
	}
	return t
}

// vendorOf finds the maker's name in the words of a service.
func vendorOf(words string) string {
	words = strings.ToUpper(words)
	if strings.HasPrefix(words, "SIM.") {
		return "Simulator"
	}
	for _, v := range []struct{ name, mark string }{
		{"Mantra", "MANTRA"},
		{"Morpho", "MORPHO"}, {"Morpho", "IDEMIA"}, {"Morpho", "SMARTCHIP"},
		{"Startek", "STARTEK"}, {"Startek", "ACPL"},
		{"SecuGen", "SECUGEN"},
		{"Precision", "PRECISION"},
		{"NEXT Biometrics", "NEXT"},
		{"Tatvik", "TATVIK"},
		{"Evolute", "EVOLUTE"},
		{"Aratek", "ARATEK"},
		{"Cogent", "COGENT"},
		{"IriTech", "IRITECH"},
		{"Integra", "INTEGRA"},
		{"UIDAI", "UIDAI"},
	} {
		if strings.Contains(words, v.mark) {
			return v.name
		}
	}
	return ""
}
