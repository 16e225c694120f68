package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
)

// How an issuer's metadata and keys are found:
//
// The metadata of https://host/path is requested at /.well-known/oauth-authorization-server/path
// (RFC 8414, section 3.1), at /.well-known/openid-configuration/path, and at
// /path/.well-known/openid-configuration (OpenID Connect Discovery, section 4). MCP clients use the
// same URLs in the same order. The issuer in the metadata must equal the one that the user gave. Only
// a slash at the end may differ; tokens must then spell it as the metadata does. jwks_uri may
// be on another host, but may use http only if the metadata does. Redirects are not followed: an
// issuer that has moved must be given by its new URL.

const (
	readTimeout     = 10 * time.Second // for metadata and keys together
	largestDocument = 512 << 10        // bytes of each document, after decompression
	largestHeader   = 64 << 10
)

// documents returns the URLs at which the metadata of an issuer may be.
func documents(issuer string) ([]string, error) {
	if issuer == "" {
		return nil, errors.New("it is empty")
	}
	u, err := hosts.ParseURL(issuer)
	if err == nil {
		err = checkScheme(u, true)
	}
	if err != nil {
		return nil, err
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	base := u.Scheme + "://" + u.Host
	found := []string{base + "/.well-known/oauth-authorization-server" + path, base + "/.well-known/openid-configuration" + path}
	if path != "" {
		found = append(found, base+path+"/.well-known/openid-configuration")
	}
	return found, nil
}

// checkScheme returns an error for a URL whose answers others could read or change.
func checkScheme(u *url.URL, local bool) error {
	switch {
	case u.Host == "" || u.Hostname() == "":
		return errors.New("it must begin with https:// and a host")
	case u.Scheme == "https", u.Scheme == "http" && local && hosts.IsLocal(u.Hostname()):
		return nil
	}
	return errors.New("it must begin with https://; http:// is accepted on the loopback interface only")
}

func newClient(transport http.RoundTripper) *http.Client {
	if transport == nil {
		transport = &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: readTimeout}).DialContext,
			ForceAttemptHTTP2:      true,
			IdleConnTimeout:        time.Minute,
			MaxResponseHeaderBytes: largestHeader,
		}
	}
	return &http.Client{
		Transport:     transport,
		Timeout:       readTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// read reads the metadata and the keys.
func (i *issuer) read(ctx context.Context) (*keySet, error) {
	var problems []error
	for _, place := range i.documents {
		name, keysURL, err := i.metadata(ctx, place)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		data, err := i.get(ctx, keysURL)
		if err != nil {
			return nil, err
		}
		keys, err := parseKeys(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", keysURL, err)
		}
		return &keySet{issuer: name, keys: keys, read: time.Now()}, nil
	}
	return nil, errors.Join(problems...)
}

// metadata returns the issuer's name and the URL of its keys, from the document at place.
func (i *issuer) metadata(ctx context.Context, place string) (name, keysURL string, err error) {
	data, err := i.get(ctx, place)
	if err != nil {
		return "", "", err
	}
	var document struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	if err := json.Unmarshal(data, &document); err != nil {
		return "", "", fmt.Errorf("%s: it is not the metadata of an issuer", place)
	}
	if document.Issuer == "" || strings.TrimSuffix(document.Issuer, "/") != strings.TrimSuffix(i.url, "/") {
		return "", "", fmt.Errorf("%s: it names the issuer %.200q, not %q; if that is right, give this issuer to --oauth-issuer", place, document.Issuer, i.url)
	}
	u, err := url.Parse(document.Keys)
	if err != nil || u.User != nil {
		return "", "", fmt.Errorf("%s: its jwks_uri %.200q is not a URL", place, document.Keys)
	}
	if err := checkScheme(u, strings.HasPrefix(place, "http:")); err != nil {
		return "", "", fmt.Errorf("%s: its jwks_uri %.200q: %w", place, document.Keys, err)
	}
	return document.Issuer, document.Keys, nil
}

func (i *issuer) get(ctx context.Context, place string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, place, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	response, err := i.client.Do(r)
	if err != nil {
		return nil, err // the error contains the URL
	}
	defer response.Body.Close()
	if to := response.Header.Get("Location"); to != "" && response.StatusCode/100 == 3 {
		return nil, fmt.Errorf("%s: it redirects to %.200q, which is not followed", place, to)
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: it answers with status %d", place, response.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, largestDocument+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", place, err)
	}
	if len(data) > largestDocument {
		return nil, fmt.Errorf("%s: it is larger than %d bytes", place, largestDocument)
	}
	return data, nil
}
