package site

func (p *Page) plainRoute() string              { return "" }
func (p *Page) ended(string) string             { return "" }
func (site *Site) redirects(v values, r string) {}
