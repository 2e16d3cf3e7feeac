// Command galla-call sends one request to the central, through the gateway or directly,
// and prints the reply: to try a route, to examine a refusal, to compare with another
// program. It also plays a whole story of requests against the sandbox.
//
//	galla-call --sandbox GET /aeps/banks
//	galla-call --client vk_… --key-file key.txt POST /aeps/balance @body.json
//	galla-call --direct --client merchant-… POST /aeps/balance - < body.json
//	galla-call story onboarding
//
// The route is always the direct one. Through the gateway (the default) the request is
// sealed and sent to /process; with --direct a token is fetched first. Keys and secrets
// come from a file or from the environment (GALLA_KEY, GALLA_CLIENT_SECRET), never from
// arguments, which every user of a machine can read.
//
// Comments on the reply go to standard error, its JSON to standard output, so that
// another program can read it. The exit status is 0 for HTTP statuses below 400, 2 for
// others, and 1 if no genuine reply came. A story has 0 if all its steps were as expected,
// 2 if a reply was not, and 1 if a step could not be played.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"galla/deploy/sdk/stories"
	"galla/shared/settings"
)

// program is the command line: without a command, one request is sent.
type program struct {
	Call  cli          `cmd:"" default:"withargs" help:"Send one request and print the reply (what happens without a command)."`
	Story storyCommand `cmd:"" help:"Play a story of requests against the sandbox, and print a line for each step."`
}

// storyCommand plays a story.
type storyCommand struct {
	URL     settings.Address `env:"GALLA_CENTRAL_ADDR" default:"http://127.0.0.1:7100" help:"Address of the central, without a path."`
	Bank    settings.Address `env:"GALLA_BANK_ADDR" default:"http://127.0.0.1:7300" help:"Address of the sandbox's bank, which has the inboxes."`
	Reader  settings.Address `env:"GALLA_RDSIM_ADDR" default:"http://127.0.0.1:11100" help:"Address of the reader."`
	Timeout time.Duration    `default:"60s" help:"How long to wait for one reply."`
	Print   bool             `help:"Print the story in place of playing it, to write one's own."`

	Story string `arg:"" help:"A ready story (${stories}), or a file such as ./my.json."`
}

// play plays or prints the story.
func (c storyCommand) play(ctx context.Context, w environment) error {
	text, err := readStory(c.Story, stories.Read, func(name string) (io.ReadCloser, error) { return os.Open(name) })
	if err == nil && c.Print {
		_, err = w.stdout.Write(text)
		return err
	}
	if err != nil {
		return err
	}
	s, err := parseStory(text)
	if err != nil {
		return err
	}
	local, err := newLocalSandbox(c.Bank.URL(), c.Reader.URL())
	if err != nil {
		return err
	}
	p := player{
		values: values{sandbox: local, getenv: w.getenv, rand: w.rand}, url: c.URL.URL(), timeout: c.Timeout, env: w,
		central: func(ctx context.Context, args []string) ([]byte, error) { return runCentral(ctx, args, w.stderr) },
	}
	return p.play(ctx, s)
}

type cli struct {
	Gateway bool `xor:"entrance" help:"Send through the gateway, sealed (the default)."`
	Direct  bool `xor:"entrance" help:"Send to the HTTP API directly, with an access token."`
	Sandbox bool `help:"Use the sandbox's vendor V1 at the gateway, its merchant M1 with --direct."`

	URL        settings.Address `env:"GALLA_CENTRAL_ADDR" default:"http://127.0.0.1:7100" help:"Address of the central, without a path."`
	Client     string           `env:"GALLA_CLIENT_ID" help:"API key at the gateway, client id with --direct."`
	KeyFile    string           `type:"path" help:"File with the encryption key (gateway), in place of $$GALLA_KEY."`
	SecretFile string           `type:"path" help:"File with the client's secret (direct), in place of $$GALLA_CLIENT_SECRET."`
	RequestID  string           `name:"id" help:"Identity of an earlier request, to repeat it: a UUID in lower case. Default: a new one."`
	Timeout    time.Duration    `default:"60s" help:"How long to wait for the reply."`
	Verbose    bool             `short:"v" help:"Print the text that the checksum covers, of request and reply."`

	Method string `arg:"" help:"GET, POST, PUT or DELETE."`
	Route  string `arg:"" help:"Path of the direct route, such as /aeps/balance, with ?query where there is one."`
	Body   string `arg:"" optional:"" help:"JSON object; @file reads a file, - standard input. Better not as an argument where it names a person."`
}

func main() {
	var c program
	chosen := kong.Parse(&c, kong.Name("galla-call"), kong.Description("Send one request to Galla's central and print the reply, or play a story of requests."),
		kong.Vars{"stories": strings.Join(stories.Names(), ", ")})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	w := environment{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, rand: rand.Reader, now: time.Now}
	var status int
	var err error
	if strings.HasPrefix(chosen.Command(), "story ") {
		err = c.Story.play(ctx, w)
	} else {
		ctx, cancel := context.WithTimeout(ctx, c.Call.Timeout)
		defer cancel()
		status, err = run(ctx, c.Call, w)
	}
	switch {
	case errors.Is(err, errUnexpected):
		fmt.Fprintln(os.Stderr, "galla-call:", err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "galla-call:", err)
		os.Exit(1)
	case status >= 400:
		os.Exit(2)
	}
}
