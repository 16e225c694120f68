// Package doctor says how well known MCP clients work with a project, and what its author can change.
//
// [Observe] calls a server as clients do: it reads all pages of all lists, reads files under the
// spellings of their URIs that clients send, reads folders, calls the tools, and records sizes and
// errors. [Facts.Diagnose] says what these facts mean for one client. The profile of a client says
// where its behaviour is described, and when that was read or seen. If the behaviour of a client is
// unknown, its profile assumes that the client uses only tools.
//
// The package talks to a server inside the process. It reads no files and starts no programs.
package doctor

// A Kind says how serious a finding is.
type Kind string

const (
	Works   Kind = "works"   // as the author wants it
	Limited Kind = "limited" // a limit of the client; often the author can change something
	Fails   Kind = "fails"   // a request that should work does not
)

// A Finding is one behaviour of a client, with its result for the project.
type Finding struct {
	Kind   Kind   `json:"kind"`
	Text   string `json:"text"`             // a sentence; it may contain unescaped names of the project
	Advice string `json:"advice,omitempty"` // what the author can change, as a sentence
}

// A Diagnosis is about one client.
type Diagnosis struct {
	Client   string    `json:"client"` // ID, such as claude-code; "" for every client
	Title    string    `json:"title"`
	Source   string    `json:"source,omitempty"` // where the behaviour of the client is described, and when
	Findings []Finding `json:"findings"`
}

// IDs returns the IDs of the clients with a profile, in display order.
func IDs() []string {
	ids := make([]string, len(profiles))
	for i, p := range profiles {
		ids[i] = p.id
	}
	return ids
}

// Diagnose says what the facts mean for the client with an ID, or for every client if id is "". ok is
// false for an unknown ID.
func (f *Facts) Diagnose(id string) (d Diagnosis, ok bool) {
	if id == "" {
		return Diagnosis{Title: "Every client", Findings: every(f)}, true
	}
	for _, p := range profiles {
		if p.id != id {
			continue
		}
		d = Diagnosis{Client: p.id, Title: p.title, Source: p.source}
		for _, check := range p.checks {
			d.Findings = append(d.Findings, check(f)...)
		}
		return d, true
	}
	return d, false
}
