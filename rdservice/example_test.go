package rdservice_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"time"

	"galla/rdservice"
	"galla/rdservice/rdcrypto"
	"galla/rdservice/rdsim"
)

// simulator starts a simulated reader in the shape of Morpho's service and
// gives a client that looks for it. At a counter, rdservice.New(rdservice.Config{})
// is all: it looks at the standard ports.
func simulator() (client *rdservice.Client, stop func()) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	authority, err := rdcrypto.DeviceCertificate(key, "authority", 24*time.Hour, rand.Reader)
	if err != nil {
		panic(err)
	}
	device, err := rdsim.New(authority, rand.Reader, slog.New(slog.DiscardHandler), rdsim.Config{Profile: "morpho"})
	if err != nil {
		panic(err)
	}
	server := httptest.NewServer(device)
	client, err = rdservice.New(rdservice.Config{FirstPort: 1, LastPort: 1, Extra: []string{server.URL}})
	if err != nil {
		panic(err)
	}
	return client, server.Close
}

func ExampleClient_Discover() {
	client, stop := simulator()
	defer stop()

	scan, err := client.Discover(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range scan.Services {
		fmt.Println(s.Status, s.Vendor(), s.CapturePath)
	}
	// Output: READY Morpho /capture
}

func ExampleClient_Info() {
	client, stop := simulator()
	defer stop()

	scan, err := client.Discover(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	info, err := client.Info(context.Background(), scan.Services[0])
	if err != nil {
		fmt.Println(err)
		return
	}
	days := time.Until(info.CertificateEnds).Round(24*time.Hour) / (24 * time.Hour)
	fmt.Printf("%s %s, serial %s, level %s, certificate for %d days\n", info.Vendor(), info.MI, info.Serial, info.Level, days)
	// Output: Simulator MSO1300E3RD, serial SIM0000001, level L0, certificate for 30 days
}

func ExampleClient_Capture() {
	client, stop := simulator()
	defer stop()

	scan, err := client.Discover(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	got, err := client.Capture(context.Background(), scan.Services[0], rdservice.Options{Timeout: 15 * time.Second})
	if err != nil {
		fmt.Println(rdservice.Explain(err).Text) // what the agent can do
		return
	}
	fmt.Println(got.Judgement.Action, got.Judgement.Text)
	fmt.Println(got.PidData) // the bytes leave through Reveal only
	// Output:
	// accept The finger was captured.
	// [PidData]
}

func ExampleExplain() {
	client, stop := simulator()
	stop() // the service has ended, as after unplugging the reader

	scan, err := client.Discover(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, failure := range scan.Failures {
		if !errors.Is(failure, rdservice.ErrRefused) {
			continue
		}
		j := rdservice.Explain(failure)
		fmt.Println(j.Action, j.Key)
	}
	// Output:
	// retry-device rd.refused
	// retry-device rd.refused
}

func ExampleOptions_XML() {
	xml, err := rdservice.Options{Fingers: 2, Timeout: 20 * time.Second}.XML()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", xml)
	// Output: <PidOptions ver="1.0"><Opts fCount="2" fType="2" iCount="0" pCount="0" format="0" pidVer="2.0" timeout="20000" posh="UNKNOWN" env="P"/></PidOptions>
}

func ExampleParseRDService() {
	reply := `<RDService status="NOTREADY" info="Morpho_RD_Service"><Interface id="CAPTURE" path="/127.0.0.1:11102/capture"/></RDService>`
	a, err := rdservice.ParseRDService([]byte(reply))
	fmt.Println(a.Status, a.CapturePath, err)
	// Output: NOTREADY /127.0.0.1:11102/capture <nil>
}
