// Package sandbox has what a shop has and a program does not: a finger on the reader, and a
// telephone that gets one-time passwords. Here both are the sandbox's. GALLA_READER and
// GALLA_BANK set their addresses.
package sandbox

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// request makes one to the reader or the bank.
func request(method, address, body string) (string, error) {
	q, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	q.Header.Set("Accept", "application/json")
	p, err := http.DefaultClient.Do(q)
	if err != nil {
		return "", fmt.Errorf("the sandbox does not answer (does make run run?): %w", err)
	}
	defer func() { _ = p.Body.Close() }()
	text, err := io.ReadAll(p.Body)
	if err == nil && p.StatusCode != http.StatusOK {
		err = fmt.Errorf("the sandbox answers HTTP %d", p.StatusCode)
	}
	return string(text), err
}

func reader() string { return cmp.Or(os.Getenv("GALLA_READER"), "http://127.0.0.1:11100") }

// Capture lays the finger of one of the sandbox's people on the reader, and gives a capture
// of it, as a registered device's service does. It serves one transaction.
func Capture(aadhaar string) (string, error) { return capture(aadhaar, "") }

// CaptureEKYC is Capture for an e-KYC step, which has UIDAI's wadh of it besides.
func CaptureEKYC(aadhaar string) (string, error) {
	sum := sha256.Sum256([]byte("2.5FYNNN"))
	return capture(aadhaar, `wadh="`+base64.StdEncoding.EncodeToString(sum[:])+`" `)
}

func capture(aadhaar, wadh string) (string, error) {
	if _, err := request("POST", reader()+"/sim/finger", fmt.Sprintf(`{"aadhaar":%q,"finger":"RIGHT_INDEX","quality":80}`, aadhaar)); err != nil {
		return "", err
	}
	return request("CAPTURE", reader()+"/rd/capture", `<PidOptions ver="1.0"><Opts fCount="1" fType="2" iCount="0" pCount="0" format="0" pidVer="2.0" timeout="10000" `+wadh+`posh="UNKNOWN" env="P"/></PidOptions>`)
}

// OTP gives the newest one-time password of a mobile number.
func OTP(mobile string) (string, error) {
	text, err := request("GET", cmp.Or(os.Getenv("GALLA_BANK"), "http://127.0.0.1:7300")+"/inbox/"+mobile, "")
	if err != nil {
		return "", err
	}
	var texts []struct {
		OTP string `json:"otp"`
	}
	if err := json.Unmarshal([]byte(text), &texts); err != nil {
		return "", err
	}
	for _, t := range texts {
		if t.OTP != "" {
			return t.OTP, nil
		}
	}
	return "", errors.New("no one-time password has arrived")
}
