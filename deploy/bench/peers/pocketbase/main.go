// Command pocketbase is PocketBase as it ships, with one collection that everybody may insert
// into.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
)

func main() {
	data := flag.String("data", "", "folder for its data")
	addr := flag.String("addr", "", "host:port to listen on")
	flag.Parse()
	if err := run(*data, *addr); err != nil {
		fmt.Fprintln(os.Stderr, "pocketbase:", err)
		os.Exit(1)
	}
}

func run(data, addr string) error {
	app := pocketbase.NewWithConfig(pocketbase.Config{DefaultDataDir: data, HideStartBanner: true})
	if err := app.Bootstrap(); err != nil {
		return err
	}
	if err := app.RunAllMigrations(); err != nil {
		return err
	}
	if _, err := app.FindCollectionByNameOrId("withdrawals"); err != nil {
		if err := addCollection(app); err != nil {
			return err
		}
	}
	return apis.Serve(app, apis.ServeConfig{HttpAddr: addr})
}

// addCollection makes a collection like the main columns of a withdrawal, without an index of
// its own.
func addCollection(app core.App) error {
	c := core.NewBaseCollection("withdrawals")
	everybody := ""
	c.CreateRule = &everybody
	for _, name := range []string{"identity", "merchant", "aadhaar", "bank", "state", "reference"} {
		c.Fields.Add(&core.TextField{Name: name})
	}
	c.Fields.Add(&core.NumberField{Name: "amount"})
	return app.Save(c)
}
