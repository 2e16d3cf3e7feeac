package rdsim

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"galla/rdservice"
	"galla/rdservice/rdcrypto"
)

// served listens with devices on the real network, serves them until the test
// ends, and gives the addresses.
func served(t *testing.T, devices ...*Device) []string {
	t.Helper()
	o, err := Listen(t.Context(), devices...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- o.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return o.Addresses()
}

// A device at an https address with a certificate of its own making captures,
// breaks off and resets as at a plain one; its page's forms are taken from its
// own origin.
func TestHTTPS(t *testing.T) {
	for _, profile := range []string{profilePlain, profileStartek} {
		t.Run(profile, func(t *testing.T) {
			d := newDevice(t, Config{Address: "https://127.0.0.1:0", Profile: profile}, io.Discard)
			at := served(t, d)[0]
			if !strings.HasPrefix(at, "https://127.0.0.1:") {
				t.Fatalf("listens at %s", at)
			}
			client, err := rdservice.New(rdservice.Config{FirstPort: 1, LastPort: 1, Extra: []string{at}})
			if err != nil {
				t.Fatal(err)
			}
			s := only(t, client)
			got, err := client.Capture(t.Context(), s, rdservice.Options{})
			if err != nil || got.Judgement.Action != rdservice.Accept {
				t.Fatalf("%+v, %v", got, err)
			}
			open(t, got)
			list, faults := readScript([]byte(`[{"reset":true},{"truncate":true}]`))
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			d.mu.Lock()
			d.script = list
			d.mu.Unlock()
			for range 2 {
				if _, err := client.Capture(t.Context(), s, rdservice.Options{}); !errors.Is(err, rdservice.ErrBroken) {
					t.Errorf("got %v", err)
				}
			}
			browser := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true},
				CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			for origin, want := range map[string]int{at: http.StatusSeeOther, strings.Replace(at, "https:", "http:", 1): http.StatusForbidden} {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at+"/page/device", strings.NewReader("status=NOTREADY"))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				r.Header.Set("Origin", origin)
				resp, err := browser.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				if _ = resp.Body.Close(); resp.StatusCode != want {
					t.Errorf("a form of %s: HTTP %d", origin, resp.StatusCode)
				}
			}
		})
	}
}

// Several devices in one program, one of them at two addresses: each has its
// own identity, and a device is the same behind all its addresses.
func TestSeveral(t *testing.T) {
	both := newDevice(t, Config{Address: "127.0.0.1:0", Also: []string{"https://127.0.0.1:0"}, Serial: "BOTH"}, io.Discard)
	other := newDevice(t, Config{Address: "127.0.0.1:0", Profile: profileMorpho, Serial: "OTHER"}, io.Discard)
	at := served(t, both, other)
	client, err := rdservice.New(rdservice.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var serials, codes []string
	for _, address := range at {
		s, err := client.Probe(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		info, err := client.Info(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		serials, codes = append(serials, info.Serial), append(codes, info.DC)
	}
	if !slices.Equal(serials, []string{"BOTH", "BOTH", "OTHER"}) || codes[0] != codes[1] || codes[0] == codes[2] {
		t.Errorf("serials %v, device codes %v", serials, codes)
	}
	if o, err := Listen(t.Context(), newDevice(t, Config{Address: "127.0.0.1:0", Also: []string{at[2]}}, io.Discard)); err == nil || !strings.Contains(err.Error(), at[2]) {
		t.Errorf("a taken second address: %v, %v", o, err)
	}
}

// Irises and a face are captured in their real sizes, and the bank's key opens
// them; what a device does not read, it refuses by its family's codes.
func TestIrisAndFace(t *testing.T) {
	for _, tt := range []struct {
		profile      string
		options      rdservice.Options
		records      [][]byte
		least, most  int // bytes of PidData
		other, empty string
		wrong        rdservice.Options
		action       rdservice.Action // of an empty glass
	}{
		{profileIris, rdservice.Options{Irises: 2}, [][]byte{rdcrypto.IrisImage(startAadhaar, rdcrypto.LeftIris), rdcrypto.IrisImage(startAadhaar, rdcrypto.RightIris)},
			8 << 10, 16 << 10, "750", "700", rdservice.Options{Fingers: 1}, rdservice.RetryCustomer},
		{profileFace, rdservice.Options{Faces: 1}, [][]byte{rdcrypto.FaceImage(startAadhaar)},
			170 << 10, 200 << 10, "100", "161", rdservice.Options{Fingers: 1}, rdservice.RetryCustomer},
	} {
		t.Run(tt.profile, func(t *testing.T) {
			inBubble(t, Config{Profile: tt.profile}, func(t *testing.T, b bench) {
				s := only(t, b.client)
				got, err := b.client.Capture(t.Context(), s, tt.options)
				if err != nil || got.Judgement.Action != rdservice.Accept {
					t.Fatalf("%+v, %v", got, err)
				}
				if n := got.PidData.Len(); n < tt.least || n > tt.most {
					t.Errorf("%d bytes", n)
				}
				if n, _ := got.Reply.NmPoints.Lowest(); n != 0 {
					t.Errorf("minutiae %v", got.Reply.NmPoints)
				}
				pid := open(t, got)
				if len(pid.Bios) != len(tt.records) {
					t.Fatalf("%d records", len(pid.Bios))
				}
				for i, record := range tt.records {
					if !bytes.Equal(pid.Bios[i].Raw.Reveal(), record) {
						t.Errorf("record %d is another", i)
					}
				}
				refused, err := b.client.Capture(t.Context(), s, tt.wrong)
				if err != nil || refused.Reply.ErrCode != tt.other || refused.PidData.Len() != 0 {
					t.Errorf("fingers: %+v, %v", refused.Reply, err)
				}
				b.mu.Lock()
				b.glass.finger = NoFinger
				b.mu.Unlock()
				nobody, err := b.client.Capture(t.Context(), s, tt.options)
				if err != nil || nobody.Reply.ErrCode != tt.empty || nobody.Judgement.Action != tt.action {
					t.Errorf("nobody there: %+v, %v", nobody, err)
				}
			})
		})
	}
	finger, _, client := start(t, Config{})
	for _, o := range []rdservice.Options{{Irises: 1}, {Faces: 1}} {
		got, err := client.Capture(t.Context(), only(t, client), o)
		if err != nil || got.Judgement.Usable || finger.Journal()[0].Outcome != endAnswered {
			t.Errorf("%+v: %+v, %v", o, got, err)
		}
	}
}
