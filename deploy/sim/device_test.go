package sim

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"time"

	"galla/edge"
	"galla/rdservice/rdcrypto"
	"galla/shared/secret"
)

// keys are what all stories share, since making RSA keys takes real time. The
// bubble's clock begins at the same moment in each story, so the certificates
// hold in all of them.
type keys struct {
	authority     *x509.Certificate
	authorityKey  *rsa.PrivateKey
	device        *x509.Certificate
	deviceKey     *rsa.PrivateKey
	network, fing secret.Key
}

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
		network: secret.NewKey(raw[:32]), fing: secret.NewKey(raw[32:]),
	}, nil
}

// glass is a reader with one customer's finger on it and the real cryptography
// behind it. The RD protocol in front of a reader has tests of its own.
type glass struct {
	keys    *keys
	aadhaar string
	offset  func() time.Duration // the counter's clock minus the true time
}

func (g *glass) State() edge.DeviceState { return edge.DeviceState{Status: "READY", Name: "sim"} }

func (g *glass) Capture(ctx context.Context) (edge.Capture, error) {
	select {
	case <-time.After(1500 * time.Millisecond): // somebody looks for the right finger
	case <-ctx.Done():
		return edge.Capture{}, &edge.CaptureError{Message: "cancelled", Err: ctx.Err()}
	}
	at := time.Now().Add(g.offset())
	sample := rdcrypto.Sample{Type: "FMR", Posh: "UNKNOWN", Raw: rdcrypto.Template(g.aadhaar, rdcrypto.RightIndex)}
	block, err := rdcrypto.Block(at, "", deviceCode, []rdcrypto.Sample{sample}, g.keys.deviceKey, rand.Reader)
	if err != nil {
		return edge.Capture{}, &edge.CaptureError{Message: "block", Err: err}
	}
	sealed, err := rdcrypto.Seal(block, at, g.keys.authority, rand.Reader)
	if err != nil {
		return edge.Capture{}, &edge.CaptureError{Message: "seal", Err: err}
	}
	xml := fmt.Sprintf(`<PidData><Resp errCode="0" errInfo="Success" fCount="1" fType="2" nmPoints="46" qScore="80"/>`+
		`<DeviceInfo dpId="SIM.SIM" rdsId="SIM.1" rdsVer="1.0" mi="SIM" mc="%s" dc="%s"/><Skey ci="%s">%s</Skey><Hmac>%s</Hmac><Data type="X">%s</Data></PidData>`,
		base64.StdEncoding.EncodeToString(g.keys.device.Raw), deviceCode, sealed.CI, sealed.Skey, sealed.Hmac, sealed.Data)
	return edge.Capture{PidData: secret.NewPidData(xml), CapturedAt: at, Quality: 80}, nil
}
