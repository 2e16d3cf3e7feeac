package sim

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"sync"
	"time"

	"galla/edge"
	"galla/rdservice/rdcrypto"
	"galla/shared/secret"
)

// keys are shared by all stories, since making RSA keys takes real time. The bubble's
// clock starts at the same moment in each story, so the certificates are valid in all
// of them.
type keys struct {
	authority     *x509.Certificate
	authorityKey  *rsa.PrivateKey
	device        *x509.Certificate
	deviceKey     *rsa.PrivateKey
	network, fing secret.Key

	mu    sync.Mutex
	taken map[captureKey]string
}

// captureKey identifies a capture: who, when by the device's clock, and which one of
// that moment. Two stories share captures, since nothing in them depends on the story:
// signing and sealing them again would take most of a story's time. Within one story
// each is used once.
type captureKey struct {
	aadhaar string
	at      int64
	number  int
}

// maxCaptureKeys bounds the captures kept, some 4 KB each.
const maxCaptureKeys = 20_000

const deviceCode = "5e1d0000-0000-4000-8000-000000000001"

func makeKeys(dir string) (*keys, error) {
	authority, key, err := rdcrypto.EnsureAuthority(dir, rand.Reader)
	if err != nil {
		return nil, err
	}
	deviceKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	device, err := rdcrypto.DeviceCertificate(deviceKey, "SIM", 30*24*time.Hour, rand.Reader)
	if err != nil {
		return nil, err
	}
	raw := make([]byte, 64)
	if _, err := io.ReadFull(rand.Reader, raw); err != nil {
		return nil, err
	}
	return &keys{
		authority: authority, authorityKey: key, device: device, deviceKey: deviceKey,
		network: secret.NewKey(raw[:32]), fing: secret.NewKey(raw[32:]), taken: map[captureKey]string{},
	}, nil
}

// pid gives the PID data of a capture, with the real cryptography.
func (k *keys) pid(s captureKey) (string, error) {
	k.mu.Lock()
	xml, ok := k.taken[s]
	k.mu.Unlock()
	if ok {
		return xml, nil
	}
	at := time.Unix(s.at, 0)
	sample := rdcrypto.Sample{Type: "FMR", Posh: "UNKNOWN", Raw: rdcrypto.Template(s.aadhaar, rdcrypto.RightIndex)}
	block, err := rdcrypto.Block(at, "", deviceCode, []rdcrypto.Sample{sample}, k.deviceKey, rand.Reader)
	if err != nil {
		return "", fmt.Errorf("block: %w", err)
	}
	sealed, err := rdcrypto.Seal(block, at, k.authority, rand.Reader)
	if err != nil {
		return "", fmt.Errorf("seal: %w", err)
	}
	xml = fmt.Sprintf(`<PidData><Resp errCode="0" errInfo="Success" fCount="1" fType="2" nmPoints="46" qScore="80"/>`+
		`<DeviceInfo dpId="SIM.SIM" rdsId="SIM.1" rdsVer="1.0" mi="SIM" mc="%s" dc="%s"/><Skey ci="%s">%s</Skey><Hmac>%s</Hmac><Data type="X">%s</Data></PidData>`,
		base64.StdEncoding.EncodeToString(k.device.Raw), deviceCode, sealed.CI, sealed.Skey, sealed.Hmac, sealed.Data)
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.taken) < maxCaptureKeys {
		k.taken[s] = xml
	}
	return xml, nil
}

// fakeReader is a reader with one customer's finger on it and real cryptography. The RD
// protocol in front of a reader has its own tests.
type fakeReader struct {
	keys    *keys
	aadhaar string
	place   int                  // among the story's counters
	offset  func() time.Duration // the counter's clock minus the true time

	mu            sync.Mutex
	captureCounts map[int64]int // captures of a moment
}

// clockStep is the resolution of the device's clock: coarse, so that stories share
// captures.
const clockStep = 5 // seconds

func (g *fakeReader) State() edge.ReaderState { return edge.ReaderState{Status: "READY", Name: "sim"} }

func (g *fakeReader) Capture(ctx context.Context) (edge.Capture, error) {
	select {
	case <-time.After(1500 * time.Millisecond): // somebody looks for the right finger
	case <-ctx.Done():
		return edge.Capture{}, &edge.CaptureError{Message: "cancelled", Err: ctx.Err()}
	}
	at := time.Now().Add(g.offset()).Unix() / clockStep * clockStep
	g.mu.Lock()
	g.captureCounts[at]++
	number := g.place*1000 + g.captureCounts[at]
	g.mu.Unlock()
	xml, err := g.keys.pid(captureKey{g.aadhaar, at, number})
	if err != nil {
		return edge.Capture{}, &edge.CaptureError{Message: "no capture", Err: err}
	}
	return edge.Capture{PidData: secret.NewPidData(xml), CapturedAt: time.Unix(at, 0), Quality: 80}, nil
}
