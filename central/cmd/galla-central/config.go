package main

import (
	"galla/central/server"
	"galla/shared/settings"
)

// newBook returns the rules of the settings file: settings that are secret may not be
// in it, and the environment variables that 'config' prints besides.
func newBook() *settings.Resolver {
	const inKeys = "it is a file in keys/ of the data folder"
	return settings.New(settings.Config{
		SecretNames: map[string]string{
			"vendor-master-key":     inKeys + ", vendor-master.key, or " + masterKeys + " in the environment",
			"vendor-master":         inKeys + ", vendor-master.key, or " + masterKeys + " in the environment",
			"bank-network-key":      inKeys + ", bank-network.key",
			"fingerprint-key":       inKeys + ", fingerprint.key",
			"token-signing-key":     inKeys + ", token-signing.key",
			"log-signing-key":       inKeys + ", log-signing.key",
			"database-password":     "give the whole URL as " + databaseURL + " in the environment, or the password in a file that PGPASSFILE names",
			"pgpassword":            "give the password in a file that PGPASSFILE names",
			"reports-bucket-key":    "it is the first line of the file that reports-bucket-credentials names",
			"reports-bucket-secret": "it is the second line of the file that reports-bucket-credentials names",
			"otlp-headers":          "give them in the environment, as OTEL_EXPORTER_OTLP_HEADERS",
		},
		SecretVariables:  []string{databaseURL, masterKeys},
		VariablePrefixes: []string{"OTEL_"},
	})
}

// fillDefaults sets flags that were not given to the values that a central uses, so that
// 'config' prints the values in force.
func (c *cli) fillDefaults(cfg server.Config) error {
	r := &c.Config
	cfg, err := r.settings(cfg)
	if err != nil {
		return err
	}
	cfg = cfg.InForce()
	c.Node, c.Archives = cfg.Node, cfg.Archive
	r.UplinkURL, r.PIDFile, r.BodyRetention = cfg.UplinkURL, cfg.PIDFile, cfg.BodyRetention
	r.UplinkGreetings = cfg.UplinkGreetings
	r.Load = cfg.Load
	if cfg.Traces != nil {
		r.Traces.Share = cfg.Traces.Share
	}
	return nil
}
