//go:build linux

package installtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"galla/installers"
)

// TestRPM: what lies in the packages, whose it is, who may read it, and the
// scripts, against the names of package installers.
func TestRPM(t *testing.T) {
	t.Parallel()
	need(t, "rpm", "rpm")
	folder := dist(t, "first")
	for name, data := range map[string]string{installers.Edge: installers.LinuxEdgeData, installers.Central: installers.LinuxCentralData} {
		t.Run(name, func(t *testing.T) {
			part := strings.TrimPrefix(name, "galla-")
			file := filepath.Join(folder, name+"-"+older+"-1.x86_64.rpm")
			ask := func(args ...string) string {
				t.Helper()
				text, err := tool(folder, nil, "rpm", append([]string{"--dbpath", t.TempDir(), "-qp"}, append(args, file)...)...)
				if err != nil {
					t.Fatal(err)
				}
				return text
			}
			var want []string
			for _, line := range []string{
				installers.LinuxConfig + "/" + part + ".env -rw-r----- root root cn",
				installers.LinuxConfig + "/" + part + ".toml -rw-r--r-- root root cn",
				"/usr/bin/" + name + " -rwxr-xr-x root root ",
				"/usr/lib/systemd/system/" + name + ".service -rw-r--r-- root root ",
			} {
				want = append(want, strings.TrimRight(line, " "))
			}
			if name == installers.Edge {
				want = slices.Insert(want, 3, "/usr/lib/galla/counter-link -rwxr-xr-x root root")
			}
			var got []string
			for line := range strings.Lines(ask("--qf", `[%{FILENAMES} %{FILEMODES:perms} %{FILEUSERNAME} %{FILEGROUPNAME} %{FILEFLAGS:fflags}\n]`)) {
				got = append(got, strings.TrimRight(line, " \n"))
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("holds\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if list := strings.Fields(ask("-l")); len(list) != len(want) {
				t.Errorf("lists %v", list)
			}
			if got := ask("--qf", "%{NAME} %{VERSION} %{ARCH}"); got != name+" "+older+" x86_64" {
				t.Errorf("calls itself %q", got)
			}
			if got := ask("--requires"); !strings.Contains(got, "shadow-utils") || strings.Contains(got, "adduser") {
				t.Errorf("needs\n%s", got)
			}
			scripts := ask("--scripts")
			for _, text := range []string{"postinst.in", part + ".prerm", part + ".postrm"} {
				written, err := os.ReadFile(filepath.Join(cache.root, "installers", "linux", text))
				if err != nil {
					t.Fatal(err)
				}
				filled := strings.NewReplacer("@NAME@", name, "@PART@", part).Replace(string(written))
				filled, _, _ = strings.Cut(filled, `echo "@HINT@"`)
				if !strings.Contains(scripts, strings.TrimSpace(filled)) {
					t.Errorf("%s is not among the scripts:\n%s", text, scripts)
				}
			}
			for _, path := range []string{data, name} {
				if !strings.Contains(scripts, path) {
					t.Errorf("no script knows %s", path)
				}
			}
		})
	}
}

// TestRPMOlder: RPM itself puts no older package in a newer one's place, unless it is
// told to.
func TestRPMOlder(t *testing.T) {
	t.Parallel()
	need(t, "rpm", "rpm")
	folder, next := dist(t, "first"), dist(t, "next")
	database := t.TempDir()
	install := func(folder, version string, args ...string) error {
		_, err := tool(folder, nil, "rpm", append(append([]string{"--dbpath", database, "-U", "--justdb", "--nodeps", "--noscripts"}, args...), "galla-edge-"+version+"-1.x86_64.rpm")...)
		return err
	}
	if err := install(next, newer); err != nil {
		t.Fatal(err)
	}
	if err := install(folder, older); err == nil || !strings.Contains(err.Error(), "which is newer than galla-edge-"+older) {
		t.Errorf("an older package was taken: %v", err)
	}
	if err := install(folder, older, "--oldpackage"); err != nil {
		t.Errorf("an older package that was insisted on: %v", err)
	}
}
