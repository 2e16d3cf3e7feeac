package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"galla/rdservice"
)

// localSandbox is the sandbox's bank and reader (sandbox.md, section 6). A capture also
// works with a real reader.
type localSandbox struct {
	bank, reader string // addresses without a path
	http         http.Client
	rd           *rdservice.Client
}

func newLocalSandbox(bank, reader string) (*localSandbox, error) {
	// No ports are searched: the reader is asked at its address.
	rd, err := rdservice.New(rdservice.Config{FirstPort: 1, LastPort: 1})
	if err != nil {
		return nil, fmt.Errorf("prepare the reader's client: %w", err)
	}
	return &localSandbox{bank: bank, reader: reader, rd: rd}, nil
}

func (s *localSandbox) capture(ctx context.Context, ekyc bool) (string, error) {
	service, err := s.rd.Probe(ctx, s.reader)
	if err != nil {
		return "", fmt.Errorf("find the reader: %w", err)
	}
	o := rdservice.Options{}
	if ekyc {
		o.Wadh = rdservice.WadhEKYC
	}
	captured, err := s.rd.Capture(ctx, service, o)
	if err != nil {
		return "", fmt.Errorf("capture a finger: %w", err)
	}
	if captured.PidData.IsZero() {
		return "", fmt.Errorf("capture a finger: the reader answers %s", captured.Reply.ErrCode)
	}
	return captured.PidData.Reveal(), nil
}

func (s *localSandbox) otp(ctx context.Context, mobile string) (string, error) {
	// The number is not in an error: it may be a person's.
	body, err := s.do(ctx, http.MethodGet, s.bank+"/inbox/"+url.PathEscape(mobile), nil)
	if err != nil {
		return "", fmt.Errorf("read the sandbox's inbox: %w", err)
	}
	var texts []struct {
		OTP string `json:"otp"`
	}
	if err := json.Unmarshal(body, &texts); err != nil {
		return "", errors.New("read the sandbox's inbox: the reply is no list of texts")
	}
	for _, text := range texts {
		if text.OTP != "" {
			return text.OTP, nil
		}
	}
	return "", errors.New("the sandbox's inbox of this mobile number has no one-time password")
}

func (s *localSandbox) placeFinger(ctx context.Context, aadhaar string) error {
	body, err := json.Marshal(map[string]any{"aadhaar": aadhaar, "finger": "RIGHT_INDEX", "quality": 80})
	if err != nil {
		return errors.New("the finger's owner is no text")
	}
	if _, err := s.do(ctx, http.MethodPost, s.reader+"/sim/finger", body); err != nil {
		return fmt.Errorf("lay a finger on the simulated reader: %w", err)
	}
	return nil
}

// do sends a request to the sandbox. Its error has neither the path nor the body.
func (s *localSandbox) do(ctx context.Context, method, address string, body []byte) ([]byte, error) {
	q, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the address is wrong")
	}
	q.Header.Set("Accept", "application/json")
	q.Header.Set("Content-Type", "application/json")
	reply, err := s.http.Do(q)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return nil, err
	}
	defer func() { _ = reply.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(reply.Body, maxReply))
	if err == nil && reply.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("HTTP %d", reply.StatusCode)
	}
	return text, err
}

// runCentral runs galla-central, the one beside this program or else that of the path. It
// has this program's environment. What it reports goes to stderr.
func runCentral(ctx context.Context, args []string, stderr io.Writer) ([]byte, error) {
	const name = "galla-central"
	program := name
	if self, err := os.Executable(); err == nil {
		if beside := filepath.Join(filepath.Dir(self), name); isFile(beside) {
			program = beside
		}
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = &out, stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("run %s: %w", name, err)
	}
	return out.Bytes(), nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
