package webpage

import (
	"bytes"
	"encoding/json"
	"net/url"
)

// fields is a page without its methods.
type fields Page

// A wire is a page as JSON, for another process.
type wire struct {
	*fields
	References []wireReference
	Markdown   string
	HTML       string
	Mark       string
	Linked     int
}

type wireReference struct {
	URL   string
	Image bool `json:",omitempty"`
}

// MarshalJSON returns all of a page.
func (p *Page) MarshalJSON() ([]byte, error) {
	w := wire{fields: (*fields)(p), Markdown: p.markdown, HTML: p.html, Mark: p.mark, Linked: p.linked}
	for _, r := range p.References {
		w.References = append(w.References, wireReference{r.URL.String(), r.Image})
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // otherwise each "<" in code would take six bytes
	err := e.Encode(w)
	return b.Bytes(), err
}

// UnmarshalJSON reads what [Page.MarshalJSON] returned.
func (p *Page) UnmarshalJSON(data []byte) error {
	w := wire{fields: (*fields)(p)}
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	p.markdown, p.html, p.mark, p.linked, p.References = w.Markdown, w.HTML, w.Mark, w.Linked, nil
	for _, r := range w.References {
		u, err := url.Parse(r.URL)
		if err != nil {
			return err
		}
		p.References = append(p.References, Reference{u, r.Image})
	}
	return nil
}
