package partner_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"galla/shared/envelope"
	"galla/shared/partner"
	"galla/shared/partner/partnertest"
)

// A balance enquiry, against a double of the gateway.
func ExampleClient_Call() {
	key, err := envelope.ParseKey("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
	if err != nil {
		fmt.Println(err)
		return
	}
	gateway, err := partnertest.New(partnertest.Config{
		ClientID: "vk_sandbox_sahyadri", Key: key, Rand: rand.Reader,
		Answer: func(method, route string, body []byte) (int, []byte) {
			return http.StatusOK, []byte(`{"statusCode":"00","message":"Banks","data":[{"iin":"607094","bankName":"State Bank of India"}]}`)
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(gateway)
	defer server.Close()

	client, err := partner.New(partner.Config{
		BaseURL: server.URL, ClientID: "vk_sandbox_sahyadri", Key: key, Rand: rand.Reader,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	reply, err := client.Call(context.Background(), "GET", "/aeps/banks", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(reply.Status, reply.Code, reply.Message)
	// Output: 200 00 Banks
}

// A withdrawal whose first reply is lost: the same call is sent again, and runs
// once.
func ExampleClient_Send() {
	key, err := envelope.ParseKey("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
	if err != nil {
		fmt.Println(err)
		return
	}
	runs := 0
	gateway, err := partnertest.New(partnertest.Config{
		ClientID: "vk_sandbox_sahyadri", Key: key, Rand: rand.Reader,
		Answer: func(method, route string, body []byte) (int, []byte) {
			runs++
			return http.StatusOK, []byte(`{"statusCode":"00","message":"Transaction successful"}`)
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	lost := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !lost { // the gateway runs the call; its reply never arrives
			lost = true
			gateway.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		gateway.ServeHTTP(w, r)
	}))
	defer server.Close()

	client, err := partner.New(partner.Config{BaseURL: server.URL, ClientID: "vk_sandbox_sahyadri", Key: key, Rand: rand.Reader})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	call, err := client.Prepare("POST", "/aeps/withdrawal", map[string]any{
		"merchantId": "c0000000-0000-4000-8000-000000000001", "TxnAmount": 500, // and the other fields
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	reply, err := client.Send(ctx, call)
	for tries := 1; partner.SafeToRetry(err) && tries < 5; tries++ {
		time.Sleep(time.Millisecond) // a second, in a program
		reply, err = client.Send(ctx, call)
	}
	fmt.Println(reply.Message, err)
	fmt.Println("executed:", runs)
	// Output:
	// Transaction successful <nil>
	// executed: 1
}
