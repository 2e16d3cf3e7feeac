package verdict

import (
	"path"
	"reflect"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// podsOf gives the pods that an object makes; nil: it makes none.
func podsOf(o runtime.Object) *corev1.PodTemplateSpec {
	switch o := o.(type) {
	case *appsv1.Deployment:
		return &o.Spec.Template
	case *batchv1.Job:
		return &o.Spec.Template
	}
	return nil
}

// kinds counts the fields of a structure that are set: only one of a union may be.
func kinds(union any) (n int) {
	v := reflect.ValueOf(union)
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			n++
		}
	}
	return n
}

func pod(t *corev1.PodTemplateSpec, at *field.Path) field.ErrorList {
	faults := metavalidation.ValidateLabels(t.Labels, at.Child("metadata", "labels"))
	at = at.Child("spec")
	volumes := map[string]bool{}
	for i, v := range t.Spec.Volumes {
		at := at.Child("volumes").Index(i)
		faults = append(faults, invalid(at.Child("name"), v.Name, validation.IsDNS1123Label(v.Name)...)...)
		if volumes[v.Name] {
			faults = append(faults, field.Duplicate(at.Child("name"), v.Name))
		}
		if kinds(v.VolumeSource) != 1 {
			faults = append(faults, field.Invalid(at, v.Name, "a volume is of one kind"))
		}
		volumes[v.Name] = true
	}
	if n := t.Spec.TerminationGracePeriodSeconds; n != nil && *n < 0 {
		faults = append(faults, field.Invalid(at.Child("terminationGracePeriodSeconds"), *n, "must not be below zero"))
	}
	if len(t.Spec.Containers) == 0 {
		faults = append(faults, field.Required(at.Child("containers"), "at least one"))
	}
	names := map[string]bool{}
	for i, c := range slices.Concat(t.Spec.InitContainers, t.Spec.Containers) {
		at := at.Child("containers").Index(i)
		if names[c.Name] {
			faults = append(faults, field.Duplicate(at.Child("name"), c.Name))
		}
		names[c.Name] = true
		faults = append(faults, container(c, volumes, at)...)
	}
	return faults
}

func container(c corev1.Container, volumes map[string]bool, at *field.Path) field.ErrorList {
	faults := invalid(at.Child("name"), c.Name, validation.IsDNS1123Label(c.Name)...)
	if c.Image == "" {
		faults = append(faults, field.Required(at.Child("image"), "what runs"))
	}
	ports := map[string]bool{}
	for i, p := range c.Ports {
		at := at.Child("ports").Index(i)
		faults = append(faults, port(intstr.FromInt32(p.ContainerPort), at.Child("containerPort"))...)
		faults = append(faults, protocol(p.Protocol, at.Child("protocol"))...)
		if p.Name == "" {
			continue
		}
		faults = append(faults, invalid(at.Child("name"), p.Name, validation.IsValidPortName(p.Name)...)...)
		if ports[p.Name] {
			faults = append(faults, field.Duplicate(at.Child("name"), p.Name))
		}
		ports[p.Name] = true
	}
	for i, v := range c.Env {
		at := at.Child("env").Index(i)
		faults = append(faults, invalid(at.Child("name"), v.Name, validation.IsRelaxedEnvVarName(v.Name)...)...)
		if v.ValueFrom != nil && (v.Value != "" || kinds(*v.ValueFrom) != 1) {
			faults = append(faults, field.Invalid(at.Child("valueFrom"), v.Name, "a value comes from one place"))
		}
	}
	mounted := map[string]bool{}
	for i, m := range c.VolumeMounts {
		at := at.Child("volumeMounts").Index(i)
		if !volumes[m.Name] {
			faults = append(faults, field.NotFound(at.Child("name"), m.Name))
		}
		if m.MountPath == "" || mounted[path.Clean(m.MountPath)] {
			faults = append(faults, field.Invalid(at.Child("mountPath"), m.MountPath, "a place of its own"))
		}
		mounted[path.Clean(m.MountPath)] = true
	}
	for name, asked := range c.Resources.Requests {
		if most, bounded := c.Resources.Limits[name]; asked.Sign() < 0 || bounded && asked.Cmp(most) > 0 {
			faults = append(faults, field.Invalid(at.Child("resources", "requests").Key(string(name)), asked.String(), "must not be below zero, nor above the limit"))
		}
	}
	for name, p := range map[string]*corev1.Probe{"startupProbe": c.StartupProbe, "livenessProbe": c.LivenessProbe, "readinessProbe": c.ReadinessProbe} {
		faults = append(faults, probe(p, ports, at.Child(name))...)
	}
	return faults
}

// probe checks a question after a container's health, and its port against those that
// the container has.
func probe(p *corev1.Probe, ports map[string]bool, at *field.Path) (faults field.ErrorList) {
	if p == nil {
		return nil
	}
	if kinds(p.ProbeHandler) != 1 {
		faults = append(faults, field.Invalid(at, kinds(p.ProbeHandler), "a probe asks in one way"))
	}
	asked := map[string]intstr.IntOrString{}
	if p.HTTPGet != nil {
		asked["httpGet"] = p.HTTPGet.Port
	}
	if p.TCPSocket != nil {
		asked["tcpSocket"] = p.TCPSocket.Port
	}
	for way, of := range asked {
		at := at.Child(way, "port")
		faults = append(faults, port(of, at)...)
		if of.Type == intstr.String && !ports[of.StrVal] {
			faults = append(faults, field.NotFound(at, of.StrVal))
		}
	}
	for name, n := range map[string]int32{
		"initialDelaySeconds": p.InitialDelaySeconds, "timeoutSeconds": p.TimeoutSeconds, "periodSeconds": p.PeriodSeconds,
		"successThreshold": p.SuccessThreshold, "failureThreshold": p.FailureThreshold,
	} {
		if n < 0 {
			faults = append(faults, field.Invalid(at.Child(name), n, "must not be below zero"))
		}
	}
	return faults
}
