// Command withdraw pays out 500 rupees in the sandbox of `make run`.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	galla "galla.example/sdk"
	"galla.example/sdk/examples/sandbox" // of a shop: the reader's RD service
)

func main() {
	ctx := context.Background()
	client, err := galla.NewDirect(galla.DirectConfig{
		Config:   galla.Config{BaseURL: "http://127.0.0.1:7100"},
		ClientID: "merchant-lakshmi", ClientSecret: "sandbox-merchant-1", // public, of the sandbox
	})
	if err != nil {
		log.Fatal(err)
	}
	pidData, err := sandbox.Capture("999941057058")
	if err != nil {
		log.Fatal(err)
	}
	key := galla.NewKey() // store it before the call
	result, err := client.AepsWithdrawal(ctx, galla.AepsWithdrawalParams{
		AadharNo: "999941057058", TxnAmount: 500_00, Latitude: "18.5204", Longitude: "73.8567",
		CustomerName: "Shivshankar Choudhury", PidData: pidData,
	}, galla.WithKey(key))
	if err == nil { // a pending result gives no cash yet
		result, err = galla.Wait(ctx, client, result, 2*time.Minute)
	}
	if err != nil {
		log.Fatal(err) // errors.Is(err, galla.ErrOutcomeUnknown): the same again, with the same key
	}
	fmt.Println(result.State) // success, declined, reversed, or still pending
	if result.OK() {
		fmt.Printf("give 500.00; %s\n", result.Data.RetailerReferenceNumber)
	}
}
