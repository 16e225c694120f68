package apiclient

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pause"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// defaultRateDelay is how long to wait after 429 if the service does not say.
const defaultRateDelay = time.Minute

// longestMessage bounds how much of a service's error message is repeated, in bytes.
const longestMessage = 500

// An Error is a request that failed. Its text is for the model and for users: what is wrong, what the service says,
// and what to change.
type Error struct {
	Service    string
	Status     int           // HTTP status; 0: there was no answer
	Message    string        // from the service, or what is wrong
	Advice     string        // what to change
	Retryable  bool          // the same request may work later
	RetryAfter time.Duration // wait before another try; 0: unknown

	uncertain bool // the service may have carried out the request
	err       error
}

// Error returns "Firecrawl API error: 429 Too Many Requests - MESSAGE. ADVICE (can be tried again in 1m0s)".
func (e *Error) Error() string {
	status, again := "", ""
	if e.Status != 0 {
		status = strings.TrimRight(fmt.Sprintf(" %d %s", e.Status, http.StatusText(e.Status)), " ") + " -"
	}
	if e.Retryable && e.RetryAfter > 0 {
		again = fmt.Sprintf(" (can be tried again in %v)", e.RetryAfter)
	} else if e.Retryable {
		again = " (can be tried again)"
	}
	return fmt.Sprintf("%s API error:%s %s. %s%s", e.Service, status, strings.TrimRight(e.Message, ". "), e.Advice, again)
}

func (e *Error) Unwrap() error { return e.err }

// fail returns an error for which the caller has to change the request.
func (c *Client) fail(message string, err error) *Error {
	return &Error{Service: c.o.Name, Message: message, Advice: "Change the arguments", err: err}
}

// down returns an error of the network, which may pass.
func (c *Client) down(message string, err error, uncertain bool) *Error {
	return &Error{Service: c.o.Name, Message: message, Advice: "If this stays, the operator has to look at " + c.o.BaseVar, Retryable: true, uncertain: uncertain, err: err}
}

// broken returns an error of a service whose answers are wrong: another try cannot help.
func (c *Client) broken(message string, err error) *Error {
	return &Error{Service: c.o.Name, Message: message, Advice: "The service has a problem of its own, or " + c.o.BaseVar + " is wrong", err: err}
}

// Unexpected returns the error for a successful answer without a member that it should have.
func (c *Client) Unexpected(member string) error {
	return c.broken(fmt.Sprintf("its answer has no %q", member), nil)
}

// refused returns the error for an answer that is not a success.
func (c *Client) refused(response *http.Response, body []byte) error {
	status := response.StatusCode
	e := c.fail(shown(c.clean(messageOf(body))), nil) // clean comes first: it would not find a key that shown has cut
	e.Status = status
	switch {
	case status < 400:
		e.Message = "it redirects, which is not followed, since the other host would get the key"
		e.Advice = "The operator has to set " + c.o.BaseVar + " to the URL that it redirects to"
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		e.Advice = "The operator of this server has to set " + cmp.Or(c.o.KeyVar, c.o.BaseVar) + ": the service asks for a valid key"
	case status == http.StatusPaymentRequired:
		e.Advice = "The account of " + c.o.KeyVar + " has no credits left: the operator has to add some"
	case status == http.StatusTooManyRequests:
		e.Advice, e.Retryable = "Wait before the next request", true
	case status == http.StatusRequestTimeout, status >= 500:
		e.Advice, e.Retryable, e.uncertain = "The service has a problem of its own", true, true
	case status == http.StatusNotFound && e.Message == "":
		e.Message = "it does not know what was asked for"
	}
	e.Message = cmp.Or(e.Message, "it does not say why")
	if e.Retryable {
		e.RetryAfter = pause.RetryAfter(response.Header.Get("Retry-After"), time.Now()).Round(time.Second)
	}
	if status == http.StatusTooManyRequests && e.RetryAfter == 0 {
		if c.o.Delay != nil {
			e.RetryAfter = c.o.Delay(response.Header)
		}
		e.RetryAfter = cmp.Or(e.RetryAfter, defaultRateDelay)
	}
	return e
}

// messageOf finds the message of an error in the members in which services usually have it.
func messageOf(body []byte) string {
	var answer map[string]json.RawMessage
	if json.Unmarshal(body, &answer) != nil {
		return ""
	}
	for _, name := range []string{"error", "message", "detail", "details"} {
		var text string
		if json.Unmarshal(answer[name], &text) == nil && text != "" {
			return text
		}
		var nested struct {
			Message string `json:"message"`
			Detail  string `json:"detail"`
		}
		if json.Unmarshal(answer[name], &nested) == nil && nested.Message+nested.Detail != "" {
			return cmp.Or(nested.Message, nested.Detail)
		}
	}
	return ""
}

// shown returns a text of a service on one line, cut to [longestMessage].
func shown(s string) string {
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	return excerpt.Ellipsis(s, longestMessage)
}
