package firecrawl

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/apiclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

// A Strategy fetches pages through Firecrawl ([fetch.Strategy]).
type Strategy struct {
	Client *Client
	// Rules say which pages may be requested from the service.
	Rules *webclient.Client
	// Pictures fetches screenshots, which the service stores for a while. It need not read robots.txt: the
	// screenshots belong to the service.
	Pictures *webclient.Client
}

// defaultTimeout is how long a page may take if the request does not say.
const defaultTimeout = time.Minute

// maxPicture bounds a screenshot, in bytes.
const maxPicture = 20 << 20

// harmless are the header fields that say nothing about the caller. Others may be secrets, and the service does not
// promise to remove them when a page redirects to another origin.
var harmless = []string{"Accept", "Accept-Language", "Dnt", "Referer", "User-Agent"}

// Name returns "firecrawl".
func (s *Strategy) Name() string { return fetch.FirecrawlName }

// Refuses returns why Firecrawl cannot serve a request.
func (s *Strategy) Refuses(r *fetch.Request) string {
	for name := range r.Header {
		if !slices.Contains(harmless, http.CanonicalHeaderKey(name)) {
			return fmt.Sprintf("the header %.100q may be a secret, and Firecrawl may send it to where the page redirects to; it gets only %s", name, strings.Join(harmless, ", "))
		}
	}
	return ""
}

// Fetch fetches a page through the service, if [webclient.Client.Vet] allows it.
func (s *Strategy) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Answer, error) {
	if err := s.Rules.Vet(ctx, r.URL); err != nil {
		return nil, err
	}
	document, err := s.Client.Scrape(ctx, options(r))
	if err != nil {
		return nil, err
	}
	a, err := answer(document, r)
	if err != nil {
		return nil, err
	}
	for _, made := range []fetch.Extra{{Name: "summary", MIME: "text/markdown", Data: []byte(document.Summary)}, {Name: "branding", MIME: "application/json", Data: document.Branding}} {
		if wanted := slices.Contains(r.Formats, made.Name); wanted && len(made.Data) > 0 {
			a.Extras = append(a.Extras, made)
		} else if wanted {
			a.Notes = append(a.Notes, "Firecrawl returned no "+made.Name)
		}
	}
	for _, scrape := range document.Actions.Scrapes {
		a.Extras = append(a.Extras, fetch.Extra{Name: fetch.ExtraScrape, MIME: "text/html", Data: []byte(scrape.HTML)})
	}
	for _, result := range document.Actions.Returns {
		a.Extras = append(a.Extras, fetch.Extra{Name: fetch.ExtraResult, MIME: "application/json", Data: result.Value})
	}
	if document.Warning != "" {
		a.Notes = append(a.Notes, "Firecrawl warns: "+fmt.Sprintf("%.300q", document.Warning))
	}
	return a, s.pictures(ctx, a, document, r)
}

// answer makes an answer of a document, without extracts, results of actions and screenshots.
func answer(document *Document, r *fetch.Request) (*fetch.Answer, error) {
	m := &document.Metadata
	if status := m.StatusCode.value; status != 0 && (status < 200 || status > 299) {
		return nil, &webclient.StatusError{URL: r.URL.Redacted(), Status: status}
	}
	a := &fetch.Answer{Strategy: fetch.FirecrawlName, URL: r.URL, Title: m.Title.value, Credits: int(m.CreditsUsed.value)}
	if u, err := url.Parse(m.URL.value); err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") {
		u.RawQuery = webclient.Spelled(u.RawQuery)
		a.URL = u
	}
	return a, body(a, document, r)
}

// options translates a request. It asks for the original HTML, which is cleaned here like pages of other strategies;
// documents that are not HTML come as the Markdown that the service makes.
func options(r *fetch.Request) ScrapeOptions {
	whole, plain := false, len(r.Header) == 0 && len(r.Actions) == 0
	age := r.MaxAge.Milliseconds()
	o := ScrapeOptions{
		URL:             r.URL.String(),
		Formats:         []any{"rawHtml", "markdown"},
		OnlyMainContent: &whole,
		Headers:         map[string]string{},
		WaitFor:         r.WaitFor.Milliseconds(),
		Timeout:         defaultTimeout.Milliseconds(),
		Proxy:           string(r.Proxy),
		BlockAds:        &r.BlockAds,
		MaxAge:          &age,
	}
	if !plain {
		age, o.StoreInCache = 0, &whole // a page for one caller is not cached for others
	}
	if r.Timeout > 0 {
		o.Timeout = max(1000, r.Timeout.Milliseconds()) // of the service
	}
	for name, values := range r.Header {
		o.Headers[name] = strings.Join(values, ", ")
	}
	for _, format := range r.Formats {
		o.Formats = append(o.Formats, format)
	}
	if r.Screenshot {
		o.Formats = append(o.Formats, "screenshot")
	}
	for _, act := range r.Actions {
		o.Actions = append(o.Actions, actions(act)...)
	}
	return o
}

// actions translates an action. The service writes into the element that has the focus.
func actions(a fetch.Action) []fetch.Action {
	selector := a.Selector
	a.Amount, a.Name = 0, ""
	switch a.Type {
	case fetch.ActWrite:
		a.Selector = ""
		return []fetch.Action{{Type: fetch.ActClick, Selector: selector}, a}
	case fetch.ActScrape:
		a.Selector = ""
	}
	return []fetch.Action{a}
}

// body sets the body and the content type of an answer.
func body(a *fetch.Answer, document *Document, r *fetch.Request) error {
	media, _, _ := strings.Cut(document.Metadata.ContentType.value, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	html := media == "" || media == "text/html" || media == "application/xhtml+xml"
	text := strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "json") || strings.HasSuffix(media, "xml")
	switch {
	case document.RawHTML != "" && html:
		a.Body, a.ContentType = []byte(document.RawHTML), "text/html; charset=utf-8"
	case document.RawHTML != "" && text:
		a.Body, a.ContentType = []byte(document.RawHTML), media+"; charset=utf-8"
	case document.Markdown != "":
		a.Body, a.ContentType = []byte(document.Markdown), "text/markdown; charset=utf-8"
	default:
		return errors.New("the page that Firecrawl returned has no content")
	}
	if r.MaxBytes > 0 && int64(len(a.Body)) > r.MaxBytes {
		return webclient.TooLarge(r.URL, r.MaxBytes)
	}
	for _, act := range r.Actions {
		if act.Type == fetch.ActScroll && act.Amount != 0 {
			a.Notes = append(a.Notes, "Firecrawl scrolls by a screen, whatever the amount")
			break
		}
	}
	return nil
}

// pictures fetches the screenshots. A failure becomes a note, since the page itself was fetched.
func (s *Strategy) pictures(ctx context.Context, a *fetch.Answer, document *Document, r *fetch.Request) error {
	var names []string
	for _, act := range r.Actions {
		if act.Type == fetch.ActScreenshot {
			names = append(names, act.Name)
		}
	}
	locations := document.Actions.Screenshots
	ofActions := min(len(names), len(locations))
	if r.Screenshot {
		locations = append(locations, document.Screenshot)
	}
	for i, location := range locations {
		image, err := s.picture(ctx, location)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			a.Notes = append(a.Notes, "a screenshot of Firecrawl cannot be fetched: "+err.Error())
			continue
		}
		if i < ofActions {
			image.Label = names[i]
		}
		a.Extras = append(a.Extras, image)
	}
	return nil
}

func (s *Strategy) picture(ctx context.Context, location string) (fetch.Extra, error) {
	if location == "" {
		return fetch.Extra{}, errors.New("the answer does not contain it")
	}
	var data []byte
	if rest, ok := strings.CutPrefix(location, "data:"); ok {
		_, encoded, ok := strings.Cut(rest, ";base64,")
		var err error
		if data, err = base64.StdEncoding.DecodeString(encoded); err != nil || !ok {
			return fetch.Extra{}, errors.New("its data is not base64")
		}
	} else {
		u, err := url.Parse(location)
		if err != nil {
			return fetch.Extra{}, errors.New("its location is not a URL")
		}
		response, err := s.Pictures.Get(ctx, webclient.Request{URL: u, Accept: "image/*", MaxBytes: maxPicture})
		if err != nil {
			return fetch.Extra{}, err
		}
		data = response.Body
	}
	// The bytes decide the type, whatever the service says.
	media := http.DetectContentType(data)
	if len(data) > maxPicture || !strings.HasPrefix(media, "image/") {
		return fetch.Extra{}, fmt.Errorf("it is %d bytes of %s, not an image of at most %d MiB", len(data), media, maxPicture>>20)
	}
	return fetch.Extra{Name: fetch.ExtraScreenshot, MIME: media, Data: data}, nil
}

// refusals are the statuses with which servers turn away programs, but possibly not browsers.
var refusals = []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable}

// Refuses reports whether an error is a server's refusal to answer a program.
func Refuses(err error) bool {
	status, ok := errors.AsType[*webclient.StatusError](err)
	return ok && slices.Contains(refusals, status.Status)
}

// A Site fetches pages from their server. If the server refuses a page, the Site fetches it through Firecrawl. It is
// the crawl.Site of one crawl.
type Site struct {
	*webclient.Client
	Strategy *Strategy
	Spent    func(credits float64)

	broken atomic.Pointer[error] // why the service rejects the key or account
}

// Get implements crawl.Site. Only pages of a crawl, with [webclient.Request.Stay], are fetched through Firecrawl:
// lists such as sitemaps are not. Such a page has no header.
func (s *Site) Get(ctx context.Context, r webclient.Request) (*webclient.Response, error) {
	response, err := s.Client.Get(ctx, r)
	if err == nil || !r.Stay || !Refuses(err) {
		return response, err
	}
	request := &fetch.Request{URL: r.URL, Header: r.Header, MaxBytes: r.MaxBytes, Timeout: r.Timeout, Proxy: fetch.AutoProxy, BlockAds: true}
	if s.Strategy.Refuses(request) != "" {
		return nil, err
	}
	if broken := s.broken.Load(); broken != nil {
		return nil, errors.Join(err, *broken)
	}
	a, failure := s.Strategy.Fetch(ctx, request)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if failure != nil {
		if f, ok := errors.AsType[*apiclient.Error](failure); ok && slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusPaymentRequired}, f.Status) {
			s.broken.Store(&failure)
		}
		return nil, errors.Join(err, failure)
	}
	if s.Spent != nil {
		s.Spent(float64(a.Credits))
	}
	if to := a.URL; to.String() != r.URL.String() {
		return &webclient.Response{URL: r.URL, Redirect: to}, nil
	}
	return &webclient.Response{URL: a.URL, ContentType: a.ContentType, Body: a.Body}, nil
}
