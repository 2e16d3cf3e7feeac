package rdsim

import (
	"encoding/xml"
	"slices"
	"strings"

	"galla/rdservice"
)

// profile is a maker's shape: everything that differs between RD services and
// that a client must bear. All of it is data.
type profile struct {
	name  string
	reads rdservice.Family

	// RDSERVICE
	info         string // the maker's words
	infoPath     string // where DEVICEINFO is served
	capturePath  string // where CAPTURE is served
	pathForm     string // how a path is announced; {scheme}, {host} and {path} are filled in
	captureFirst bool   // order of the Interface elements

	// identity
	dpID, rdsID, rdsVer, model string
	deviceAttrs                []string // order of DeviceInfo's attributes

	// documents
	children    []string // order of PidData's children
	successInfo string   // errInfo of a success
	fullErrors  bool     // an error reply carries empty DeviceInfo, Skey, Hmac and Data
	listScores  bool     // qScore and nmPoints with one number for each finger
	foldSkey    bool     // line breaks around the base64 of Skey
	namespace   string   // namespace declared on PidData
	declaration bool     // <?xml version="1.0"?>
	bom, crlf   bool     // byte order mark, line ends of DOS
	indent      string   // empty: all on one line
	contentType string   // empty: no Content-Type header at all
}

// Names of the profiles, as /sim/device knows them.
const (
	profilePlain   = "plain"
	profileMantra  = "mantra"
	profileMorpho  = "morpho"
	profileStartek = "startek"
	profileIris    = "iris"
	profileFace    = "face"
)

// ProfileNames lists the shapes that a device can take: those that read one of
// the families, or all where none is named.
func ProfileNames(families ...rdservice.Family) []string {
	var names []string
	for _, p := range profiles() {
		if len(families) == 0 || slices.Contains(families, p.reads) {
			names = append(names, p.name)
		}
	}
	return names
}

// profiles are the shapes; Mantra's and Morpho's follow captured replies. Those
// of iris and face have the plain shape: what differs is what they read.
func profiles() []profile {
	return []profile{
		plain(profilePlain, rdservice.Finger, "SIM.GALLA", "SIM100"),
		{
			name: profileMantra, reads: rdservice.Finger,
			info: "Mantra Authentication Vendor Device Manager (simulated)", infoPath: "/rd/info", capturePath: "/rd/capture", pathForm: "{path}",
			dpID: "SIM.MANTRA", rdsID: "SIM.MANTRA.WIN.001", rdsVer: "1.0.3", model: "MFS100",
			deviceAttrs: []string{"dpId", "rdsId", "rdsVer", "mi", "mc", "dc"},
			children:    []string{"Resp", "DeviceInfo", "Skey", "Hmac", "Data"},
			successInfo: "Success", declaration: true, indent: "    ", contentType: "text/xml",
		},
		{
			name: profileMorpho, reads: rdservice.Finger,
			info: "Morpho_RD_Service", infoPath: "/getDeviceInfo", capturePath: "/capture", pathForm: "/{host}{path}", captureFirst: true,
			dpID: "SIM.MORPHO", rdsID: "SIM.MORPHO.001", rdsVer: "2.0.1", model: "MSO1300E3RD",
			deviceAttrs: []string{"dc", "dpId", "mc", "mi", "rdsId", "rdsVer"},
			children:    []string{"Data", "DeviceInfo", "Hmac", "Resp", "Skey"},
			foldSkey:    true,
		},
		{
			name: profileStartek, reads: rdservice.Finger,
			info: " Startek FM220 RD Service (simulated) ", infoPath: "/rd/info", capturePath: "/rd/capture", pathForm: " {scheme}://{host}/{path} ",
			dpID: "SIM.STARTEK", rdsID: "SIM.STARTEK.WIN.001", rdsVer: "1.2.5", model: "FM220U",
			deviceAttrs: []string{"mi", "dpId", "rdsId", "rdsVer", "dc", "mc"},
			children:    []string{"Skey", "Hmac", "Data", "DeviceInfo", "Resp"},
			successInfo: "Capture Success", fullErrors: true, listScores: true,
			namespace: "http://www.uidai.gov.in/authentication/rd/2.0", declaration: true, bom: true, crlf: true, indent: "  ",
			contentType: "application/xml",
		},
		plain(profileIris, rdservice.Iris, "SIM.IRIS", "SIM200"),
		plain(profileFace, rdservice.Face, "SIM.FACE", "SIM300"),
	}
}

// plain is the simplest shape, of a device that reads one family.
func plain(name string, reads rdservice.Family, dpID, model string) profile {
	return profile{
		name: name, reads: reads,
		info: "Galla simulated RD service", infoPath: "/rd/info", capturePath: "/rd/capture", pathForm: "{path}",
		dpID: dpID, rdsID: dpID + ".001", rdsVer: "1.0.0", model: model,
		deviceAttrs: []string{"dpId", "rdsId", "rdsVer", "dc", "mi", "mc"},
		children:    []string{"Resp", "DeviceInfo", "Skey", "Hmac", "Data"},
		successInfo: "Success", contentType: "text/xml; charset=utf-8",
	}
}

// profileNamed finds a profile; ok is false for a name that is none.
func profileNamed(name string) (profile, bool) {
	all := profiles()
	i := slices.IndexFunc(all, func(p profile) bool { return p.name == name })
	if i < 0 {
		return profile{}, false
	}
	return all[i], true
}

// announced is a path as the profile's maker writes it.
func (p profile) announced(path, scheme, host string) string {
	return strings.NewReplacer("{scheme}", scheme, "{host}", host, "{path}", path).Replace(p.pathForm)
}

// tag is an XML element to be written.
type tag struct {
	name     string
	attrs    [][2]string
	children []tag
	text     string
}

// document writes the element in the maker's shape.
func (p profile) document(root tag) []byte {
	if p.namespace != "" && root.name == "PidData" {
		root.attrs = append([][2]string{{"xmlns", p.namespace}}, root.attrs...)
	}
	var b strings.Builder
	if p.declaration {
		b.WriteString(`<?xml version="1.0"?>` + "\n")
	}
	p.write(&b, root, 0)
	s := b.String()
	if p.crlf {
		s = strings.ReplaceAll(s, "\n", "\r\n")
	}
	if p.bom {
		s = "\ufeff" + s
	}
	return []byte(s)
}

func (p profile) write(b *strings.Builder, t tag, depth int) {
	escape := func(s string) { _ = xml.EscapeText(b, []byte(s)) } // a strings.Builder does not fail
	line := func(depth int) {
		if p.indent != "" && depth >= 0 {
			b.WriteString("\n" + strings.Repeat(p.indent, depth))
		}
	}
	if depth > 0 {
		line(depth)
	}
	b.WriteString("<" + t.name)
	for _, a := range t.attrs {
		b.WriteString(" " + a[0] + `="`)
		escape(a[1])
		b.WriteString(`"`)
	}
	if len(t.children) == 0 && t.text == "" {
		b.WriteString("/>")
		return
	}
	b.WriteString(">")
	if t.name == "Skey" && p.foldSkey {
		b.WriteString("\n" + t.text + "\n")
	} else {
		escape(t.text)
	}
	for _, c := range t.children {
		p.write(b, c, depth+1)
	}
	if len(t.children) > 0 {
		line(depth)
	}
	b.WriteString("</" + t.name + ">")
}

// ordered sorts elements into the maker's order.
func (p profile) ordered(tags []tag) []tag {
	slices.SortStableFunc(tags, func(a, b tag) int {
		return slices.Index(p.children, a.name) - slices.Index(p.children, b.name)
	})
	return tags
}
