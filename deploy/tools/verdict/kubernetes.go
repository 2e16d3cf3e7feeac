// Package verdict checks the manifests of deploy/kubernetes and deploy/compose as a
// cluster and a compose engine would, without either: with the API server's own types
// and its strict decoding, Kubernetes' own check of the restricted profile, and
// compose's own loader and schema. The API server's validation takes minutes to
// compile, so this package has its own rules for the fields that are used here; a table
// of broken manifests, which a real API server has refused as well, keeps them correct.
// It is a module of its own, so that the product's stays small.
//
// Folders of files enter. Errors leave, which name file and field.
package verdict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/pod-security-admission/api"
	security "k8s.io/pod-security-admission/policy"
)

// Object is one object of a manifest.
type Object struct {
	File string
	Kind string
	Name string
	// Namespace is where it is, or would be where the manifest says nothing.
	Namespace string

	decoded runtime.Object // as it was written
}

// Kubernetes reads all manifests of a folder and gives their objects, in the order in
// which they are applied. The error lists everything that an API server would refuse,
// and references that it would accept and never find.
func Kubernetes(folder string) ([]Object, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(fmt.Errorf("no manifests in %s", folder), err)
	}
	var all []Object
	var wrong []error
	for _, file := range files {
		objects, err := read(file)
		all, wrong = append(all, objects...), append(wrong, err)
	}
	if wrong = append(wrong, fit(all)...); errors.Join(wrong...) != nil {
		return all, errors.Join(wrong...)
	}
	return all, nil
}

func read(file string) ([]Object, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	kinds, err := understood()
	if err != nil {
		return nil, err
	}
	strict := serializer.NewCodecFactory(kinds, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(text)))
	var all []Object
	var wrong []error
	for {
		document := make([]byte, len(text)+1)
		n, err := documents.Read(document)
		if errors.Is(err, io.EOF) {
			return all, errors.Join(wrong...)
		}
		if err != nil {
			return all, fmt.Errorf("%s: %w", file, err)
		}
		o, err := judge(strict, document[:n])
		o.File = filepath.Base(file)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %s %s: %w", o.File, o.Kind, o.Name, err))
		}
		all = append(all, o)
	}
}

// understood are the kinds that are used here.
func understood() (*runtime.Scheme, error) {
	kinds := runtime.NewScheme()
	var wrong []error
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme} {
		wrong = append(wrong, add(kinds))
	}
	return kinds, errors.Join(wrong...)
}

// judge decodes one object strictly and checks it against the rules of its kind.
func judge(strict runtime.Decoder, text []byte) (Object, error) {
	decoded, kind, err := strict.Decode(text, nil, nil)
	if err != nil {
		return Object{}, err
	}
	o := Object{Kind: kind.Kind, decoded: decoded}
	about, err := meta.Accessor(decoded)
	if err != nil {
		return o, err
	}
	o.Name, o.Namespace = about.GetName(), about.GetNamespace()
	faults := append(named(about), rules(decoded)...)
	return o, errors.Join(faults.ToAggregate(), restricted(decoded))
}

// restricted checks a pod against the restricted profile of Kubernetes' pod security
// standards.
func restricted(o runtime.Object) error {
	template := podsOf(o)
	if template == nil {
		return nil
	}
	judge, err := security.NewEvaluator(security.DefaultChecks())
	if err != nil {
		return err
	}
	newest := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	result := security.AggregateCheckResults(judge.EvaluatePod(newest, &template.ObjectMeta, &template.Spec))
	if !result.Allowed {
		return fmt.Errorf("the restricted profile refuses it: %s", result.ForbiddenDetail())
	}
	return nil
}
