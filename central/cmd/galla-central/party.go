package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"galla/central"
	"galla/central/accounts"
	"galla/central/admincli"
	"galla/central/server"
)

// merchantFlags are the fields of a new merchant. None is required by the parser: the
// service names all that are wrong or missing at once.
type merchantFlags struct {
	Name    string `help:"The company's name."`
	MID     string `name:"mid" help:"The merchant's id at the network, such as GAL0000001; it can't be changed."`
	Mobile  string `help:"The owner's mobile number: ten digits. OTPs of the onboarding go to it."`
	Address string `help:"The shop's address, as receipts show it."`
	AppID   string `name:"appid" help:"The network's id of the application, which the onboarding submits."`
	VPA     string `name:"vpa" help:"UPI address, such as name@bank."`
	MCC     string `name:"mcc" help:"Merchant category code: four digits."`
	Vendor  string `help:"Id of the vendor it belongs to."`
	Approve bool   `help:"Approve it as well: its requests are served at once."`
}

type merchantCommand struct {
	Add  merchantFlags `cmd:"" help:"Add a merchant and print it. It is PENDING until it is approved."`
	List struct {
		Status string `enum:",PENDING,APPROVED,SUSPENDED,REJECTED" default:"" help:"PENDING, APPROVED, SUSPENDED or REJECTED; by default all."`
		Vendor string `help:"Id of the vendor; by default all."`
		Text   string `help:"A part of the name, or the whole id, MID or mobile number."`
	} `cmd:"" help:"List merchants, by name."`
	Show struct {
		Merchant string `arg:"" help:"The merchant's id."`
	} `cmd:"" help:"Print a merchant."`
	Approve struct {
		Merchant string `arg:"" help:"The merchant's id."`
	} `cmd:"" help:"Approve a merchant that is PENDING or SUSPENDED: its requests are served."`
	Reject struct {
		Merchant string `arg:"" help:"The merchant's id."`
	} `cmd:"" help:"Reject a merchant that is PENDING; this can't be undone."`
	Suspend struct {
		Merchant string `arg:"" help:"The merchant's id."`
	} `cmd:"" help:"Suspend a merchant: its new requests are refused and its open enrolment codes become void. Operations under way go on."`
	JSON bool `name:"json" help:"Print JSON, for programs."`
}

// fields are the values of the flags that are given.
func (f merchantFlags) fields() accounts.Fields {
	return given(accounts.Fields{accounts.FieldName: f.Name, accounts.FieldMID: f.MID, accounts.FieldMobile: f.Mobile, accounts.FieldAddress: f.Address, accounts.FieldAppID: f.AppID,
		accounts.FieldVPA: f.VPA, accounts.FieldMCC: f.MCC, accounts.FieldVendor: f.Vendor})
}

// given leaves out the fields without a value.
func given(all accounts.Fields) accounts.Fields {
	out := accounts.Fields{}
	for name, value := range all {
		if text := strings.TrimSpace(value); text != "" {
			out[name] = text
		}
	}
	return out
}

// withParties runs a command on the database; centrals may run meanwhile.
func withParties(ctx context.Context, cfg server.Config, json bool, do func(*admincli.Parties) error) (err error) {
	settings := commandConfig(cfg)
	settings.JSON = json
	parties, err := admincli.OpenParties(ctx, settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, parties.Close()) }()
	return do(parties)
}

func (m *merchantCommand) run(ctx context.Context, cfg server.Config, command string, out io.Writer) error {
	return withParties(ctx, cfg, m.JSON, func(p *admincli.Parties) error {
		switch command {
		case "merchant add":
			return p.AddMerchant(ctx, m.Add.fields(), m.Add.Approve, out)
		case "merchant list":
			return p.Merchants(ctx, accounts.Filter{Status: central.MerchantStatus(m.List.Status), Vendor: central.VendorID(m.List.Vendor), Text: m.List.Text}, out)
		case "merchant show <merchant>":
			return p.ShowMerchant(ctx, m.Show.Merchant, out)
		case "merchant approve <merchant>":
			return p.SetMerchantStatus(ctx, m.Approve.Merchant, central.MerchantApproved, out)
		case "merchant reject <merchant>":
			return p.SetMerchantStatus(ctx, m.Reject.Merchant, central.MerchantRejected, out)
		case "merchant suspend <merchant>":
			return p.SetMerchantStatus(ctx, m.Suspend.Merchant, central.MerchantSuspended, out)
		}
		return fmt.Errorf("%q is no command", command)
	})
}

type aggregatorCommand struct {
	Add struct {
		Name string `help:"The company's name."`
	} `cmd:"" help:"Add an aggregator and print it."`
	List struct{} `cmd:"" help:"List aggregators."`
	JSON bool     `name:"json" help:"Print JSON, for programs."`
}

func (a *aggregatorCommand) run(ctx context.Context, cfg server.Config, command string, out io.Writer) error {
	return withParties(ctx, cfg, a.JSON, func(p *admincli.Parties) error {
		switch command {
		case "aggregator add":
			return p.AddAggregator(ctx, given(accounts.Fields{accounts.FieldName: a.Add.Name}), out)
		case "aggregator list":
			return p.Aggregators(ctx, out)
		}
		return fmt.Errorf("%q is no command", command)
	})
}

// run runs a command about vendors, or about their keys.
func (v *vendorCommand) run(ctx context.Context, cfg server.Config, command string, out io.Writer) error {
	if strings.HasPrefix(command, "vendor person ") {
		return v.Person.run(ctx, cfg, command, out)
	}
	if strings.HasPrefix(command, "vendor key ") {
		return v.Key.run(ctx, cfg, command, v.JSON, out)
	}
	return withParties(ctx, cfg, v.JSON, func(p *admincli.Parties) error {
		switch command {
		case "vendor add":
			return p.AddVendor(ctx, given(accounts.Fields{accounts.FieldName: v.Add.Name, accounts.FieldAggregator: v.Add.Aggregator}), out)
		case "vendor list":
			return p.Vendors(ctx, v.List.Text, out)
		case "vendor suspend <vendor>":
			return p.EnableVendor(ctx, v.Suspend.Vendor, false, out)
		case "vendor resume <vendor>":
			return p.EnableVendor(ctx, v.Resume.Vendor, true, out)
		}
		return fmt.Errorf("%q is no command", command)
	})
}
