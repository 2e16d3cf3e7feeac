package verdict

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
)

// Where everything lies, from here.
const (
	root       = "../../.."
	kubernetes = "../../kubernetes"
	composed   = "../../compose/compose.yaml"
)

func objects(t *testing.T) []Object {
	t.Helper()
	all, err := Kubernetes(kubernetes)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// one gives the object of a type and name.
func one[T any](t *testing.T, name string) T {
	t.Helper()
	for _, o := range objects(t) {
		if found, ok := o.decoded.(T); ok && o.Name == name {
			return found
		}
	}
	var none T
	t.Fatalf("no %T is called %s", none, name)
	return none
}

// environment is what an operator puts into .env.
func environment() []string {
	return []string{"GALLA_HOST=galla.example", "GALLA_BANK_NETWORK_ADDR=https://bank-network.example"}
}

func project(t *testing.T) *types.Project {
	t.Helper()
	p, err := Compose(t.Context(), composed, []string{"sandbox"}, environment())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestKubernetes(t *testing.T) {
	kinds := map[string]int{}
	for _, o := range objects(t) {
		kinds[o.Kind]++
		if o.Kind == "Secret" {
			t.Errorf("%s has a secret in it", o.File)
		}
	}
	for _, want := range []string{"Namespace", "ConfigMap", "Job", "Deployment", "PodDisruptionBudget", "Service", "Ingress", "NetworkPolicy"} {
		if kinds[want] == 0 {
			t.Errorf("there is no %s", want)
		}
	}
}

func TestCompose(t *testing.T) {
	p := project(t)
	for _, want := range []string{"migrate", "central", "postgres", "proxy", "bank"} {
		if _, err := p.GetService(want); err != nil {
			t.Errorf("there is no service %s: %v", want, err)
		}
	}
	production, err := Compose(t.Context(), composed, nil, environment())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := production.GetService("bank"); err == nil {
		t.Error("the sandbox's bank starts in production")
	}
	if _, err := Compose(t.Context(), composed, nil, nil); err == nil {
		t.Error("a deployment starts without its name and its bank")
	}
	for name, s := range p.Services {
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" && name != "proxy" {
				t.Errorf("%s opens %s to everybody, past the proxy", name, port.Published)
			}
		}
		if !strings.HasPrefix(s.Image, "docker.io/library/") && (!s.ReadOnly || !slices.Contains(s.CapDrop, "ALL")) && name != "bank" {
			t.Errorf("%s can write into its image, or keeps capabilities", name)
		}
	}
}

// spoken are the variables that a program knows, by its own help.
func spoken(t *testing.T, program string, args ...string) map[string]bool {
	t.Helper()
	bin := filepath.Join(t.TempDir(), filepath.Base(program))
	build := exec.Command("go", "build", "-buildvcs=false", "-o", bin, program)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command(bin, append(args, "--help")...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	known := map[string]bool{}
	for _, name := range regexp.MustCompile(`\b(GALLA|OTEL)_[A-Z_]+\b`).FindAllString(string(out), -1) {
		known[name] = true
	}
	if len(known) < 4 {
		t.Fatalf("%s knows only %v", program, known)
	}
	return known
}

// others are variables that the programs' libraries read.
var others = []string{"GOMEMLIMIT", "PGPASSFILE"}

// TestSettings checks that each variable that a manifest, a unit or the image sets is
// one that the program reads.
func TestSettings(t *testing.T) {
	central, bank, edge := spoken(t, "./central/cmd/galla-central", "run"), spoken(t, "./central/cmd/galla-bank"), spoken(t, "./edge/cmd/galla-edge", "run")
	hold := func(where string, known map[string]bool, name string) {
		t.Helper()
		if !known[name] && !slices.Contains(others, name) {
			t.Errorf("%s sets %s, which the program does not know", where, name)
		}
	}
	for name := range one[*corev1.ConfigMap](t, "galla-central").Data {
		hold("the ConfigMap", central, name)
	}
	pods := append(one[*appsv1.Deployment](t, "galla-central").Spec.Template.Spec.Containers, one[*batchv1.Job](t, "galla-migrate").Spec.Template.Spec.Containers...)
	for _, c := range pods {
		for _, v := range c.Env {
			hold("container "+c.Name, central, v.Name)
		}
	}
	for name, s := range project(t).Services {
		known := map[string]map[string]bool{"migrate": central, "central": central, "bank": bank}[name]
		for variable := range s.Environment {
			if known != nil {
				hold("service "+name, known, variable)
			}
		}
	}
	lines := regexp.MustCompile(`(?m)^#?(?:Environment=|ENV |    )?((?:GALLA|OTEL|PG)[A-Z_]+)=`)
	for file, known := range map[string]map[string]bool{
		"deploy/container/Containerfile": central, "installers/linux/galla-central.service": central, "installers/linux/galla-edge.service": edge,
	} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		found := lines.FindAllStringSubmatch(string(text), -1)
		if found == nil && !strings.Contains(string(text), "--config") {
			t.Errorf("%s sets nothing: the test does not understand it", file)
		}
		for _, m := range found {
			hold(file, known, m[1])
		}
	}
}

// TestPorts checks that the image's addresses, the pods' ports, services, Ingress,
// policy and proxy mean the same listeners.
func TestPorts(t *testing.T) {
	text, err := os.ReadFile("../../container/Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	ports := map[string]string{}
	for name, variable := range map[string]string{"direct": "CENTRAL", "admin": "ADMIN", "uplink": "UPLINK"} {
		m := regexp.MustCompile(`GALLA_` + variable + `_ADDR=\w+://0\.0\.0\.0:(\d+)`).FindStringSubmatch(string(text))
		if m == nil {
			t.Fatalf("the image does not say where %s is", name)
		}
		ports[name] = m[1]
	}
	container := one[*appsv1.Deployment](t, "galla-central").Spec.Template.Spec.Containers[0]
	for _, p := range container.Ports {
		if itoa(p.ContainerPort) != ports[p.Name] {
			t.Errorf("the pod's port %s is %d, the program's is %s", p.Name, p.ContainerPort, ports[p.Name])
		}
	}
	for _, service := range []string{"galla-central", "galla-central-admin"} {
		for _, p := range one[*corev1.Service](t, service).Spec.Ports {
			if p.TargetPort.String() != p.Name || itoa(p.Port) != ports[p.Name] {
				t.Errorf("service %s: port %s leads to %s", service, p.Name, p.TargetPort.String())
			}
		}
	}
	for _, path := range one[*networkingv1.Ingress](t, "galla").Spec.Rules[0].HTTP.Paths {
		want := map[string]string{"/uplink": "uplink", "/updates/": "uplink", "/": "direct"}[path.Path]
		if b := path.Backend.Service; b.Name != "galla-central" || b.Port.Name != want {
			t.Errorf("the Ingress leads %s to %s %s", path.Path, b.Name, b.Port.Name)
		}
	}
	proxy, err := os.ReadFile("../../compose/haproxy.cfg")
	if err != nil {
		t.Fatal(err)
	}
	for name, port := range ports {
		if has := strings.Contains(string(proxy), `"${CENTRAL}:`+port+`"`); has != (name != "admin") {
			t.Errorf("compose's proxy leads to %s (%s): %v", name, port, has)
		}
	}
	admin, err := os.ReadFile(filepath.Join(root, "central/server/admin.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, probe := range []*corev1.Probe{container.StartupProbe, container.LivenessProbe, container.ReadinessProbe} {
		if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Port.String() != "admin" || !strings.Contains(string(admin), `"GET `+probe.HTTPGet.Path+`"`) {
			t.Errorf("a probe asks for what the admin address does not have: %+v", probe)
		}
	}
}

// TestRolling checks that a stopping pod leaves the load balancing before it stops, has
// the time that it needs, and never leaves the service without a pod.
func TestRolling(t *testing.T) {
	d := one[*appsv1.Deployment](t, "galla-central")
	lead, err := time.ParseDuration(one[*corev1.ConfigMap](t, "galla-central").Data["GALLA_DRAIN_DELAY"])
	if err != nil {
		t.Fatal(err)
	}
	pod := d.Spec.Template.Spec
	ready := pod.Containers[0].ReadinessProbe
	if noticed := time.Duration(ready.PeriodSeconds*ready.FailureThreshold) * time.Second; 2*noticed > lead {
		t.Errorf("a pod that is leaving is noticed after %s, and stays for %s only", noticed, lead)
	}
	const stop = 70 * time.Second // deploy/docs/ha.md, 'Stopping a node'
	if grace := time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second; grace < lead+stop {
		t.Errorf("a pod is killed after %s; its lead and its end take up to %s", grace, lead+stop)
	}
	if r := d.Spec.Strategy.RollingUpdate; r.MaxUnavailable.IntValue() != 0 || r.MaxSurge.IntValue() < 1 {
		t.Errorf("an update makes pods unavailable: %+v", r)
	}
	budget := one[*policyv1.PodDisruptionBudget](t, "galla-central")
	if least := budget.Spec.MinAvailable.IntValue(); least < 1 || least >= int(*d.Spec.Replicas) {
		t.Errorf("a budget of %d of %d pods: it protects nobody, or lets no node be emptied", least, *d.Spec.Replicas)
	}
	for what, selector := range map[string]map[string]string{
		"budget": budget.Spec.Selector.MatchLabels, "service": one[*corev1.Service](t, "galla-central").Spec.Selector,
		"admin service": one[*corev1.Service](t, "galla-central-admin").Spec.Selector, "policy": one[*networkingv1.NetworkPolicy](t, "galla-central").Spec.PodSelector.MatchLabels,
	} {
		for label, value := range selector {
			if d.Spec.Template.Labels[label] != value {
				t.Errorf("the %s selects %s=%s, which the pods do not have", what, label, value)
			}
		}
	}
	// The migration's pod must not get requests.
	for label, value := range one[*corev1.Service](t, "galla-central").Spec.Selector {
		if label == "app.kubernetes.io/component" && one[*batchv1.Job](t, "galla-migrate").Spec.Template.Labels[label] == value {
			t.Error("the service selects the migration's pod")
		}
	}
	job, images := one[*batchv1.Job](t, "galla-migrate").Spec.Template.Spec.Containers[0], pod.Containers[0].Image
	if job.Image != images {
		t.Errorf("the migration runs %s, the pods run %s", job.Image, images)
	}
	central, err := project(t).GetService("central")
	if err != nil {
		t.Fatal(err)
	}
	if grace := time.Duration(*central.StopGracePeriod); grace < stop {
		t.Errorf("compose kills the central after %s", grace)
	}
}

// TestSecretsAreReferences checks that no file of the tree has a secret value.
func TestSecretsAreReferences(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(kubernetes, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	password := regexp.MustCompile(`://[^/\s:@]+:[^@\s]+@|(?i)password: *["']?[a-z0-9]{3,}`)
	for _, file := range append(files, composed, "../../compose/haproxy.cfg", "../../ha/patroni.yml", "../../ha/etcd.env", "../../ha/haproxy.cfg") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if m := password.FindString(string(text)); m != "" {
			t.Errorf("%s has what looks like a password: %q", file, m)
		}
	}
	for name, s := range project(t).Services {
		for variable, value := range s.Environment {
			if value != nil && regexp.MustCompile(`PASSWORD$|SECRET|_KEY$`).MatchString(variable) {
				t.Errorf("service %s has %s in its environment", name, variable)
			}
		}
	}
}

func itoa(n int32) string { return strconv.Itoa(int(n)) }
