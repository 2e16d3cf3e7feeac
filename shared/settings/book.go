package settings

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// maxFile bounds the file, in bytes: a file that sets and explains everything has
// a tenth of it.
const maxFile = 64 << 10

// tag is the tag of a flag without an environment variable of its own that may
// stand in the file; its value names the variable that wins over the file.
const tag = "setting"

// Config says what a program's file may not hold.
type Config struct {
	// Elsewhere are names that people look for in the file and that do not belong
	// there, since they are secrets, with where each belongs. The words 'password',
	// 'secret' and 'token' in a name are refused in any case.
	Elsewhere map[string]string
	// Secret are the variables of the environment whose values nobody is shown.
	Secret []string
	// Also are prefixes of variables that libraries read, and that Effective tells.
	Also []string
}

// Book is the settings of one program's run. Bind it (kong.Bind) before the
// command line is read. It is for one goroutine.
type Book struct {
	cfg  Config
	file string
	read map[string]entry
}

// entry is one setting of the file.
type entry struct {
	text string // as kong reads it
	line int
}

// New makes an empty book.
func New(cfg Config) *Book { return &Book{cfg: cfg, read: map[string]entry{}} }

// Path is the type of the flag that names the file.
type Path string

// BeforeResolve reads the file, before kong asks for what it has. It is called by
// kong.
func (p Path) BeforeResolve(ctx *kong.Context, trace *kong.Path, book *Book) error {
	name, ok := ctx.FlagValue(trace.Flag).(Path)
	if !ok || name == "" || book.file != "" {
		return nil
	}
	if err := book.load(string(name), flagsOf(ctx.Model.Node)); err != nil {
		return err
	}
	ctx.AddResolver(book)
	return nil
}

// Validate implements kong.Resolver; the file was held against the program when
// it was read.
func (b *Book) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver: the file's value, where the environment has
// none.
func (b *Book) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	e, ok := b.read[flag.Name]
	if !ok || !isSetting(flag) || inEnvironment(flag) != "" {
		return nil, nil
	}
	return e.text, nil
}

// isSetting tells whether a flag may stand in the file.
func isSetting(f *kong.Flag) bool {
	return (len(f.Envs) > 0 || f.Tag.Has(tag)) && f.Target.Type() != reflect.TypeFor[Path]()
}

// inEnvironment names the variable that gives a setting its value; empty: none.
func inEnvironment(f *kong.Flag) string {
	for _, name := range append(slices.Clone(f.Envs), f.Tag.Get(tag)) {
		if name == "" {
			continue
		}
		if _, ok := os.LookupEnv(name); ok {
			return name
		}
	}
	return ""
}

// flagsOf gives the settings of all commands by their names. The same name means
// the same setting in each of them.
func flagsOf(n *kong.Node) map[string]*kong.Flag {
	out := map[string]*kong.Flag{}
	for _, f := range n.Flags {
		if isSetting(f) {
			out[f.Name] = f
		}
	}
	for _, child := range n.Children {
		for name, f := range flagsOf(child) {
			out[name] = f
		}
	}
	return out
}

// load reads the file and holds it against the program's settings.
func (b *Book) load(name string, known map[string]*kong.Flag) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("the file of settings: %w", err)
	}
	defer func() { _ = f.Close() }()
	about, err := f.Stat()
	if err != nil {
		return fmt.Errorf("the file of settings: %w", err)
	}
	if !about.Mode().IsRegular() {
		return fmt.Errorf("the file of settings %s is no file", name)
	}
	if err := writableByOthers(about); err != nil {
		return fmt.Errorf("the file of settings %s %w", name, err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return fmt.Errorf("the file of settings: %w", err)
	}
	if len(text) > maxFile {
		return fmt.Errorf("the file of settings %s has more than %d bytes: it is not one", name, maxFile)
	}
	read, err := parse(name, string(text))
	if err != nil {
		return err
	}
	var faults []error
	for _, one := range read {
		e, err := b.judge(one, known)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %w", name, one.line, err))
			continue
		}
		b.read[one.name] = e
	}
	b.file = name
	return errors.Join(faults...)
}

// judge holds one line of the file against the program's settings.
func (b *Book) judge(one assignment, known map[string]*kong.Flag) (entry, error) {
	f, ok := known[one.name]
	if place, secret := b.elsewhere(one.name); secret && !ok {
		return entry{}, fmt.Errorf("%q is a secret and has no place in this file: %s", one.name, place)
	}
	if !ok {
		return entry{}, fmt.Errorf("there is no setting %q%s", one.name, nearest(one.name, known))
	}
	text, err := one.text(f.Target.Type())
	if err != nil {
		return entry{}, fmt.Errorf("%s %w", one.name, err)
	}
	scratch := reflect.New(f.Target.Type()).Elem()
	if err := f.Mapper.Decode(&kong.DecodeContext{Value: f.Value, Scan: kong.Scan().PushTyped(text, kong.FlagValueToken)}, scratch); err != nil {
		return entry{}, fmt.Errorf("%s: %w", one.name, err)
	}
	if choices := f.Tag.Enum; choices != "" && !slices.Contains(strings.Split(choices, ","), text) {
		return entry{}, fmt.Errorf("%s is one of %s", one.name, choices)
	}
	return entry{text, one.line}, nil
}

// elsewhere tells whether a name is a secret's, and where that belongs.
func (b *Book) elsewhere(name string) (place string, secret bool) {
	plain := plainName(name)
	for n, place := range b.cfg.Elsewhere {
		if plainName(n) == plain {
			return place, true
		}
	}
	for _, n := range b.cfg.Secret {
		if plainName(n) == plain {
			return "give it in the environment, as " + n, true
		}
	}
	for _, word := range []string{"password", "secret", "token"} {
		if strings.Contains(plain, word) {
			return "give it in the environment, or in a file that only the program's account can read", true
		}
	}
	return "", false
}

// plainName is what names that people take for the same have in common.
func plainName(name string) string {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	return strings.TrimPrefix(name, "galla-")
}

// nearest names the setting that was meant, where one is spelled alike.
func nearest(name string, known map[string]*kong.Flag) string {
	for n, f := range known {
		same := plainName(n) == plainName(name)
		for _, env := range f.Envs {
			same = same || plainName(env) == plainName(name)
		}
		if same {
			return fmt.Sprintf("; did you mean %q?", n)
		}
	}
	return ": see run --help; a setting is a flag without its dashes"
}
