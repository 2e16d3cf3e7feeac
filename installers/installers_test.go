package installers_test

import (
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"galla/installers"
)

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// setting finds one NAME=value or NAME: value line.
func setting(t *testing.T, text, name string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(name)+`[=:] ?(.*)$`).FindAllStringSubmatch(text, -1)
	if len(found) != 1 {
		t.Fatalf("%s stands %d times, want once", name, len(found))
	}
	return found[0][1]
}

// TestLinuxNames: units and packages say what the constants say.
func TestLinuxNames(t *testing.T) {
	for name, data := range map[string]string{installers.Edge: installers.LinuxEdgeData, installers.Central: installers.LinuxCentralData} {
		part := strings.TrimPrefix(name, "galla-")
		unit := read(t, "linux", name+".service")
		for key, want := range map[string]string{
			"User": name, "Group": name, "ExecStart": "/usr/bin/" + name + " --config " + installers.LinuxConfig + "/" + part + ".toml run",
			"Environment": "GALLA_DATA=" + data, "EnvironmentFile": installers.LinuxConfig + "/" + part + ".env",
			"StateDirectory": strings.TrimPrefix(data, "/var/lib/"), "ProtectSystem": "strict", "NoNewPrivileges": "yes",
		} {
			if got := setting(t, unit, key); got != want {
				t.Errorf("%s.service: %s=%s, want %s", name, key, got, want)
			}
		}
		pack := read(t, "linux", "nfpm-"+part+".yaml")
		if got := setting(t, pack, "name"); got != name {
			t.Errorf("the package is called %s, want %s", got, name)
		}
		for _, path := range []string{"/usr/bin/" + name, "/usr/lib/systemd/system/" + name + ".service", installers.LinuxConfig + "/" + part + ".env", installers.LinuxConfig + "/" + part + ".toml"} {
			if !strings.Contains(pack, "dst: "+path+"\n") {
				t.Errorf("nfpm-%s.yaml: %s is not packed", part, path)
			}
		}
		for script, wants := range map[string][]string{
			"preinst.in":     {"dpkg --compare-versions", installers.LinuxData + "/@PART@"},
			"postinst.in":    {installers.LinuxData + "/@PART@", installers.LinuxConfig + "/@PART@.env"},
			part + ".prerm":  {name + ".service"},
			part + ".postrm": {"data=" + data + "\n", installers.LinuxConfig, "userdel " + name + "\n"},
		} {
			for _, want := range wants {
				if !strings.Contains(read(t, "linux", script), want) {
					t.Errorf("%s: no %s", script, want)
				}
			}
		}
	}
}

// TestWindowsNames: the setup says what the constants and the program say.
func TestWindowsNames(t *testing.T) {
	setup := read(t, "windows", "setup.nsi")
	for _, line := range []string{
		`!define SERVICE "` + installers.EdgeService + `"`,
		`InstallDir "$PROGRAMFILES64\` + installers.WindowsPrograms + `"`,
		`StrCpy $Data "$APPDATA\` + installers.WindowsData + `"`,
		`!define UNFINISHED 3`,
		`!define OLDER 4`,
		`--config "$INSTDIR\edge.toml" service install`,
		`Rename "$INSTDIR\galla-edge.exe" "$INSTDIR\galla-edge.previous.exe"`,
	} {
		if !strings.Contains(setup, line) {
			t.Errorf("setup.nsi has no line %s", line)
		}
	}
	// Windows makes a service's number of the SHA-1 of its name in capitals.
	var name []byte
	for _, unit := range utf16.Encode([]rune(strings.ToUpper(installers.EdgeService))) {
		name = binary.LittleEndian.AppendUint16(name, unit)
	}
	sum, number := sha1.Sum(name), "S-1-5-80"
	for i := 0; i < len(sum); i += 4 {
		number += fmt.Sprintf("-%d", binary.LittleEndian.Uint32(sum[i:]))
	}
	if installers.EdgeServiceSID != number {
		t.Errorf("the number of %s is %s, not %s", installers.EdgeServiceAccount, number, installers.EdgeServiceSID)
	}
	program := read(t, "..", "edge", "cmd", "galla-edge", "unfinished.go")
	if !strings.Contains(program, "statusUnfinished = 3\n") {
		t.Error("galla-edge unfinished ends with another status than the setup waits for")
	}
	if !strings.Contains(program, "statusOlder = 4\n") {
		t.Error("galla-edge compare-version ends with another status than the setup expects")
	}
	// Both systems have the same settings, but for the folder of the data, which the
	// setup of Windows names.
	names := func(file string) (found []string) {
		for _, m := range regexp.MustCompile(`(?m)^#?([a-z-]+) = `).FindAllStringSubmatch(read(t, file, "edge.toml"), -1) {
			if m[1] != "data" {
				found = append(found, m[1])
			}
		}
		return found
	}
	if linux, windows := names("linux"), names("windows"); len(linux) < 4 || !slices.Equal(linux, windows) {
		t.Errorf("edge.toml has %v on Linux and %v on Windows", linux, windows)
	}
	for _, line := range []string{`--data "$Data" --config "$INSTDIR\edge.toml" open --out "$PLUGINSDIR\link"'`, `FileRead $1 $Link`, `"InternetShortcut" "URL" "$Link"`, `ExecShell "open" "$Link"`} {
		if !strings.Contains(setup, line) {
			t.Errorf("setup.nsi has no line %s: the shortcut opens the counter's own name", line)
		}
	}
	if strings.Contains(setup, "127.0.0.1") {
		t.Error("setup.nsi names an address at which the counter lets nobody in")
	}
	if settings := read(t, "..", "edge", "daemon", "settings.go"); !strings.Contains(settings, `"settings.sealed"`) || !strings.Contains(setup, `$Data\edge\settings.sealed`) {
		t.Error("the setup looks for other settings than the counter keeps")
	}
	for _, text := range []string{"code", "pin", "aadhaar"} {
		if !strings.Contains(setup, `Delete "$PLUGINSDIR\`+text+`"`) {
			t.Errorf("the file of the %s is not removed", text)
		}
	}
}

// TestCounterLink: the menu's entry of Linux opens the counter's own name, and
// nothing that is no such link gets into it.
func TestCounterLink(t *testing.T) {
	const link = "http://galla-abcdefghijklmnop.localhost:7200/"
	folder := t.TempDir()
	entry := filepath.Join(folder, "applications", "galla-counter.desktop")
	said := link
	run := func() error {
		runuser := "#!/bin/sh\n[ \"$*\" = '-u galla-edge -- /usr/bin/galla-edge --config /etc/galla/edge.toml open --print' ] || exit 9\necho '" + said + "'\n"
		if err := os.WriteFile(filepath.Join(folder, "runuser"), []byte(runuser), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "/bin/sh", filepath.Join("linux", "counter-link"))
		cmd.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "GALLA_DESKTOP_ENTRY="+entry)
		return cmd.Run()
	}
	for range 2 { // each start writes it anew
		if err := run(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(entry)
		if err != nil || !strings.Contains(string(text), "\nExec=xdg-open "+link+"\n") {
			t.Fatalf("the entry is %q, %v", text, err)
		}
	}
	said = "no such file"
	if err := run(); err == nil {
		t.Error("what is no link was taken")
	}
	if left, err := os.ReadDir(filepath.Dir(entry)); err != nil || len(left) != 1 {
		t.Errorf("left in the menu's folder: %v, %v", left, err)
	}
	if unit := read(t, "linux", "galla-edge.service"); setting(t, unit, "ExecStartPost") != "-+/usr/lib/galla/counter-link" {
		t.Error("the service does not write the menu's entry")
	}
	if postrm := read(t, "linux", "edge.postrm"); !strings.Contains(postrm, "rm -f /usr/share/applications/galla-counter.desktop") {
		t.Error("the entry stays when the package goes")
	}
}
