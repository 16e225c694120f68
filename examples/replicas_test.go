package examples

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

var longOption = regexp.MustCompile(`^--[a-z-]+`)

// TestReplicas checks the manifests and the Compose file of replicas: options exist, names that refer to each other
// agree, and all probes ask the port of the container.
func TestReplicas(t *testing.T) {
	help := &must.Output{}
	if code := cli.Run(t.Context(), []string{"serve", "--help"}, cli.Streams{In: strings.NewReader(""), Out: help, Err: help}); code != 0 {
		t.Fatal(help)
	}
	var options []string
	for _, m := range option.FindAllStringSubmatch(help.String(), -1) {
		options = append(options, m[1])
	}
	check := func(args []string) {
		t.Helper()
		for _, arg := range args {
			if name := longOption.FindString(arg); name != "" && !slices.Contains(options, name) {
				t.Errorf("serve has no option %s", name)
			}
		}
	}
	objects := map[string]manifest{}
	composed := false
	for _, file := range []string{"kubernetes-replicas.yaml", "kubernetes-postgres.yaml", "compose-replicas.yaml"} {
		text := packaged(t, file)
		decoder := yaml.NewDecoder(strings.NewReader(text))
		for {
			var object struct {
				manifest `yaml:",inline"`
				Services map[string]struct{ Command []string }
			}
			err := decoder.Decode(&object)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			if object.Services != nil {
				composed = true
				check(object.Services["docs"].Command)
				continue
			}
			objects[object.Kind+" "+object.Metadata.Name] = object.manifest
		}
	}
	if !composed {
		t.Error("no file of Compose")
	}
	check(checkManifests(t, objects["Secret acme-docs"], objects["Deployment acme-docs"], objects["Service acme-docs"]).Args)
}

// checkManifests checks that names that refer to each other, the port and the probes of a deployment agree, and that its arguments
// name the folders of its volumes. It returns the container.
func checkManifests(t *testing.T, secret, deployment, service manifest) container {
	t.Helper()
	pod := deployment.Spec.Template
	if len(pod.Spec.Containers) != 1 || len(pod.Spec.Volumes) < 2 {
		t.Fatalf("%+v", pod)
	}
	c := pod.Spec.Containers[0]
	port := c.Ports[0]
	for _, p := range []probe{c.StartupProbe, c.ReadinessProbe, c.LivenessProbe} {
		if p.HTTPGet.Path != "/health" || p.HTTPGet.Port != port.Name {
			t.Errorf("a probe is %+v", p)
		}
	}
	if !slices.Contains(c.Args, fmt.Sprintf("--http=:%d", port.ContainerPort)) || service.Spec.Ports[0].TargetPort != port.Name {
		t.Errorf("ports: %+v, %+v, %s", port, service.Spec.Ports, c.Args)
	}
	if label := pod.Metadata.Labels["app"]; service.Spec.Selector["app"] != label || !slices.Contains(c.Args, "--allow-host="+service.Metadata.Name) {
		t.Errorf("names: %+v, %s", service, c.Args)
	}
	for _, m := range c.VolumeMounts {
		i := slices.IndexFunc(pod.Spec.Volumes, func(v volume) bool { return v.Name == m.Name })
		if i < 0 {
			t.Fatalf("no volume %s", m.Name)
		}
		switch v := pod.Spec.Volumes[i]; v.Secret.SecretName {
		case "":
			if !slices.Contains(c.Args, "--cache-dir="+m.MountPath) {
				t.Errorf("%s is not used by %s", m.MountPath, c.Args)
			}
		case secret.Metadata.Name:
			for name := range secret.StringData {
				if !slices.ContainsFunc(c.Args, func(arg string) bool { return strings.HasSuffix(arg, "="+m.MountPath+"/"+name) }) {
					t.Errorf("%s is not used by %s", name, c.Args)
				}
			}
		default:
			t.Errorf("no secret %s", v.Secret.SecretName)
		}
	}
	return c
}
