package installers_test

import (
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"os"
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
		t.Error("galla-edge beside ends with another status than the setup waits for")
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
	main := read(t, "..", "edge", "cmd", "galla-edge", "main.go")
	address := regexp.MustCompile(`default:"(http://127\.0\.0\.1:\d+)"`).FindStringSubmatch(main)
	if address == nil || !strings.Contains(setup, `!define COUNTER "`+address[1]+`/"`) {
		t.Errorf("the shortcut opens another address than the counter's %v", address)
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
