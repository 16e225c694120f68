package bundle

import (
	"net/url"
	"strings"
)

// RepositoryPage returns the page of the repository on the web, such as
// https://github.com/acme/docs for git+ssh://git@github.com/acme/docs.git, without any user or
// password; and "" if Repository has no such page.
func (i Info) RepositoryPage() string {
	u, err := url.Parse(strings.TrimPrefix(i.Repository, "git+"))
	if err != nil || u.Hostname() == "" {
		return ""
	}
	host := u.Host
	switch u.Scheme {
	case "https":
	case "http", "git", "ssh":
		host = u.Hostname() // the port belongs to the git server, not to the web page
	default:
		return ""
	}
	page := url.URL{Scheme: "https", Host: host, Path: strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), ".git")}
	return page.String()
}
