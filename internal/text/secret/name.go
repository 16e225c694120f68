package secret

import (
	"path"
	"slices"
	"strings"
)

// Names of files in which programs keep secrets. The names are without a leading dot or underscore,
// because a copy for a resource or a container often lacks it.
var (
	passwordNames    = []string{"npmrc", "netrc", "git-credentials", "pgpass", "pypirc", "htpasswd"}
	credentialNames  = []string{"credentials", "credentials.csv", "credentials.ini"}
	kubeconfigNames  = []string{"kubeconfig", "kubeconfig.yaml", "kubeconfig.yml", "kubeconfig.json"}
	environmentNames = []string{"production", "prod", "staging", "stage", "development", "dev", "local", "test", "live"}
)

// OfName returns why a file of this name is private regardless of its contents, or "".
func OfName(name string) string {
	name = strings.ToLower(name)
	switch path.Ext(name) {
	case ".example", ".sample", ".template", ".dist", ".defaults":
		return ""
	}
	bare := name
	if strings.IndexAny(name, "._") == 0 {
		bare = name[1:]
	}
	stages, staged := strings.CutPrefix(name, "env.") // such as env.production.local
	for stage := range strings.SplitSeq(stages, ".") {
		staged = staged && slices.Contains(environmentNames, stage)
	}
	switch {
	case slices.Contains(passwordNames, bare), strings.HasSuffix(name, ".htpasswd"):
		return "is a file of passwords"
	case slices.Contains(credentialNames, bare):
		return "is a file of credentials"
	case slices.Contains(kubeconfigNames, bare), strings.HasSuffix(name, ".kubeconfig"):
		return "is a file of credentials for Kubernetes"
	case strings.HasSuffix(name, ".env"), strings.HasPrefix(name, ".env."), name == ".envrc",
		staged:
		return "is a file of environment variables, which mostly hold secrets"
	}
	return ""
}
