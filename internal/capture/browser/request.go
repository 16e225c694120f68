package browser

import (
	_ "embed"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"sync"

	cdpfetch "github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

const (
	// maxVisits is how many requests for main documents a page may make: redirects, and navigation by scripts and
	// actions.
	maxVisits = 20
	// maxLogins is how often the proxy of a page gets its password. It asks once, or more often if requests start at
	// the same time.
	maxLogins = 20
	// maxAway is how many requests to other origins are remembered. A page that makes more no longer gets the headers
	// of the caller.
	maxAway = 5000
	maxBody = webclient.DefaultMaxBytes
)

// login sends the password to the proxy, and to no server.
func (p *page) login(ev cdpfetch.EventAuthRequired) {
	response := &cdpfetch.AuthChallengeResponse{Response: cdpfetch.AuthChallengeResponseResponseCancelAuth}
	p.mu.Lock()
	p.logins++
	ours := p.logins <= maxLogins && ev.AuthChallenge != nil && ev.AuthChallenge.Source == cdpfetch.AuthChallengeSourceProxy
	p.mu.Unlock()
	if ours {
		response.Response = cdpfetch.AuthChallengeResponseResponseProvideCredentials
		response.Username, response.Password = p.proxy.Credentials()
	}
	post(p.session, cdpfetch.ContinueWithAuth, cdpfetch.ContinueWithAuthParams{RequestID: ev.RequestID, AuthChallengeResponse: response})
}

// paused decides about a request or an answer that waits. For main documents it starts a goroutine, since robots.txt
// and the pace of the host may take time.
func (p *page) paused(ev cdpfetch.EventRequestPaused) {
	if ev.Request == nil {
		return
	}
	main := ev.FrameID == p.main()
	answered := ev.ResponseStatusCode != 0 || ev.ResponseErrorReason != ""
	u, err := url.Parse(ev.Request.URL)
	switch {
	case err != nil:
		p.abort(ev, network.ErrorReasonBlockedByClient)
	case !main || ev.ResourceType != network.ResourceTypeDocument:
		p.proceed(ev, main, false)
	case answered:
		p.begin(func() { p.answered(ev, u) })
	default:
		p.begin(func() { p.admit(ev, u) })
	}
}

// begin starts a goroutine, for which the end of the page waits.
func (p *page) begin(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.work.Go(f)
	}
}

// abort ends a request, or leaves out its answer.
func (p *page) abort(ev cdpfetch.EventRequestPaused, why network.ErrorReason) {
	post(p.session, cdpfetch.FailRequest, cdpfetch.FailRequestParams{RequestID: ev.RequestID, ErrorReason: why})
}

// proceed lets a request continue, with the headers of the caller if it may have them.
func (p *page) proceed(ev cdpfetch.EventRequestPaused, main, intercept bool) {
	params := cdpfetch.ContinueRequestParams{RequestID: ev.RequestID}
	if intercept {
		params.InterceptResponse = new(true)
	}
	if u, err := url.Parse(ev.Request.URL); main && err == nil && p.trusted(ev.NetworkID, u) {
		params.Headers = p.withHeader(ev.Request.Headers)
	}
	post(p.session, cdpfetch.ContinueRequest, params)
}

// trusted reports whether a request to a URL gets the headers of the caller. A request that was redirected from
// another origin does not, since that origin chose its target.
func (p *page) trusted(id network.RequestID, u *url.URL) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case len(p.request.Header) == 0 || p.leftOrigin:
		return false
	case webclient.SameOrigin(u, p.request.URL):
		return id != "" && !p.away[id]
	case len(p.away) >= maxAway:
		p.leftOrigin = true
	default:
		if p.away == nil {
			p.away = make(map[network.RequestID]bool)
		}
		p.away[id] = true
	}
	return false
}

// withHeader returns the headers of a request with the ones of the caller in place of the browser's. The User-Agent is always the one
// of this program.
func (p *page) withHeader(headers network.Headers) (list []*cdpfetch.HeaderEntry) {
	given := make(map[string]bool)
	for name, values := range p.request.Header {
		name = textproto.CanonicalMIMEHeaderKey(name)
		for _, value := range values {
			if name != "User-Agent" {
				given[name] = true
				list = append(list, &cdpfetch.HeaderEntry{Name: name, Value: value})
			}
		}
	}
	for name, value := range headers {
		if text, ok := value.(string); ok && !given[textproto.CanonicalMIMEHeaderKey(name)] {
			list = append(list, &cdpfetch.HeaderEntry{Name: name, Value: text})
		}
	}
	return list
}

// admit decides whether a main document is requested.
func (p *page) admit(ev cdpfetch.EventRequestPaused, u *url.URL) {
	refuse := func(err error) {
		p.fail(err)
		p.abort(ev, network.ErrorReasonBlockedByClient)
	}
	p.mu.Lock()
	p.visits++
	tooMany := p.visits > maxVisits
	p.leftOrigin = p.leftOrigin || !webclient.SameOrigin(u, p.request.URL)
	p.mu.Unlock()
	p.endTurn()
	if tooMany {
		refuse(fmt.Errorf("%s: redirects or goes to other pages more than %d times", p.name(), maxVisits))
		return
	}
	done, err := p.engine.options.Client.Admit(p.ctx, u, p.request.Caller)
	if err != nil {
		refuse(err)
		return
	}
	p.mu.Lock()
	p.done = done
	p.mu.Unlock()
	p.proceed(ev, true, true)
}

// endTurn ends the turn of the request for a main document, if there is one.
func (p *page) endTurn() {
	p.mu.Lock()
	done := p.done
	p.done = nil
	p.mu.Unlock()
	if done != nil {
		done()
	}
}

// answered decides about the answer to a request for a main document.
func (p *page) answered(ev cdpfetch.EventRequestPaused, u *url.URL) {
	p.endTurn()
	fail := func(err error) {
		p.fail(err)
		p.abort(ev, network.ErrorReasonAborted)
	}
	if ev.ResponseErrorReason != "" {
		if err := p.proxy.Err(u); err != nil {
			fail(err)
			return
		}
		p.proceed(ev, false, false)
		return
	}
	header := make(http.Header)
	for _, h := range ev.ResponseHeaders {
		header.Add(h.Name, h.Value)
	}
	p.mu.Lock()
	p.secrecy = p.secrecy.And(webclient.SecrecyOf(header))
	p.mu.Unlock()
	status := int(ev.ResponseStatusCode)
	if slices.Contains([]int{301, 302, 303, 307, 308}, status) && header.Get("Location") != "" {
		p.proceed(ev, false, false)
		return
	}
	if err := p.engine.options.Client.Answered(u, status, header); err != nil {
		if refused := p.proxy.Err(u); refused != nil { // the proxy sent the status
			err = refused
		}
		fail(err)
		return
	}
	p.mu.Lock()
	first := p.document == nil
	p.mu.Unlock()
	switch {
	case shown(header):
		p.change(func() { p.document = &document{url: u, request: ev.NetworkID} })
		p.proceed(ev, false, false)
	case first:
		fail(errFile)
	default: // a download does not replace the page
		p.abort(ev, network.ErrorReasonAborted)
	}
}

// errFile ends a page whose document a browser does not show.
var errFile = errors.New("is a file, not a page of HTML")

// shown reports whether a browser shows a document as a page.
func shown(h http.Header) bool {
	if disposition, _, err := mime.ParseMediaType(h.Get("Content-Disposition")); err == nil && disposition == "attachment" {
		return false
	}
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return kind == "text/html" || kind == "application/xhtml+xml"
}

// received counts the bytes of the main document. A document that is too large ends the page: a browser would need a
// hundred times its size.
func (p *page) received(ev network.EventDataReceived) {
	p.mu.Lock()
	d := p.document
	if d == nil || d.request != ev.RequestID {
		p.mu.Unlock()
		return
	}
	d.size += ev.DataLength
	size := d.size
	p.mu.Unlock()
	if size > maxBody {
		p.fail(webclient.TooLarge(d.url, maxBody))
	}
}

// The list has hosts that serve only advertisements, measure visitors, or open pop-ups for these purposes.
//
//go:embed ads.txt
var adList string

var adHosts = sync.OnceValue(func() map[string]bool {
	hosts := make(map[string]bool)
	for _, host := range linesOf(adList) {
		hosts[host] = true
	}
	return hosts
})

// linesOf returns the lines of a list that are neither blank nor comments.
func linesOf(list string) (lines []string) {
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// adEntry returns the entry of the list for a host or a parent domain of it, or "".
func adEntry(host string) string {
	hosts := adHosts()
	for {
		if hosts[host] {
			return host
		}
		_, rest, ok := strings.Cut(host, ".")
		if !ok {
			return ""
		}
		host = rest
	}
}

// blocker returns a function that reports whether a host is blocked on a page: if it is in the list, unless the page
// has the same entry.
func blocker(page string) func(host string) bool {
	pageEntry := adEntry(page)
	return func(host string) bool {
		entry := adEntry(host)
		return entry != "" && entry != pageEntry
	}
}
