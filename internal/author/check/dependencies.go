package check

// dependencies finds direct dependencies without documents, and what else is left out of the dependencies.
// It returns the number of documents.
func (c *checker) dependencies() (documents int) {
	for _, p := range c.Packages {
		documents += len(p.Documents)
		switch {
		case !p.Direct:
		case p.Missing != "":
			f := Finding{Message: p.String() + " " + p.Missing}
			if p.Hint != "" {
				f.Fix = "run " + p.Hint
			}
			c.add(Dependencies, f)
		case len(p.Documents) == 0:
			c.add(Dependencies, Finding{Message: p.String() + " has no documents"})
		case p.Locked != "":
			c.add(Dependencies, Finding{Message: p.String() + " is installed; the lock file has " + p.Locked, Fix: "run " + p.Hint})
		}
	}
	for _, n := range c.PackageNotices {
		c.add(Dependencies, Finding{File: n.Path, Message: n.Reason})
	}
	return documents
}
