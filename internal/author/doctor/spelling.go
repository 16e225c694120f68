package doctor

import "strings"

// vscode decodes the same encodings as VS Code, which shows resources as a file system.
var vscode = strings.NewReplacer("%2F", "/", "%25", "%", "%2B", "+", "%3A", ":", "%26", "&", "%28", "(")

// asVSCode returns a URI as VS Code sends it back.
func asVSCode(uri string) string { return vscode.Replace(uri) }

// special holds the schemes whose hosts "new URL" changes (WHATWG URL, section 3.1).
var special = []string{"http", "https", "ftp", "ws", "wss", "file"}

// asURL returns the href of "new URL(uri)" of JavaScript, for canonical URIs of this server: hosts of
// special schemes become lower case, and segments "." and ".." are resolved, even encoded ones.
func asURL(uri string) string {
	scheme, rest, ok := strings.Cut(uri, "://")
	if !ok {
		return uri
	}
	scheme = strings.ToLower(scheme)
	authority, path, hasPath := strings.Cut(rest, "/")
	for _, s := range special {
		if s == scheme {
			authority = strings.ToLower(authority)
			hasPath = true // "http://host" becomes "http://host/"
		}
	}
	if !hasPath {
		return scheme + "://" + authority
	}
	var segments []string
	for segment := range strings.SplitSeq(path, "/") {
		switch strings.ReplaceAll(strings.ToLower(segment), "%2e", ".") {
		case ".":
		case "..":
			segments = segments[:max(0, len(segments)-1)]
		default:
			segments = append(segments, segment)
		}
	}
	return scheme + "://" + authority + "/" + strings.Join(segments, "/")
}

// host returns the host of a URI, as it is spelled.
func host(uri string) string {
	_, rest, _ := strings.Cut(uri, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}
