package verdict

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// fit reports what a cluster would accept silently and never find: whatever an object
// names must exist, and each selector must select something.
func fit(all []Object) (wrong []error) {
	w := whole{all: all}
	for _, o := range all {
		tell := func(format string, args ...any) {
			wrong = append(wrong, fmt.Errorf("%s: %s %s: "+format, append([]any{o.File, o.Kind, o.Name}, args...)...))
		}
		if o.decoded == nil {
			continue // which was reported already
		}
		if o.Kind != "Namespace" && !w.has("Namespace", "", o.Namespace) {
			tell("there is no namespace %q", o.Namespace)
		}
		if pods := podsOf(o.decoded); pods != nil {
			w.pods(pods.Spec, o.Namespace, tell)
		}
		switch d := o.decoded.(type) {
		case *corev1.Service:
			w.service(d, tell)
		case *networkingv1.Ingress:
			w.ingress(d, tell)
		case *networkingv1.NetworkPolicy:
			if s := &d.Spec.PodSelector; len(s.MatchLabels)+len(s.MatchExpressions) > 0 && w.selected(d.Namespace, s) == nil {
				tell("its podSelector selects nobody")
			}
		case *policyv1.PodDisruptionBudget:
			w.budget(d, tell)
		}
	}
	return wrong
}

// whole is all objects together.
type whole struct{ all []Object }

func (w whole) has(kind, namespace, name string) bool {
	return slices.ContainsFunc(w.all, func(o Object) bool { return o.Kind == kind && o.Namespace == namespace && o.Name == name })
}

// selected gives the objects of a namespace whose pods are selected.
func (w whole) selected(namespace string, by *meta.LabelSelector) (out []Object) {
	chosen, err := meta.LabelSelectorAsSelector(by)
	if err != nil {
		return nil
	}
	for _, o := range w.all {
		if o.decoded == nil || o.Namespace != namespace {
			continue
		}
		if pods := podsOf(o.decoded); pods != nil && chosen.Matches(labels.Set(pods.Labels)) {
			out = append(out, o)
		}
	}
	return out
}

// pods checks what pods use from elsewhere. No file holds secrets.
func (w whole) pods(spec corev1.PodSpec, namespace string, tell func(string, ...any)) {
	need := func(kind, name string) {
		if name != "" && !w.has(kind, namespace, name) {
			tell("there is no %s %q", kind, name)
		}
	}
	need("ServiceAccount", spec.ServiceAccountName)
	for _, v := range spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			need("PersistentVolumeClaim", v.PersistentVolumeClaim.ClaimName)
		}
		if v.ConfigMap != nil {
			need("ConfigMap", v.ConfigMap.Name)
		}
	}
	for _, c := range spec.Containers {
		for _, from := range c.EnvFrom {
			if from.ConfigMapRef != nil {
				need("ConfigMap", from.ConfigMapRef.Name)
			}
		}
		for _, v := range c.Env {
			if v.ValueFrom != nil && v.ValueFrom.ConfigMapKeyRef != nil {
				need("ConfigMap", v.ValueFrom.ConfigMapKeyRef.Name)
			}
		}
	}
}

// service checks the pods behind a service, and the ports that it names.
func (w whole) service(s *corev1.Service, tell func(string, ...any)) {
	behind := w.selected(s.Namespace, &meta.LabelSelector{MatchLabels: s.Spec.Selector})
	if len(s.Spec.Selector) == 0 || behind == nil {
		tell("it selects nobody")
	}
	for _, o := range behind {
		for _, p := range s.Spec.Ports {
			if p.TargetPort.Type == intstr.String && !slices.ContainsFunc(podsOf(o.decoded).Spec.Containers, func(c corev1.Container) bool {
				return slices.ContainsFunc(c.Ports, func(own corev1.ContainerPort) bool { return own.Name == p.TargetPort.StrVal })
			}) {
				tell("the pods of %s have no port %q", o.Name, p.TargetPort.StrVal)
			}
		}
	}
}

// ingress checks the services behind an Ingress, and their ports.
func (w whole) ingress(i *networkingv1.Ingress, tell func(string, ...any)) {
	for _, rule := range i.Spec.Rules {
		if rule.HTTP == nil {
			continue
		}
		for _, path := range rule.HTTP.Paths {
			to := path.Backend.Service
			if to == nil {
				continue
			}
			at := slices.IndexFunc(w.all, func(o Object) bool { return o.Kind == "Service" && o.Namespace == i.Namespace && o.Name == to.Name })
			if at < 0 {
				tell("there is no service %q", to.Name)
				continue
			}
			s, _ := w.all[at].decoded.(*corev1.Service)
			if s == nil || !slices.ContainsFunc(s.Spec.Ports, func(p corev1.ServicePort) bool {
				return p.Name == to.Port.Name && to.Port.Name != "" || p.Port == to.Port.Number
			}) {
				tell("service %s has no port %q %d", to.Name, to.Port.Name, to.Port.Number)
			}
		}
	}
}

// budget checks that a budget protects pods, and still lets a machine be drained.
func (w whole) budget(b *policyv1.PodDisruptionBudget, tell func(string, ...any)) {
	if b.Spec.Selector == nil {
		return // which was reported already
	}
	protected := w.selected(b.Namespace, b.Spec.Selector)
	if protected == nil {
		tell("it selects nobody")
	}
	for _, o := range protected {
		d, ok := o.decoded.(*appsv1.Deployment)
		if !ok || b.Spec.MinAvailable == nil {
			continue
		}
		replicas := 1
		if d.Spec.Replicas != nil {
			replicas = int(*d.Spec.Replicas)
		}
		if least, err := intstr.GetScaledValueFromIntOrPercent(b.Spec.MinAvailable, replicas, true); err == nil && least >= replicas {
			tell("minAvailable %s of %d pods lets no machine be emptied", b.Spec.MinAvailable, replicas)
		}
	}
}
