// Package doctor says how real clients get along with a project, and what its author can change.
//
// [Observe] does to a server what clients were seen to do: it reads all lists, follows their pages,
// reads files under the spellings that clients make of their URIs, reads folders, calls the tools,
// and weighs what comes back. [Facts.Diagnose] says what that means to one client. How clients
// behave is that of their versions of autumn 2026; what is not known of a client is not guessed, it
// is taken to use tools only, as the most careful clients do.
//
// The package talks to a server inside the process. It reads no files and starts no programs.
package doctor

// A Kind says how a finding is to be taken.
type Kind string

const (
	Works   Kind = "works"   // as the author wants it
	Limited Kind = "limited" // by what the client is; often the author can do something
	Fails   Kind = "fails"   // a request that should work does not
)

// A Finding is one thing that a client does, and how that goes.
type Finding struct {
	Kind   Kind   `json:"kind"`
	Text   string `json:"text"`             // a sentence; it may hold names of the project as they are
	Advice string `json:"advice,omitempty"` // what the author can change, as a sentence
}

// A Diagnosis is about one client.
type Diagnosis struct {
	Client   string    `json:"client"` // ID, such as claude-code; "" for what concerns every client
	Title    string    `json:"title"`
	Findings []Finding `json:"findings"`
}

// IDs returns the IDs of the clients whose behaviour is known, in the order in which they are
// shown.
func IDs() []string {
	ids := make([]string, len(profiles))
	for i, p := range profiles {
		ids[i] = p.id
	}
	return ids
}

// Diagnose says what the facts mean to the client of an ID, and to every client for "". ok is false
// for another ID.
func (f *Facts) Diagnose(id string) (d Diagnosis, ok bool) {
	if id == "" {
		return Diagnosis{Title: "Every client", Findings: every(f)}, true
	}
	for _, p := range profiles {
		if p.id != id {
			continue
		}
		d = Diagnosis{Client: p.id, Title: p.title}
		for _, check := range p.checks {
			d.Findings = append(d.Findings, check(f)...)
		}
		return d, true
	}
	return d, false
}
