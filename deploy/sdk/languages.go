package sdk

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Language is one of the examples, and how to run it.
type Language struct {
	Name   string
	File   string   // its example call, below this folder
	Story  string   // its partner's day, below this folder
	First  string   // the example in its README, below this folder
	Wants  string   // what to install, in a sentence, if Missing says so
	Folder string   // its package, below this folder
	Units  []string // the command that runs the package's own tests in Folder

	ready   []string                                  // a command that succeeds where everything is installed
	library string                                    // the package's sources, below this folder; where the command needs them
	command []string                                  // before the file; {library} stands for library
	build   func(file, temp string) ([]string, error) // for compiled languages, in place of command
}

// Languages lists the examples.
func Languages() []Language {
	const how = "deploy/tools/need.sh languages installs it; otherwise ask for 'apt-get install "
	return []Language{
		{Name: "node", File: "node/examples/call.mjs", Story: "node/examples/story.mjs", First: "node/examples/withdraw.mjs", Folder: "node", Units: []string{"node", "--test", "test/callback.test.js", "test/client.test.js", "test/retry.test.js"}, command: []string{"node"}, ready: []string{"node", "--version"},
			Wants: "Node is missing (18 or newer): " + how + "nodejs'"},
		{Name: "go", File: "go/examples/call", Story: "go/examples/story", First: "go/examples/withdraw", Folder: "go", Units: []string{"go", "test", "-race", "./..."}, build: buildGo, ready: []string{"go", "version"},
			Wants: "Go is missing: https://go.dev/dl/"},
		{Name: "php", File: "php/examples/call.php", Story: "php/examples/story.php", First: "php/examples/withdraw.php", Folder: "php", Units: []string{"php", "tests/run.php"}, command: []string{"php"},
			ready: []string{"php", "-r", "exit(extension_loaded('openssl') && extension_loaded('curl') ? 0 : 1);"},
			Wants: "PHP with openssl and curl is missing (8.1 or newer): " + how + "php-cli php-curl'"},
		{Name: "python", File: "python/examples/call.py", Story: "python/examples/story.py", First: "python/examples/withdraw.py", Folder: "python", Units: []string{"env", "PYTHONPATH=src", "PYTHONDONTWRITEBYTECODE=1", python(), "-W", "error", "-m", "unittest", "discover", "-s", "tests"},
			library: "python/src", command: []string{"env", "PYTHONPATH={library}", "PYTHONDONTWRITEBYTECODE=1", python()}, ready: []string{python(), "-c", "import cryptography"},
			Wants: "Python with 'cryptography' is missing: " + how + "python3-cryptography'"},
		{Name: "java", File: "java/examples/Call.java", Story: "java/examples/Story.java", First: "java/examples/Withdraw.java", Folder: "java", Units: []string{"./test.sh"}, build: buildJava, ready: []string{"javac", "--version"},
			Wants: "Java's compiler is missing (17 or newer): " + how + "openjdk-17-jdk-headless'"},
	}
}

// python is the one that has the library: another Python that stands before Debian's in
// the path does not see apt's package.
func python() string {
	const first, debian = "python3", "/usr/bin/python3"
	if exec.Command(first, "-c", "import cryptography").Run() != nil && exec.Command(debian, "-c", "import cryptography").Run() == nil {
		return debian
	}
	return first
}

// Missing reports whether the language is not installed.
func (l Language) Missing() bool { return exec.Command(l.ready[0], l.ready[1:]...).Run() != nil }

// Program gives the command that runs the example call, to which its arguments are
// appended. folder is this folder; temp may be filled, and must stay while the command is
// used.
func (l Language) Program(folder, temp string) ([]string, error) { return l.runs(folder, temp, l.File) }

// StoryProgram gives the command that runs the story, as Program does.
func (l Language) StoryProgram(folder, temp string) ([]string, error) {
	return l.runs(folder, temp, l.Story)
}

// FirstProgram gives the command that runs the README's example, as Program does.
func (l Language) FirstProgram(folder, temp string) ([]string, error) {
	return l.runs(folder, temp, l.First)
}

func (l Language) runs(folder, temp, name string) ([]string, error) {
	file, err := filepath.Abs(filepath.Join(folder, name))
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", name, err)
	}
	library, err := filepath.Abs(filepath.Join(folder, l.library))
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", l.library, err)
	}
	if l.build != nil {
		return l.build(file, temp)
	}
	var command []string
	for _, part := range l.command {
		command = append(command, strings.ReplaceAll(part, "{library}", library))
	}
	return append(command, file), nil
}

// buildGo builds a program of the Go module; file is its folder.
func buildGo(file, temp string) ([]string, error) {
	program := filepath.Join(temp, filepath.Base(file))
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", program, ".")
	cmd.Dir = file
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build %s: %w: %s", file, err, text)
	}
	return []string{program}, nil
}

// buildJava compiles all examples of Java together with the package, unless they were
// compiled into temp before.
func buildJava(file, temp string) ([]string, error) {
	examples, name := filepath.Dir(file), strings.TrimSuffix(filepath.Base(file), ".java")
	command := []string{"java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", temp, name}
	if _, err := os.Stat(filepath.Join(temp, name+".class")); err == nil {
		return command, nil
	}
	files, err := filepath.Glob(filepath.Join(examples, "*.java"))
	if err != nil {
		return nil, fmt.Errorf("list the examples: %w", err)
	}
	sources := filepath.Join(filepath.Dir(examples), "src", "main", "java") + string(filepath.ListSeparator) + examples
	text, err := exec.Command("javac", append([]string{"-Xlint:all", "-Werror", "-encoding", "UTF-8", "-sourcepath", sources, "-d", temp}, files...)...).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w: %s", file, err, text)
	}
	return command, nil
}
