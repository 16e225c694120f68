package wrangler

import (
	"encoding/json"
	"os"
	"testing"
)

// The tests run the Worker with the version of workerd that runs it for users.
func TestWorkerdVersion(t *testing.T) {
	data, err := os.ReadFile("../../../test/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var of struct{ DevDependencies map[string]string }
	if err := json.Unmarshal(data, &of); err != nil || of.DevDependencies["workerd"] != Workerd {
		t.Errorf("test/package.json has workerd %s, want %s; %v", of.DevDependencies["workerd"], Workerd, err)
	}
}
