package main

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"galla/central"
	"galla/central/admincli"
	"galla/central/server"
	"galla/central/staff"
)

type vendorCommand struct {
	Add struct {
		Name       string `help:"The company's name."`
		Aggregator string `help:"Id of the aggregator it belongs to; it can't be replaced later."`
	} `cmd:"" help:"Add an active vendor and print it."`
	List struct {
		Text string `help:"A part of the name, or the whole id."`
	} `cmd:"" help:"List vendors, by name."`
	Suspend struct {
		Vendor string `arg:"" help:"The vendor's id."`
	} `cmd:"" help:"Suspend a vendor: all its requests are refused. Its merchants' own requests go on."`
	Resume struct {
		Vendor string `arg:"" help:"The vendor's id."`
	} `cmd:"" help:"Enable a suspended vendor again."`
	Key    keyCommand    `cmd:"" help:"Manage vendors' keys at the gateway."`
	Person personCommand `cmd:"" help:"Manage who may use the portal for a vendor."`
	JSON   bool          `name:"json" help:"Print JSON, for programs: of add, list, suspend, resume and key add."`
}

type personCommand struct {
	Add struct {
		Vendor string `arg:"" help:"The vendor's id."`
		Login  string `arg:"" help:"The login, which never changes: a letter, then letters, digits and . _ @ -."`
		Name   string `arg:"" help:"The person's name."`
		Role   string `enum:"owner,member" default:"owner" help:"member acts for the vendor; owner also manages its people."`
	} `cmd:"" help:"Add a person and print a set-up code, once. An owner adds the others on the portal."`
	List struct {
		Vendor string `arg:"" help:"The vendor's id."`
	} `cmd:"" help:"List a vendor's people, with their state."`
	Disable struct {
		Vendor string `arg:"" help:"The vendor's id."`
		Login  string `arg:"" help:"Who."`
	} `cmd:"" help:"Disable a person: password and second factor are deleted, the sessions end."`
	Reset struct {
		Vendor string `arg:"" help:"The vendor's id."`
		Login  string `arg:"" help:"Who."`
	} `cmd:"" help:"Delete a person's password and second factor and print a new set-up code, once. This also enables a disabled person."`
}

// run runs a command on the database; centrals may run meanwhile.
func (p *personCommand) run(ctx context.Context, cfg server.Config, command string, out io.Writer) (err error) {
	vendor := cmp.Or(p.Add.Vendor, p.List.Vendor, p.Disable.Vendor, p.Reset.Vendor)
	people, err := admincli.OpenPeople(ctx, commandConfig(cfg), vendor)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, people.Close()) }()
	switch command {
	case "vendor person add <vendor> <login> <name>":
		role, err := staff.PortalRole(p.Add.Role)
		if err != nil {
			return err
		}
		return people.Add(ctx, p.Add.Login, p.Add.Name, string(role), out)
	case "vendor person list <vendor>":
		return people.List(ctx, out)
	case "vendor person disable <vendor> <login>":
		return people.Disable(ctx, p.Disable.Login, out)
	case "vendor person reset <vendor> <login>":
		return people.Reset(ctx, p.Reset.Login, out)
	}
	return fmt.Errorf("%q is no command", command)
}

type keyCommand struct {
	Add struct {
		Vendor string `arg:"" help:"The vendor's id."`
	} `cmd:"" help:"Make a key for a vendor and print it, once. A vendor has at most two live keys."`
	List struct {
		Vendor string `arg:"" optional:"" help:"The vendor's id; by default all vendors."`
	} `cmd:"" help:"List keys. No secret is shown."`
	Revoke struct {
		Key string `arg:"" help:"The key's id, as list shows it, or its API key."`
	} `cmd:"" help:"Revoke a key; this can't be undone. A running central refuses it within a second."`
	Rewrap struct{} `cmd:"" help:"Seal all vendor keys, callback secrets, second factors of staff and documents again under the first master key, after a new one was added."`
}

// run runs a command on the database; centrals may run meanwhile.
func (k *keyCommand) run(ctx context.Context, cfg server.Config, command string, json bool, out io.Writer) (err error) {
	keys, err := admincli.OpenVendorKeys(ctx, commandConfig(cfg))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, keys.Close()) }()
	switch command {
	case "vendor key add <vendor>":
		return k.add(ctx, keys, json, out)
	case "vendor key list", "vendor key list <vendor>":
		return k.list(ctx, keys, out)
	case "vendor key revoke <key>":
		id, err := keys.Revoke(ctx, k.Revoke.Key)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "Key %s is revoked.\n", id)
		return err
	case "vendor key rewrap":
		n, err := keys.Rewrap(ctx)
		_, writeErr := fmt.Fprintf(out, "%d live keys, callback secrets, second factors and documents are sealed under the first master key.\n", n)
		return errors.Join(err, writeErr)
	}
	return fmt.Errorf("%q is no command", command)
}

func (k *keyCommand) add(ctx context.Context, keys *admincli.VendorKeys, json bool, out io.Writer) error {
	issued, err := keys.Add(ctx, central.VendorID(k.Add.Vendor))
	if err != nil {
		return err
	}
	if json {
		return admincli.PrintJSON(out, struct {
			ID     central.KeyID    `json:"id"`
			Vendor central.VendorID `json:"vendor"`
			APIKey string           `json:"api_key"`
			Key    string           `json:"key"`
		}{issued.ID, issued.Vendor, issued.APIKey.Reveal(), hex.EncodeToString(issued.Key.Reveal())})
	}
	_, err = fmt.Fprintf(out, "id       %s\nvendor   %s\napi key  %s\nkey      %s\n\nHand over the API key and the key separately. They are not shown again: Galla keeps the\nkey sealed and the API key not at all.\n",
		issued.ID, issued.Vendor, issued.APIKey.Reveal(), hex.EncodeToString(issued.Key.Reveal()))
	return err
}

func (k *keyCommand) list(ctx context.Context, keys *admincli.VendorKeys, out io.Writer) error {
	list, err := keys.List(ctx, central.VendorID(k.List.Vendor))
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tVENDOR\tAPI KEY\tCREATED\tLAST USED\tUSES (COUNTED AHEAD)\tSTATE")
	for _, key := range list {
		state := "live"
		if !key.RevokedAt.IsZero() {
			state = "revoked " + formatTime(key.RevokedAt)
		}
		fmt.Fprintf(table, "%s\t%s\t…%s\t%s\t%s\t%d\t%s\n", key.ID, key.Vendor, key.Hint, formatTime(key.CreatedAt), formatTime(key.UsedAt), key.Uses, state)
	}
	return table.Flush()
}

func formatTime(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("2006-01-02T15:04:05Z")
}
