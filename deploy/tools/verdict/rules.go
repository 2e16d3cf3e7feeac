package verdict

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// invalid makes a fault of each reason.
func invalid(at *field.Path, value any, reasons ...string) (faults field.ErrorList) {
	for _, reason := range reasons {
		faults = append(faults, field.Invalid(at, value, reason))
	}
	return faults
}

// named checks an object's name, namespace and labels.
func named(o meta.Object) field.ErrorList {
	at := field.NewPath("metadata")
	faults := invalid(at.Child("name"), o.GetName(), validation.IsDNS1123Subdomain(o.GetName())...)
	if o.GetNamespace() != "" {
		faults = append(faults, invalid(at.Child("namespace"), o.GetNamespace(), validation.IsDNS1123Label(o.GetNamespace())...)...)
	}
	return append(faults, metavalidation.ValidateLabels(o.GetLabels(), at.Child("labels"))...)
}

// rules checks an object against those of its kind; a kind without any is a fault.
func rules(o runtime.Object) field.ErrorList {
	spec := field.NewPath("spec")
	switch o := o.(type) {
	case *corev1.Namespace, *corev1.ServiceAccount:
		return nil
	case *corev1.ConfigMap:
		return settings(o)
	case *corev1.PersistentVolumeClaim:
		return claim(o, spec)
	case *corev1.Service:
		return service(o, spec)
	case *appsv1.Deployment:
		return deployment(o, spec)
	case *batchv1.Job:
		return job(o, spec)
	case *networkingv1.Ingress:
		return ingress(o, spec)
	case *networkingv1.NetworkPolicy:
		return networkPolicy(o, spec)
	case *policyv1.PodDisruptionBudget:
		return budget(o, spec)
	}
	return field.ErrorList{field.InternalError(field.NewPath("kind"), fmt.Errorf("%T is judged by nobody: add its rules to package verdict", o))}
}

func settings(o *corev1.ConfigMap) (faults field.ErrorList) {
	for key := range o.Data {
		faults = append(faults, invalid(field.NewPath("data"), key, validation.IsConfigMapKey(key)...)...)
	}
	return faults
}

func claim(o *corev1.PersistentVolumeClaim, at *field.Path) (faults field.ErrorList) {
	if size, ok := o.Spec.Resources.Requests[corev1.ResourceStorage]; !ok || size.Sign() <= 0 {
		faults = append(faults, field.Required(at.Child("resources", "requests", "storage"), "how much"))
	}
	modes := []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce, corev1.ReadOnlyMany, corev1.ReadWriteMany, corev1.ReadWriteOncePod}
	for _, m := range o.Spec.AccessModes {
		if !slices.Contains(modes, m) {
			faults = append(faults, field.NotSupported(at.Child("accessModes"), m, modes))
		}
	}
	if len(o.Spec.AccessModes) == 0 {
		faults = append(faults, field.Required(at.Child("accessModes"), "at least one"))
	}
	return faults
}

// port checks a number or a name of a port.
func port(p intstr.IntOrString, at *field.Path) field.ErrorList {
	if p.Type == intstr.Int {
		return invalid(at, p.IntValue(), validation.IsValidPortNum(p.IntValue())...)
	}
	return invalid(at, p.StrVal, validation.IsValidPortName(p.StrVal)...)
}

func protocol(p corev1.Protocol, at *field.Path) field.ErrorList {
	known := []corev1.Protocol{"", corev1.ProtocolTCP, corev1.ProtocolUDP, corev1.ProtocolSCTP}
	if !slices.Contains(known, p) {
		return field.ErrorList{field.NotSupported(at, p, known)}
	}
	return nil
}

func service(o *corev1.Service, at *field.Path) (faults field.ErrorList) {
	seen := map[string]bool{}
	for i, p := range o.Spec.Ports {
		at := at.Child("ports").Index(i)
		faults = append(faults, invalid(at.Child("port"), p.Port, validation.IsValidPortNum(int(p.Port))...)...)
		faults = append(faults, protocol(p.Protocol, at.Child("protocol"))...)
		if p.TargetPort != (intstr.IntOrString{}) {
			faults = append(faults, port(p.TargetPort, at.Child("targetPort"))...)
		}
		if p.Name != "" || len(o.Spec.Ports) > 1 {
			faults = append(faults, invalid(at.Child("name"), p.Name, validation.IsDNS1123Label(p.Name)...)...)
		}
		for _, own := range []string{p.Name, fmt.Sprint(p.Protocol, "/", p.Port)} {
			if seen[own] {
				faults = append(faults, field.Duplicate(at, own))
			}
			seen[own] = true
		}
	}
	if len(o.Spec.Ports) == 0 {
		faults = append(faults, field.Required(at.Child("ports"), "at least one"))
	}
	return append(faults, metavalidation.ValidateLabels(o.Spec.Selector, at.Child("selector"))...)
}

func deployment(o *appsv1.Deployment, at *field.Path) (faults field.ErrorList) {
	if n := o.Spec.Replicas; n != nil && *n < 0 {
		faults = append(faults, field.Invalid(at.Child("replicas"), *n, "must not be below zero"))
	}
	if o.Spec.Selector == nil || len(o.Spec.Selector.MatchLabels)+len(o.Spec.Selector.MatchExpressions) == 0 {
		faults = append(faults, field.Required(at.Child("selector"), "which pods are its own"))
	} else if own, err := meta.LabelSelectorAsSelector(o.Spec.Selector); err != nil || !own.Matches(labels.Set(o.Spec.Template.Labels)) {
		faults = append(faults, field.Invalid(at.Child("template", "metadata", "labels"), o.Spec.Template.Labels, "the selector does not select its own pods"))
	}
	if r := o.Spec.Strategy.RollingUpdate; r != nil {
		down, downErr := intstr.GetScaledValueFromIntOrPercent(intstr.ValueOrDefault(r.MaxUnavailable, intstr.FromString("25%")), 100, false)
		up, upErr := intstr.GetScaledValueFromIntOrPercent(intstr.ValueOrDefault(r.MaxSurge, intstr.FromString("25%")), 100, true)
		at := at.Child("strategy", "rollingUpdate")
		if downErr != nil || upErr != nil || down < 0 || up < 0 {
			faults = append(faults, field.Invalid(at, fmt.Sprint(r.MaxUnavailable, r.MaxSurge), "numbers or percentages, not below zero"))
		} else if down == 0 && up == 0 {
			faults = append(faults, field.Invalid(at.Child("maxUnavailable"), down, "may not be 0 when maxSurge is 0: no pod could ever change"))
		}
	}
	if p := o.Spec.Template.Spec.RestartPolicy; p != "" && p != corev1.RestartPolicyAlways {
		faults = append(faults, field.NotSupported(at.Child("template", "spec", "restartPolicy"), p, []corev1.RestartPolicy{corev1.RestartPolicyAlways}))
	}
	for i, c := range o.Spec.Template.Spec.Containers {
		at := at.Child("template", "spec", "containers").Index(i)
		for name, probe := range map[string]*corev1.Probe{"startupProbe": c.StartupProbe, "livenessProbe": c.LivenessProbe, "readinessProbe": c.ReadinessProbe} {
			if probe == nil {
				faults = append(faults, field.Required(at.Child(name), "whoever serves is asked how it is"))
			}
		}
	}
	return append(faults, pod(&o.Spec.Template, at.Child("template"))...)
}

func job(o *batchv1.Job, at *field.Path) (faults field.ErrorList) {
	template := at.Child("template")
	if p := o.Spec.Template.Spec.RestartPolicy; p != corev1.RestartPolicyNever && p != corev1.RestartPolicyOnFailure {
		faults = append(faults, field.NotSupported(template.Child("spec", "restartPolicy"), p, []corev1.RestartPolicy{corev1.RestartPolicyNever, corev1.RestartPolicyOnFailure}))
	}
	for name, n := range map[string]*int32{"backoffLimit": o.Spec.BackoffLimit, "ttlSecondsAfterFinished": o.Spec.TTLSecondsAfterFinished, "parallelism": o.Spec.Parallelism, "completions": o.Spec.Completions} {
		if n != nil && *n < 0 {
			faults = append(faults, field.Invalid(at.Child(name), *n, "must not be below zero"))
		}
	}
	return append(faults, pod(&o.Spec.Template, template)...)
}

func ingress(o *networkingv1.Ingress, at *field.Path) (faults field.ErrorList) {
	for i, rule := range o.Spec.Rules {
		at := at.Child("rules").Index(i)
		if rule.Host != "" && !strings.HasPrefix(rule.Host, "*") {
			faults = append(faults, invalid(at.Child("host"), rule.Host, validation.IsDNS1123Subdomain(rule.Host)...)...)
		}
		if rule.HTTP == nil {
			continue
		}
		for k, p := range rule.HTTP.Paths {
			at := at.Child("http", "paths").Index(k)
			known := []networkingv1.PathType{networkingv1.PathTypeExact, networkingv1.PathTypePrefix, networkingv1.PathTypeImplementationSpecific}
			switch {
			case p.PathType == nil:
				faults = append(faults, field.Required(at.Child("pathType"), "how the path is compared"))
			case !slices.Contains(known, *p.PathType):
				faults = append(faults, field.NotSupported(at.Child("pathType"), *p.PathType, known))
			case !strings.HasPrefix(p.Path, "/"):
				faults = append(faults, field.Invalid(at.Child("path"), p.Path, "must begin with /"))
			}
			if s := p.Backend.Service; s == nil || (s.Port.Name == "") == (s.Port.Number == 0) {
				faults = append(faults, field.Required(at.Child("backend", "service", "port"), "a service, and its port by name or by number"))
			}
		}
	}
	return faults
}

func networkPolicy(o *networkingv1.NetworkPolicy, at *field.Path) field.ErrorList {
	faults := metavalidation.ValidateLabelSelector(&o.Spec.PodSelector, metavalidation.LabelSelectorValidationOptions{}, at.Child("podSelector"))
	known := []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress}
	for _, kind := range o.Spec.PolicyTypes {
		if !slices.Contains(known, kind) {
			faults = append(faults, field.NotSupported(at.Child("policyTypes"), kind, known))
		}
	}
	ports := func(list []networkingv1.NetworkPolicyPort, at *field.Path) {
		for i, p := range list {
			if p.Protocol != nil {
				faults = append(faults, protocol(*p.Protocol, at.Index(i).Child("protocol"))...)
			}
			if p.Port != nil {
				faults = append(faults, port(*p.Port, at.Index(i).Child("port"))...)
			}
		}
	}
	peers := func(list []networkingv1.NetworkPolicyPeer, at *field.Path) {
		for i, p := range list {
			at := at.Index(i)
			if p.IPBlock != nil {
				faults = append(faults, validation.IsValidCIDR(at.Child("ipBlock", "cidr"), p.IPBlock.CIDR)...)
			}
			if kinds := p.IPBlock != nil; kinds == (p.PodSelector != nil || p.NamespaceSelector != nil) {
				faults = append(faults, field.Invalid(at, p, "want an ipBlock, or selectors, and not both"))
			}
		}
	}
	for i, rule := range o.Spec.Ingress {
		ports(rule.Ports, at.Child("ingress").Index(i).Child("ports"))
		peers(rule.From, at.Child("ingress").Index(i).Child("from"))
	}
	for i, rule := range o.Spec.Egress {
		ports(rule.Ports, at.Child("egress").Index(i).Child("ports"))
		peers(rule.To, at.Child("egress").Index(i).Child("to"))
	}
	return faults
}

func budget(o *policyv1.PodDisruptionBudget, at *field.Path) (faults field.ErrorList) {
	if (o.Spec.MinAvailable == nil) == (o.Spec.MaxUnavailable == nil) {
		faults = append(faults, field.Invalid(at.Child("maxUnavailable"), o.Spec.MaxUnavailable, "want it or minAvailable, and not both"))
	}
	for name, n := range map[string]*intstr.IntOrString{"minAvailable": o.Spec.MinAvailable, "maxUnavailable": o.Spec.MaxUnavailable} {
		if n == nil {
			continue
		}
		if v, err := intstr.GetScaledValueFromIntOrPercent(n, 100, true); err != nil || v < 0 || n.Type == intstr.String && v > 100 {
			faults = append(faults, field.Invalid(at.Child(name), n.String(), "want a number, or a percentage up to 100"))
		}
	}
	if o.Spec.Selector == nil {
		faults = append(faults, field.Required(at.Child("selector"), "whom it protects"))
	}
	return faults
}
