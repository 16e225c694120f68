// Package kubernetes checks the manifests in the folder packaging, in a module of its own because of the types of Kubernetes.
package kubernetes

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// kinds are the types of objects, by their API version and kind.
var kinds = map[string]func() any{
	"apps/v1 Deployment":            func() any { return new(apps.Deployment) },
	"apps/v1 StatefulSet":           func() any { return new(apps.StatefulSet) },
	"policy/v1 PodDisruptionBudget": func() any { return new(policy.PodDisruptionBudget) },
	"v1 Secret":                     func() any { return new(core.Secret) },
	"v1 Service":                    func() any { return new(core.Service) },
}

// check returns an error if an object has a field that its kind lacks, or a value of another type.
func check(t *testing.T, object string) error {
	var head struct{ APIVersion, Kind string }
	if err := yaml.Unmarshal([]byte(object), &head); err != nil {
		t.Fatal(err)
	}
	kind := kinds[head.APIVersion+" "+head.Kind]
	if kind == nil {
		t.Fatalf("add %s %s to kinds", head.APIVersion, head.Kind)
	}
	data, err := yaml.YAMLToJSONStrict([]byte(object))
	if err != nil {
		return err
	}
	unknown, err := json.UnmarshalStrict(data, kind()) // as the API server does
	return errors.Join(append(unknown, err)...)
}

func TestManifests(t *testing.T) {
	files, err := filepath.Glob("../../packaging/kubernetes*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for object := range strings.SplitSeq(string(text), "\n---\n") {
			if err := check(t, object); err != nil {
				t.Errorf("%s: %v:\n%s", file, err, object)
			}
			checked++
			for right, wrong := range map[string]string{"replicas: 3": "replicas: three", "seconds: 5": "secondes: 5", "targetPort:": "targetport:", "minAvailable:": "minimum:"} {
				if changed := strings.Replace(object, right, wrong, 1); changed != object && check(t, changed) == nil {
					t.Errorf("%s is accepted", wrong)
				}
			}
		}
	}
	if checked < 10 {
		t.Errorf("%d objects", checked)
	}
}
