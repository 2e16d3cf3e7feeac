package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"galla/shared/settings"
)

// Config sets up an Exporter.
type Config struct {
	Service string // galla-central or galla-edge
	Version string // of the program
	// Endpoint is the collector's base URL, such as http://127.0.0.1:4318;
	// /v1/traces is added. Empty: the standard variables of the environment
	// (OTEL_EXPORTER_OTLP_…) have it.
	Endpoint string
	// Share is the part of all operations that is traced, from 0 to 1. All programs
	// of an installation should have the same.
	Share  float64
	Logger *slog.Logger

	at string // where spans are sent, for Reach
}

// Settings are the flags and settings for traces; programs embed them in their command
// line (package settings).
type Settings struct {
	Endpoint string  `name:"otlp-endpoint" env:"OTEL_EXPORTER_OTLP_ENDPOINT" help:"Base URL of the OpenTelemetry collector that traces are sent to, by OTLP over HTTP, such as http://127.0.0.1:4318; without it none are sent. Headers, if it needs any, are OTEL_EXPORTER_OTLP_HEADERS in the environment."`
	Share    float64 `name:"trace-share" env:"GALLA_TRACE_SHARE" default:"1" help:"Part of all operations whose traces are sent, from 0 to 1; the same in all programs of an installation. OTEL_TRACES_SAMPLER wins over it."`
}

// Names of the standard variables of OpenTelemetry.
const (
	tracesVar   = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	exporterVar = "OTEL_TRACES_EXPORTER"
	samplerVar  = "OTEL_TRACES_SAMPLER"
)

// Config returns the configuration of an exporter; nil: no traces are wanted. An
// endpoint enables them, of the settings or of the standard variables of OpenTelemetry;
// OTEL_SDK_DISABLED=true and OTEL_TRACES_EXPORTER=none disable them; OTEL_TRACES_SAMPLER
// and its _ARG win over the share. The exporter itself reads headers, certificates,
// compression and time-outs by their standard names.
func (s Settings) Config(getenv func(string) string) (*Config, error) {
	var wrong []error
	if err := checkEndpoint(s.Endpoint); err != nil {
		wrong = append(wrong, fmt.Errorf("otlp-endpoint: %w", err))
	}
	cfg, sampler := Config{Share: s.Share}, getenv(samplerVar)
	if sampler == "" && !isShare(s.Share) {
		wrong = append(wrong, fmt.Errorf("trace-share %v: want a number from 0 to 1", s.Share))
	}
	own, exporter := getenv(tracesVar), getenv(exporterVar)
	if s.Endpoint == "" && own == "" || strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") || exporter == "none" {
		return nil, errors.Join(wrong...)
	}
	if sampler != "" {
		share, err := parseSampler(sampler, getenv(samplerVar+"_ARG"))
		cfg.Share, wrong = share, append(wrong, err)
	}
	if err := checkEndpoint(own); err != nil {
		wrong = append(wrong, fmt.Errorf("%s: %w", tracesVar, err))
	}
	if exporter != "" && exporter != "otlp" {
		wrong = append(wrong, fmt.Errorf("%s %q: this program speaks otlp; set it to otlp or none", exporterVar, exporter))
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"} {
		if protocol := getenv(name); protocol != "" && protocol != "http/protobuf" {
			wrong = append(wrong, fmt.Errorf("%s %q: this program speaks http/protobuf; point it at the collector's HTTP port, usually 4318", name, protocol))
		}
	}
	if cfg.at = own; own == "" {
		cfg.Endpoint, cfg.at = s.Endpoint, s.Endpoint
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return &cfg, nil
}

func isShare(n float64) bool { return n >= 0 && n <= 1 } // and no NaN

const reachTimeout = 3 * time.Second

// Reach checks whether a collector listens. The error is for people: a program works
// without its collector.
func Reach(ctx context.Context, cfg Config) error {
	u, err := url.Parse(cfg.at)
	if err != nil || u.Host == "" {
		return errors.New("the address is in variables that only the exporter reads")
	}
	addr := settings.Address(u.Scheme + "://" + u.Host).HostPort()
	conn, err := (&net.Dialer{Timeout: reachTimeout}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("no collector accepts them at %s, and they are dropped until one does: %w", addr, err)
	}
	return conn.Close()
}

// parseSampler reads which part of the operations is wanted.
func parseSampler(sampler, arg string) (float64, error) {
	switch strings.TrimPrefix(sampler, "parentbased_") {
	case "always_on":
		return 1, nil
	case "always_off":
		return 0, nil
	case "traceidratio":
		part, err := strconv.ParseFloat(arg, 64)
		if arg == "" {
			return 1, nil // the standard's default
		}
		if err != nil || !isShare(part) {
			return 0, fmt.Errorf("OTEL_TRACES_SAMPLER_ARG %q: want a number from 0 to 1", arg)
		}
		return part, nil
	}
	return 0, fmt.Errorf("OTEL_TRACES_SAMPLER %q: want always_on, always_off or traceidratio, with or without parentbased_ before it", sampler)
}

// checkEndpoint accepts an address without user and password: those would be logged.
// Headers have a variable of their own. Empty is fine.
func checkEndpoint(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || (u.Scheme != "http" && u.Scheme != "https") {
		return errors.New("want http:// or https://, a host and a port, without user and password")
	}
	return nil
}

func (c Config) validate() error {
	var wrong []error
	if c.Service == "" || c.Logger == nil {
		wrong = append(wrong, errors.New("the service's name and a logger are needed"))
	}
	if err := checkEndpoint(c.Endpoint); err != nil {
		wrong = append(wrong, fmt.Errorf("endpoint: %w", err))
	}
	if !isShare(c.Share) {
		wrong = append(wrong, fmt.Errorf("share %v: want a number from 0 to 1", c.Share))
	}
	return errors.Join(wrong...)
}
