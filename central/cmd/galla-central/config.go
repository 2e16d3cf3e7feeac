package main

import (
	"galla/central/server"
	"galla/shared/settings"
)

// newBook says what may not stand in the central's file of settings, and what of
// the environment is told beside it.
func newBook() *settings.Book {
	const inKeys = "it is a file in keys/ of the data folder"
	return settings.New(settings.Config{
		Elsewhere: map[string]string{
			"vendor-master-key": inKeys + ", vendor-master.key, or " + masterKeys + " in the environment",
			"vendor-master":     inKeys + ", vendor-master.key, or " + masterKeys + " in the environment",
			"bank-network-key":  inKeys + ", bank-network.key",
			"fingerprint-key":   inKeys + ", fingerprint.key",
			"token-signing-key": inKeys + ", token-signing.key",
			"database-password": "give the whole URL as " + databaseURL + " in the environment, or the password in a file that PGPASSFILE names",
			"pgpassword":        "give the password in a file that PGPASSFILE names",
			"otlp-headers":      "give them in the environment, as OTEL_EXPORTER_OTLP_HEADERS",
		},
		Secret: []string{databaseURL, masterKeys},
		Also:   []string{"OTEL_"},
	})
}

// inForce puts what a central makes of settings that were not given into the
// flags, so that they are printed as they work.
func (c *cli) inForce(cfg server.Config) error {
	r := &c.Config
	cfg, err := r.settings(cfg)
	if err != nil {
		return err
	}
	cfg = cfg.InForce()
	c.Node, c.Archives = cfg.Node, cfg.Archive
	r.UplinkURL, r.PIDFile, r.KeepBodies = cfg.UplinkURL, cfg.PIDFile, cfg.KeepBodies
	r.GatewayRate, r.GatewayBurst, r.GatewayUnderWay = cfg.GatewayRate, cfg.GatewayBurst, cfg.GatewayUnderWay
	if cfg.Traces != nil {
		r.Traces.Share = cfg.Traces.Share
	}
	return nil
}
