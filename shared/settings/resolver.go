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

// maxFile limits the file, in bytes: a file with all settings and explanations has a
// tenth of it.
const maxFile = 64 << 10

// settingTag is the tag of a flag without an environment variable of its own that may be
// in the file; its value names the variable that wins over the file.
const settingTag = "setting"

// Config is what a program's file may not hold.
type Config struct {
	// SecretNames are names of secrets that people might put into the file, with where
	// each belongs. Names with the words 'password', 'secret' and 'token' are refused
	// in any case.
	SecretNames map[string]string
	// SecretVariables are environment variables whose values are not shown.
	SecretVariables []string
	// VariablePrefixes are prefixes of variables that libraries read, shown by
	// Effective.
	VariablePrefixes []string
}

// Resolver has the settings of one program's run. Bind it (kong.Bind) before the command
// line is parsed. It is for one goroutine.
type Resolver struct {
	cfg    Config
	file   string
	values map[string]entry
}

type entry struct {
	text string // as kong reads it
	line int
}

// New makes an empty Resolver.
func New(cfg Config) *Resolver { return &Resolver{cfg: cfg, values: map[string]entry{}} }

// Path is the type of the flag that names the file.
type Path string

// BeforeResolve reads the file, before kong asks for its values. kong calls it.
func (p Path) BeforeResolve(ctx *kong.Context, trace *kong.Path, book *Resolver) error {
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

// Validate implements kong.Resolver; the file was checked when it was read.
func (b *Resolver) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver: the file's value, unless the environment has one.
func (b *Resolver) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	e, ok := b.values[flag.Name]
	if !ok || !isSetting(flag) || inEnvironment(flag) != "" {
		return nil, nil
	}
	return e.text, nil
}

// isSetting reports whether a flag may be in the file.
func isSetting(f *kong.Flag) bool {
	return (len(f.Envs) > 0 || f.Tag.Has(settingTag)) && f.Target.Type() != reflect.TypeFor[Path]()
}

// inEnvironment names the variable that sets a setting; empty: none.
func inEnvironment(f *kong.Flag) string {
	for _, name := range append(slices.Clone(f.Envs), f.Tag.Get(settingTag)) {
		if name == "" {
			continue
		}
		if _, ok := os.LookupEnv(name); ok {
			return name
		}
	}
	return ""
}

// flagsOf returns the settings of all commands by name. The same name means the same
// setting in all of them.
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

func (b *Resolver) load(name string, known map[string]*kong.Flag) error {
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
		e, err := b.check(one, known)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %w", name, one.line, err))
			continue
		}
		b.values[one.name] = e
	}
	b.file = name
	return errors.Join(faults...)
}

func (b *Resolver) check(one assignment, known map[string]*kong.Flag) (entry, error) {
	f, ok := known[one.name]
	if place, secret := b.secretHint(one.name); secret && !ok {
		return entry{}, fmt.Errorf("%q is a secret and is not allowed in this file: %s", one.name, place)
	}
	if !ok {
		return entry{}, fmt.Errorf("there is no setting %q%s", one.name, suggestion(one.name, known))
	}
	text, err := one.kongText(f.Target.Type())
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

// secretHint reports whether a name is a secret's, and where that belongs.
func (b *Resolver) secretHint(name string) (place string, secret bool) {
	plain := plainName(name)
	for n, place := range b.cfg.SecretNames {
		if plainName(n) == plain {
			return place, true
		}
	}
	for _, n := range b.cfg.SecretVariables {
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

// plainName is the same for names that people confuse.
func plainName(name string) string {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	return strings.TrimPrefix(name, "galla-")
}

// suggestion names the setting that was probably meant, if one is spelled alike.
func suggestion(name string, known map[string]*kong.Flag) string {
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
