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

// A Category says what kind of problem a service has with a request.
type Category string

// The categories of errors.
const (
	Authentication Category = "authentication" // the key is missing, wrong or not allowed to do this
	Payment        Category = "payment"        // the account has no credits left
	RateLimit      Category = "rate limit"     // too many requests
	Validation     Category = "validation"     // the request is wrong
	Server         Category = "server"         // the service fails
	Network        Category = "network"        // the service cannot be reached or answers too slowly
)

// defaultRateDelay is how long to wait after 429 if the service does not say.
const defaultRateDelay = time.Minute

// longestMessage bounds how much of a service's error message is repeated, in bytes.
const longestMessage = 500

// An Error is a request that failed. Its text is for the model and for users: what is wrong, what the service says,
// and what to change.
type Error struct {
	Service    string
	Category   Category
	Status     int           // HTTP status; 0: there was no answer
	Message    string        // from the service, or what is wrong
	Advice     string        // what to change
	RetryAfter time.Duration // wait before another try; 0: unknown

	uncertain bool // the service may have carried out the request
	final     bool // another try cannot help
	err       error
}

// Error returns "Firecrawl API error: 429 Too Many Requests - MESSAGE. ADVICE".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Service + " API error")
	if e.Status != 0 {
		fmt.Fprintf(&b, ": %d", e.Status)
		if text := http.StatusText(e.Status); text != "" {
			b.WriteString(" " + text)
		}
		b.WriteString(" -")
	} else {
		b.WriteString(":")
	}
	fmt.Fprintf(&b, " %s. %s (category: %s", strings.TrimRight(e.Message, ". "), e.Advice, e.Category)
	if e.Retryable() {
		b.WriteString(", can be tried again")
		if e.RetryAfter > 0 {
			fmt.Fprintf(&b, " in %v", e.RetryAfter)
		}
	}
	return b.String() + ")"
}

func (e *Error) Unwrap() error { return e.err }

// Retryable reports whether the same request may work later.
func (e *Error) Retryable() bool {
	return !e.final && (e.Category == RateLimit || e.Category == Server || e.Category == Network)
}

func (c *Client) fail(category Category, message string, err error) *Error {
	e := &Error{Service: c.o.Name, Category: category, Message: message, err: err}
	e.Advice = c.advice(category)
	return e
}

// Unexpected returns the error for a successful answer without a member that it should have.
func (c *Client) Unexpected(member string) error {
	e := c.fail(Server, fmt.Sprintf("its answer has no %q; look at %s", member, c.o.BaseVar), nil)
	e.final = true
	return e
}

// advice says what to change.
func (c *Client) advice(category Category) string {
	switch category {
	case Authentication:
		if c.o.KeyVar == "" {
			return "The service asks for a key, and there is none for it"
		}
		return "The operator of this server has to set " + c.o.KeyVar + " to a valid key"
	case Payment:
		return "The account of " + c.o.KeyVar + " has no credits left: the operator has to add some"
	case RateLimit:
		return "Wait before the next request"
	case Validation:
		return "Change the arguments"
	case Network:
		return "If this stays, the operator has to look at " + c.o.BaseVar
	}
	return "The service has a problem of its own"
}

// refused returns the error for an answer that is not a success.
func (c *Client) refused(response *http.Response, body []byte) error {
	var category Category
	switch status := response.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		category = Authentication
	case status == http.StatusPaymentRequired:
		category = Payment
	case status == http.StatusTooManyRequests:
		category = RateLimit
	case status == http.StatusRequestTimeout:
		category = Network
	case status < 500:
		category = Validation
	default:
		category = Server
	}
	message := shown(c.clean(messageOf(body))) // clean comes first: it would not find a key that shown has cut
	e := c.fail(category, message, nil)
	e.Status = response.StatusCode
	e.uncertain = category == Server || category == Network
	switch {
	case response.StatusCode < 400:
		e.Message = "it redirects, which is not followed, since the other host would get the key"
		e.Advice = "The operator has to set " + c.o.BaseVar + " to the URL that it redirects to"
	case response.StatusCode == http.StatusNotFound && message == "":
		e.Message = "it does not know what was asked for"
	case message == "":
		e.Message = "it does not say why"
	}
	if category == RateLimit || category == Server {
		e.RetryAfter = pause.RetryAfter(response.Header.Get("Retry-After"), time.Now()).Round(time.Second)
		if e.RetryAfter == 0 && category == RateLimit && c.o.Delay != nil {
			e.RetryAfter = c.o.Delay(response.Header)
		}
		if e.RetryAfter == 0 && category == RateLimit {
			e.RetryAfter = defaultRateDelay
		}
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
