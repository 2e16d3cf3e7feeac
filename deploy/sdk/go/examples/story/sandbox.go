package main

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

// What a shop has and a program does not: a finger on the reader, and a telephone that gets
// one-time passwords. Here both are the sandbox's.

// sandboxText makes a request to the reader or the bank.
func sandboxText(method, address, body string) (string, error) {
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

// placeFinger lays the finger of one of the sandbox's people on the reader.
func placeFinger(aadhaar string) error {
	_, err := sandboxText("POST", reader()+"/sim/finger", fmt.Sprintf(`{"aadhaar":%q,"finger":"RIGHT_INDEX","quality":80}`, aadhaar))
	return err
}

// capture gives one capture, as a registered device's service does. It serves one
// transaction. One for an e-KYC step has UIDAI's wadh of it besides.
func capture(ekyc bool) (string, error) {
	wadh := ""
	if ekyc {
		sum := sha256.Sum256([]byte("2.5FYNNN"))
		wadh = `wadh="` + base64.StdEncoding.EncodeToString(sum[:]) + `" `
	}
	return sandboxText("CAPTURE", reader()+"/rd/capture", `<PidOptions ver="1.0"><Opts fCount="1" fType="2" iCount="0" pCount="0" format="0" pidVer="2.0" timeout="10000" `+wadh+`posh="UNKNOWN" env="P"/></PidOptions>`)
}

// otp gives the newest one-time password of a mobile number.
func otp(mobile string) (string, error) {
	text, err := sandboxText("GET", cmp.Or(os.Getenv("GALLA_BANK"), "http://127.0.0.1:7300")+"/inbox/"+mobile, "")
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
