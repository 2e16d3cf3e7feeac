package rdsim

import (
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"galla/rdservice"
	"galla/rdservice/rdcrypto"
)

// maxHang bounds how long a hanging capture keeps its connection: longer than
// any client waits.
const maxHang = 10 * time.Minute

// Outcome is what one capture is to end in, whatever lies on the glass. The
// zero Outcome is a capture as usual.
type Outcome struct {
	ErrCode    string `json:"errCode,omitempty"` // empty or 0: captured
	ErrInfo    string `json:"errInfo,omitempty"`
	QScore     string `json:"qScore,omitempty"` // a number, or anything a maker might send
	NmPoints   string `json:"nmPoints,omitempty"`
	DelayMs    int    `json:"delayMs,omitempty"`    // wait so long before answering
	Hang       bool   `json:"hang,omitempty"`       // never answer
	Reset      bool   `json:"reset,omitempty"`      // reset the connection
	Truncate   int    `json:"truncate,omitempty"`   // cut the body off after so many bytes; -1: half-way
	HTTPStatus int    `json:"httpStatus,omitempty"` // answer with this status and no PidData
}

// How a capture ended, for the journal.
const (
	endAnswered  = "answered"
	endHung      = "hung"
	endReset     = "reset"
	endTruncated = "truncated"
	endAbandoned = "abandoned" // the client went before the answer
)

// reply is the Resp that is to be sent, and Truncate of its Outcome.
type reply struct {
	code, info, qScore, nmPoints string
	got                          wanted // what was captured; nothing where none is
	truncate                     int
}

// plan is what one capture will do.
type plan struct {
	profile  profile
	outcome  Outcome
	scripted bool // the outcome stands in the script
	busy     bool // another capture is running
	warming  bool // the service is still starting
	status   string
	glass    sensor
}

// call is one CAPTURE on its way to an answer.
type call struct {
	*Device
	w     http.ResponseWriter
	r     *http.Request
	entry Entry
	held  bool // the device is taken for this call
	over  bool
}

// finish frees the device and notes the call. It comes before the last byte of
// an answer, so that a client that has its answer finds the device ready and
// the journal complete. Only the first call counts.
func (c *call) finish() {
	if c.over {
		return
	}
	c.over = true
	if c.held {
		c.end()
	}
	c.entry.TookMs = time.Since(c.entry.At).Milliseconds()
	c.record(c.entry)
}

func (d *Device) serveCapture(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxOptions+1))
	c := &call{Device: d, w: w, r: r, entry: Entry{
		At: time.Now(), Path: r.URL.Path, PidOptions: excerpt(body), Outcome: endAnswered, HTTPStatus: http.StatusOK,
	}}
	defer c.finish()
	p, _ := d.shown()
	want, refused := readOptions(body, p.reads)
	switch {
	case r.URL.Path != p.capturePath:
		refused = &refusal{"770", "Invalid URL"}
	case err != nil || len(body) > maxOptions:
		refused = &refusal{"100", "Invalid PidOptions input: too large or cut off"}
	}
	if refused != nil {
		c.answer(p, reply{code: refused.code, info: refused.info}, nil)
		return
	}
	do := d.begin()
	if do.busy {
		c.answer(p, reply{code: "710", info: meaning("710")}, nil)
		return
	}
	c.held = true
	if !c.play(do, want) {
		return
	}
	resp, pid, err := d.result(do, want)
	if err != nil {
		d.log.Error("capture could not be sealed", "error", err)
		resp, pid = reply{code: "999", info: meaning("999")}, nil
	}
	resp.truncate = do.outcome.Truncate
	c.answer(do.profile, resp, pid)
}

// begin takes the device for one capture and decides what will happen.
func (d *Device) begin() plan {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.capturing {
		return plan{busy: true}
	}
	do := plan{profile: d.profile, status: d.status, glass: d.glass}
	switch {
	case d.warmup > 0:
		d.warmup--
		do.warming = true
	case len(d.script) > 0:
		do.outcome, d.script = d.script[0], d.script[1:]
		do.scripted = true
	case d.status != statusReady:
	default:
		do.outcome.DelayMs = int(d.cfg.CaptureTime.Milliseconds())
	}
	d.capturing = true
	return do
}

func (d *Device) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.capturing = false
}

// play does everything that comes before an answer; false: there will be none.
func (c *call) play(do plan, want wanted) bool {
	wait := time.Duration(do.outcome.DelayMs) * time.Millisecond
	usual := !do.scripted && !do.warming && do.status == statusReady
	switch {
	case do.outcome.Hang:
		wait = maxHang
	case usual && do.glass.finger == NoFinger:
		wait = want.timeout
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	gone := false
	select {
	case <-timer.C:
	case <-c.r.Context().Done():
		gone = true
	}
	o := do.outcome
	switch {
	case o.Hang:
		c.noAnswer(endHung)
		panic(http.ErrAbortHandler)
	case gone:
		c.noAnswer(endAbandoned)
		panic(http.ErrAbortHandler)
	case o.Reset:
		c.noAnswer(endReset)
		reset(c.w)
		return false
	case o.HTTPStatus != 0 && o.HTTPStatus != http.StatusOK:
		c.entry.HTTPStatus = o.HTTPStatus
		c.finish()
		http.Error(c.w, http.StatusText(o.HTTPStatus), o.HTTPStatus)
		return false
	}
	return true
}

// noAnswer notes a call whose connection ends without one.
func (c *call) noAnswer(how string) {
	c.entry.Outcome, c.entry.HTTPStatus = how, 0
	c.finish()
}

// reset ends the connection with a TCP reset where it is one.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	inner := conn
	if secured, ok := inner.(*tls.Conn); ok {
		inner = secured.NetConn()
	}
	if limited, ok := inner.(*limitedConn); ok {
		inner = limited.Conn
	}
	if tcp, ok := inner.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // without it the close is an orderly end
	}
	_ = conn.Close()
}

// result is the Resp and, where it captured, the sealed elements.
func (d *Device) result(do plan, want wanted) (reply, []tag, error) {
	o := do.outcome
	switch {
	case do.warming:
		return reply{code: "-1509", info: "System is still checking status, please try after sometime"}, nil, nil
	case do.scripted && strings.Trim(o.ErrCode, "0") != "":
		return reply{code: o.ErrCode, info: orElse(o.ErrInfo, meaning(o.ErrCode)), qScore: o.QScore, nmPoints: o.NmPoints}, nil, nil
	case do.scripted: // a success, whatever the device's status
	case do.status == statusNotReady:
		return reply{code: "720", info: meaning("720")}, nil, nil
	case do.status == statusUsed:
		return reply{code: "710", info: meaning("710")}, nil, nil
	case do.glass.finger == NoFinger && do.profile.reads == rdservice.Face:
		return reply{code: faceExpired, info: "Transaction expired"}, nil, nil
	case do.glass.finger == NoFinger:
		return reply{code: "700", info: meaning("700")}, nil, nil
	}
	if do.glass.finger == NoFinger {
		do.glass.finger = startFinger
	}
	sealed, err := d.seal(do.profile, do.glass, want)
	if err != nil {
		return reply{}, nil, err
	}
	list := func(n int) string {
		s := strconv.Itoa(n)
		if do.profile.listScores {
			s = strings.Join(slices.Repeat([]string{s}, want.count()), ",")
		}
		return s
	}
	points := ""
	if want.fingers > 0 {
		points = list(minutiaeOf(do.glass.quality)) // nothing but a finger has minutiae
	}
	return reply{
		code: orElse(o.ErrCode, "0"), info: orElse(o.ErrInfo, do.profile.successInfo), got: want,
		qScore: orElse(o.QScore, list(do.glass.quality)), nmPoints: orElse(o.NmPoints, points),
	}, sealed, nil
}

// faceExpired is what a face service answers where no face was seen in time:
// its family has no 700.
const faceExpired = "161"

// samples captures what was asked for: the finger on the glass, and its
// neighbours where more than one is wanted; the person's irises, left first; or
// the face.
func samples(g sensor, want wanted) []rdcrypto.Sample {
	kind, names, first := "FMR", rdcrypto.Fingers(), slices.Index(rdcrypto.Fingers(), g.finger)
	record := rdcrypto.Template
	switch {
	case want.irises > 0:
		kind, names, first, record = "IIR", rdcrypto.Irises(), 0, rdcrypto.IrisImage
	case want.faces > 0:
		kind, names, first = "FID", []string{rdcrypto.FacePosition}, 0
		record = func(aadhaar, _ string) []byte { return rdcrypto.FaceImage(aadhaar) }
	case want.image:
		kind = "FIR"
	}
	out := make([]rdcrypto.Sample, want.count())
	for i := range out {
		posh := "UNKNOWN"
		if len(want.posh) > 0 {
			posh = want.posh[i]
		}
		out[i] = rdcrypto.Sample{Type: kind, Posh: posh, Raw: record(g.resident.reveal(), names[(first+i)%len(names)])}
	}
	return out
}

// seal captures and gives DeviceInfo, Skey, Hmac and Data.
func (d *Device) seal(p profile, g sensor, want wanted) ([]tag, error) {
	ts := d.now()
	pid, err := rdcrypto.Block(ts, want.wadh, d.dc, samples(g, want), d.key, d.random)
	if err != nil {
		return nil, err
	}
	s, err := rdcrypto.Seal(pid, ts, d.authority, d.random)
	if err != nil {
		return nil, err
	}
	return []tag{
		d.deviceInfo(p, true),
		{name: "Skey", attrs: [][2]string{{"ci", s.CI}}, text: s.Skey},
		{name: "Hmac", text: s.Hmac},
		{name: "Data", attrs: [][2]string{{"type", "X"}}, text: s.Data},
	}, nil
}

// answer sends PidData in the maker's shape and notes it.
func (c *call) answer(p profile, resp reply, sealed []tag) {
	resp.qScore, resp.nmPoints = orElse(resp.qScore, "0"), orElse(resp.nmPoints, "0")
	entry := &c.entry
	entry.ErrCode, entry.ErrInfo, entry.QScore, entry.NmPoints = resp.code, resp.info, resp.qScore, resp.nmPoints
	children := append([]tag{{name: "Resp", attrs: [][2]string{
		{"errCode", resp.code}, {"errInfo", resp.info}, {"fCount", strconv.Itoa(resp.got.fingers)}, {"fType", "0"},
		{"nmPoints", resp.nmPoints}, {"qScore", resp.qScore},
	}}}, sealed...)
	if p.reads != rdservice.Finger {
		children[0].attrs = append(children[0].attrs, [2]string{"iCount", strconv.Itoa(resp.got.irises)}, [2]string{"pCount", strconv.Itoa(resp.got.faces)})
	}
	if sealed == nil && p.fullErrors {
		children = append(children, c.deviceInfo(p, false),
			tag{name: "Skey", attrs: [][2]string{{"ci", ""}}}, tag{name: "Hmac"}, tag{name: "Data", attrs: [][2]string{{"type", ""}}})
	}
	body := p.document(tag{name: "PidData", children: p.ordered(children)})
	if resp.truncate == 0 {
		entry.Bytes = len(body)
		c.finish()
		write(c.w, p, http.StatusOK, body)
		return
	}
	cut := resp.truncate
	if cut < 0 || cut >= len(body) {
		cut = len(body) / 2
	}
	entry.Outcome, entry.Bytes = endTruncated, cut
	c.finish()
	c.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	write(c.w, p, http.StatusOK, body[:cut])
	_ = http.NewResponseController(c.w).Flush() // a client that has gone needs no answer
	panic(http.ErrAbortHandler)                 // the connection ends before the announced length
}

// meaning is the specification's wording of a code.
func meaning(code string) string {
	switch code {
	case "700":
		return "Capture timed out"
	case "710":
		return "Device being used by another application"
	case "720":
		return "Device not ready"
	case "730":
		return "Capture failed"
	case "740":
		return "Device needs to be re-initialized"
	case "750", "760":
		return "RD Service does not support this biometric"
	case "770":
		return "Invalid URL"
	case "-1509":
		return "System is still checking status, please try after sometime"
	case "999":
		return "Internal error"
	}
	return "Error " + code
}

// excerptLen bounds what the journal keeps of a request.
const excerptLen = 2 << 10

// excerpt keeps PidOptions readable and bounded; anything that is no text is
// kept as its length only.
func excerpt(body []byte) string {
	if len(body) > excerptLen {
		return fmt.Sprintf("%d bytes", len(body))
	}
	for _, c := range body {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			return base64.StdEncoding.EncodeToString(body)
		}
	}
	return string(body)
}
