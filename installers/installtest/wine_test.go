//go:build linux

package installtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// wineLoader is where Debian's package wine64 puts it; its wrapper of a shorter
// name is in another package.
const wineLoader = "/usr/lib/wine/wine64"

// environment is where Windows keeps what its services find in theirs.
const environment = `HKLM\System\CurrentControlSet\Control\Session Manager\Environment`

// wine is a Windows of its own, as far as Wine is one.
type wine struct {
	t      *testing.T
	prefix string
	env    []string
}

// freshWine is the Windows that all others are copied from: it takes longer to make
// than to copy.
var freshWine struct {
	made   sync.Once
	prefix string
}

// openWine makes one; env is what its services find in their environment.
func openWine(t *testing.T, env ...string) *wine {
	t.Helper()
	if os.Getenv("GALLA_WITHOUT_WINE") == "1" {
		t.Skip("GALLA_WITHOUT_WINE=1: NOTHING OF WINDOWS WAS TESTED")
	}
	if _, err := os.Stat(wineLoader); err != nil {
		t.Fatalf("wine is missing: apt-get install wine64; or say GALLA_WITHOUT_WINE=1 to leave the tests of Windows out (%v)", err)
	}
	need(t, "x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64-win32")
	freshWine.made.Do(func() { freshWine.prefix = makeWine(t, filepath.Join(cache.work, "windows")) })
	if freshWine.prefix == "" {
		t.Fatal("no Windows was made: see the test that tried")
	}
	w := newWine(t, filepath.Join(t.TempDir(), "prefix"), env...)
	if _, err := tool("/", nil, "cp", "--archive", "--reflink=auto", freshWine.prefix, w.prefix); err != nil {
		t.Fatal(err)
	}
	if len(env) > 0 {
		// Services find in their environment what was there when Windows started.
		stop := w.serve()
		for _, setting := range env {
			name, value, _ := strings.Cut(setting, "=")
			w.do("reg", "add", environment, "/v", name, "/d", value, "/f")
		}
		stop()
	}
	t.Cleanup(w.serve())
	// The first program starts the services, and does not wait for them for ever.
	until(t, "the services answer", func() string { return w.prefix }, func() bool {
		_, status := w.try("net", "start")
		return status == 0
	})
	return w
}

func newWine(t *testing.T, prefix string, env ...string) *wine {
	return &wine{t, prefix, append(append(os.Environ(), env...), "WINEPREFIX="+prefix, "WINEARCH=win64", "WINEDEBUG=-all",
		// Neither browser nor runtime of .NET is asked for, nor a display.
		"WINEDLLOVERRIDES=mscoree,mshtml=;winemenubuilder.exe=d", "DISPLAY=")}
}

// makeWine makes a Windows that has no way to this machine's own files: a program
// that sets rights there would set them.
func makeWine(t *testing.T, prefix string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(prefix, "drive_c"), 0o755); err != nil {
		t.Fatal(err)
	}
	w := newWine(t, prefix)
	stop := w.serve()
	defer stop()
	w.do("wineboot", "--init")
	if err := os.Remove(filepath.Join(prefix, "dosdevices", "z:")); err != nil {
		t.Fatal(err)
	}
	w.compile("bcryptprimitives.c", "windows/system32/bcryptprimitives.dll", "-shared")
	w.compile("rights.c", "rights.exe", "-municode")
	w.compile("broken.c", "broken.exe")
	return prefix
}

// bring puts a file of this machine onto drive C:, and gives its name there.
func (w *wine) bring(file string) string {
	w.t.Helper()
	if err := copyFile(file, w.path(filepath.Base(file))); err != nil {
		w.t.Fatal(err)
	}
	return `C:\` + filepath.Base(file)
}

// socket is where Wine's server of this Windows listens: in a folder that is named
// after the prefix, in one whose name Debian's Wine keeps there.
func (w *wine) socket() string {
	base := fmt.Sprintf(".wine-%d", os.Getuid())
	if kept, err := os.ReadFile(filepath.Join(w.prefix, "wineserver")); err == nil {
		base = string(bytes.TrimSpace(kept))
	}
	var prefix syscall.Stat_t
	_ = syscall.Stat(w.prefix, &prefix) // where there is none, the socket is nowhere
	return filepath.Join("/tmp", base, fmt.Sprintf("server-%x-%x", prefix.Dev, prefix.Ino), "socket")
}

// serve starts Wine's server, which ends with the tests, and its programs with it.
func (w *wine) serve() (stop func()) {
	w.t.Helper()
	const program = "/usr/lib/wine/wineserver64"
	server := exec.Command(program, "--foreground", "--persistent")
	server.Env = w.env
	if err := launch(server); err != nil {
		w.t.Fatal(err)
	}
	// A program that comes before the server listens would start one of its own.
	until(w.t, "Wine's server listens", func() string { return w.prefix }, func() bool {
		_, err := os.Stat(w.socket())
		return err == nil
	})
	return func() {
		end := exec.Command(program, "--kill")
		end.Env = w.env
		if err := errors.Join(end.Run(), server.Wait()); err != nil {
			w.t.Logf("wine's end: %v", err)
		}
	}
}

// compile makes a program or library of installers/wine.
func (w *wine) compile(source, to string, args ...string) {
	w.t.Helper()
	args = append(args, "-O1", "-Wall", "-Werror", "-o", w.path(to), filepath.Join(cache.root, "installers", "wine", source), "-ladvapi32")
	if _, err := tool(cache.root, nil, "x86_64-w64-mingw32-gcc", args...); err != nil {
		w.t.Fatal(err)
	}
}

// path is a file of drive C:, as this test sees it.
func (w *wine) path(name string) string {
	return filepath.Join(w.prefix, "drive_c", filepath.FromSlash(name))
}

// exists tells whether a file of drive C: is there.
func (w *wine) exists(name string) bool {
	_, err := os.Lstat(w.path(name))
	return err == nil
}

// try runs a program and gives what it said and its exit status.
func (w *wine) try(args ...string) (text string, status int) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), toolWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, wineLoader, args...)
	cmd.Env, cmd.Dir = w.env, w.path("")
	// A file, not a pipe: services that a program starts keep it open.
	out, err := os.Create(filepath.Join(w.t.TempDir(), "said"))
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	cmd.Stdout, cmd.Stderr = out, out
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("%v: %v", args, err)
	}
	said, err := os.ReadFile(out.Name())
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.ReplaceAll(string(said), "\r\n", "\n"), cmd.ProcessState.ExitCode()
}

// do runs a program that must succeed.
func (w *wine) do(args ...string) string {
	w.t.Helper()
	text, status := w.try(args...)
	if status != 0 {
		w.t.Fatalf("%v: exit status %d\n%s", args, status, text)
	}
	return text
}

// registry gives a key's values as reg.exe writes them.
func (w *wine) registry(key string) (text string, there bool) {
	w.t.Helper()
	text, status := w.try("reg", "query", key)
	return text, status == 0
}
