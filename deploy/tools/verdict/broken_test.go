package verdict

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// broken are changes after which a cluster refuses a manifest, or accepts it and does
// not do what is meant; each with a part of the expected message.
var broken = map[string]struct{ file, was, is, says string }{
	// What an API server can't read.
	"a word that is none":     {"30-central.yaml", "minReadySeconds: 10", "minReadySecond: 10", "minReadySecond"},
	"a word in a probe":       {"30-central.yaml", "failureThreshold: 150", "failuresThreshold: 150", "failuresThreshold"},
	"another type":            {"30-central.yaml", "replicas: 2", `replicas: "two"`, "replicas"},
	"a type of a list":        {"20-migrate.yaml", "args: [migrate]", "args: migrate", "args"},
	"a number for a text":     {"10-settings.yaml", "GALLA_DRAIN_DELAY: 15s", "GALLA_DRAIN_DELAY: 15", "string"},
	"a field twice":           {"30-central.yaml", "  replicas: 2\n", "  replicas: 2\n  replicas: 3\n", "replicas"},
	"another API":             {"30-central.yaml", "policy/v1", "policy/v1beta9", "policy/v1beta9"},
	"a kind that is none":     {"40-network.yaml", "kind: NetworkPolicy", "kind: NetPolicy", "NetPolicy"},
	"an amount that is none":  {"30-central.yaml", "memory: 1Gi}", "memory: 1 GB}", "quantit"},
	"a kind without a judge":  {"00-namespace.yaml", "kind: Namespace", "kind: Node", "judged by nobody"},
	"a name that is none":     {"40-network.yaml", "name: galla-central-admin", "name: Galla_Admin", "Galla_Admin"},
	"a label that is none":    {"40-network.yaml", "  name: nobody\n", "  name: nobody\n  labels: {a: -b-}\n", "-b-"},
	"a variable that is none": {"20-migrate.yaml", "- name: GALLA_NODE", "- name: GALLA=NODE", "GALLA=NODE"},
	"a key that is none":      {"10-settings.yaml", "GALLA_DRAIN_DELAY: 15s", "GALLA LEAD: 15s", "GALLA LEAD"},
	// What it can read, and refuses.
	"a port that is none":        {"30-central.yaml", "containerPort: 7100", "containerPort: 71000", "71000"},
	"a port's name":              {"30-central.yaml", "{name: direct, containerPort", "{name: Direct_Calls, containerPort", "Direct_Calls"},
	"a long port's name":         {"30-central.yaml", "{name: direct, containerPort", "{name: direct-calls-of-merchants, containerPort", "direct-calls-of-merchants"},
	"two ports of one name":      {"30-central.yaml", "{name: uplink, containerPort", "{name: direct, containerPort", "direct"},
	"a selector without its pod": {"30-central.yaml", "app.kubernetes.io/component: central}\n  template", "app.kubernetes.io/component: other}\n  template", "selector"},
	"a volume that is not there": {"30-central.yaml", "- {name: tmp, mountPath: /tmp}", "- {name: temp, mountPath: /tmp}", "temp"},
	"two volumes in one place":   {"30-central.yaml", "mountPath: /tmp}", "mountPath: /var/lib/galla}", "/var/lib/galla"},
	"a volume of two kinds":      {"30-central.yaml", "emptyDir: {sizeLimit: 64Mi}", "emptyDir: {sizeLimit: 64Mi}\n          hostPath: {path: /srv}", "data"},
	"no way to roll":             {"30-central.yaml", "maxSurge: 1", "maxSurge: 0", "maxUnavailable"},
	"fewer than none":            {"30-central.yaml", "replicas: 2", "replicas: -1", "replicas"},
	"more asked than allowed":    {"30-central.yaml", "memory: 384Mi", "memory: 2Gi", "memory"},
	"no image":                   {"20-migrate.yaml", "image: registry.example/galla-central:1.0.0", `image: ""`, "image"},
	"a job that starts anew":     {"20-migrate.yaml", "restartPolicy: Never", "restartPolicy: Always", "restartPolicy"},
	"a pod that does not":        {"30-central.yaml", "      enableServiceLinks: false\n", "      enableServiceLinks: false\n      restartPolicy: Never\n", "restartPolicy"},
	"a probe of two kinds":       {"30-central.yaml", "httpGet: {path: /readyz, port: admin}", "httpGet: {path: /readyz, port: admin}\n            tcpSocket: {port: 7100}", "readinessProbe"},
	"a probe of no kind":         {"30-central.yaml", "            httpGet: {path: /readyz, port: admin}\n", "", "readinessProbe"},
	"a value from two places":    {"20-migrate.yaml", "value: migrate", "value: migrate\n              valueFrom: {fieldRef: {fieldPath: metadata.name}}", "valueFrom"},
	"two services' ports":        {"40-network.yaml", "{name: uplink, port: 7102, targetPort: uplink}", "{name: direct, port: 7102, targetPort: uplink}", "direct"},
	"a path of no kind":          {"40-network.yaml", "            pathType: Exact\n", "", "pathType"},
	"a path that is none":        {"40-network.yaml", "- path: /uplink", "- path: uplink", "uplink"},
	"a protocol that is none":    {"40-network.yaml", "protocol: UDP", "protocol: HTTP", "HTTP"},
	"a policy's port":            {"40-network.yaml", "- {port: 5432}", "- {port: 99999}", "99999"},
	"a budget of both":           {"30-central.yaml", "minAvailable: 1", "minAvailable: 1\n  maxUnavailable: 1", "maxUnavailable"},
	"a budget below none":        {"30-central.yaml", "minAvailable: 1", "minAvailable: -1", "minAvailable"},
	// What the restricted profile refuses.
	"privileges":           {"30-central.yaml", "allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true", "allowPrivilegeEscalation"},
	"a privileged pod":     {"20-migrate.yaml", "readOnlyRootFilesystem: true", "privileged: true", "privileged"},
	"root":                 {"30-central.yaml", "runAsNonRoot: true", "runAsNonRoot: false", "runAsNonRoot"},
	"root by its number":   {"30-central.yaml", "runAsUser: 65532", "runAsUser: 0", "runAsUser"},
	"capabilities":         {"20-migrate.yaml", "capabilities: {drop: [ALL]}", "capabilities: {drop: [ALL], add: [NET_ADMIN]}", "NET_ADMIN"},
	"all capabilities":     {"20-migrate.yaml", "capabilities: {drop: [ALL]}", "capabilities: {}", "capabilities"},
	"system calls":         {"30-central.yaml", "        seccompProfile: {type: RuntimeDefault}\n", "", "seccomp"},
	"the host's network":   {"30-central.yaml", "      enableServiceLinks: false\n", "      hostNetwork: true\n", "hostNetwork"},
	"the host's files":     {"30-central.yaml", "emptyDir: {sizeLimit: 64Mi}", "hostPath: {path: /srv}", "hostPath"},
	"a port of the host's": {"30-central.yaml", "containerPort: 7100}", "containerPort: 7100, hostPort: 7100}", "hostPort"},
	// What it accepts, and what then does not do what is meant.
	"a service of nobody":      {"40-network.yaml", "selector: {app.kubernetes.io/name: galla-central, app.kubernetes.io/component: central}", "selector: {app.kubernetes.io/name: galla-centrale}", "galla-central"},
	"a service's port":         {"40-network.yaml", "targetPort: uplink", "targetPort: uplinks", "uplinks"},
	"a probe's port":           {"30-central.yaml", "{path: /readyz, port: admin}", "{path: /readyz, port: console}", "console"},
	"no probe":                 {"30-central.yaml", "          readinessProbe:\n            httpGet: {path: /readyz, port: admin}\n            periodSeconds: 3\n            timeoutSeconds: 4\n            failureThreshold: 2\n", "", "readinessProbe"},
	"a budget that blocks":     {"30-central.yaml", "minAvailable: 1", "minAvailable: 2", "minAvailable"},
	"a budget that blocks all": {"30-central.yaml", "minAvailable: 1", "minAvailable: 100%", "minAvailable"},
	"a budget of nobody":       {"30-central.yaml", "  unhealthyPodEvictionPolicy: AlwaysAllow\n  selector:\n    matchLabels: {app.kubernetes.io/name: galla-central", "  unhealthyPodEvictionPolicy: AlwaysAllow\n  selector:\n    matchLabels: {app.kubernetes.io/name: galla", "galla-central"},
	"a policy of nobody":       {"40-network.yaml", "  podSelector:\n    matchLabels: {app.kubernetes.io/name: galla-central}", "  podSelector:\n    matchLabels: {app.kubernetes.io/name: galla}", "podSelector"},
	"an Ingress to nobody":     {"40-network.yaml", "backend: {service: {name: galla-central, port: {name: uplink}}}", "backend: {service: {name: galla, port: {name: uplink}}}", "galla"},
	"an Ingress to no port":    {"40-network.yaml", "port: {name: direct}}}", "port: {name: http}}}", "http"},
	"settings of nobody":       {"30-central.yaml", "configMapRef: {name: galla-central}", "configMapRef: {name: galla-settings}", "galla-settings"},
	"an account of nobody":     {"20-migrate.yaml", "serviceAccountName: galla-central", "serviceAccountName: galla-migrate", "galla-migrate"},
	"a claim of nobody":        {"30-central.yaml", "claimName: galla-archive", "claimName: galla-archives", "galla-archives"},
	"another namespace":        {"10-settings.yaml", "  namespace: galla\n", "  namespace: gala\n", "gala"},
	"no namespace":             {"30-central.yaml", "  namespace: galla\n", "", "namespace"},
}

// TestKubernetesHasTeeth checks that each broken manifest is reported.
func TestKubernetesHasTeeth(t *testing.T) {
	for what, c := range broken {
		folder := t.TempDir()
		if err := os.CopyFS(folder, os.DirFS(kubernetes)); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(folder, c.file))
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(text), c.was, c.is, 1)
		if changed == string(text) {
			t.Errorf("%s: %q is not in %s", what, c.was, c.file)
			continue
		}
		if err := os.WriteFile(filepath.Join(folder, c.file), []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Kubernetes(folder); err == nil {
			t.Errorf("%s: nobody says a word", what)
		} else if !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), c.file) {
			t.Errorf("%s: no %q of %s in: %v", what, c.says, c.file, err)
		}
	}
}
