package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/coder/websocket"
)

// A socket is the transport to a browser that this program did not start.
type socket struct {
	ws     *websocket.Conn
	ctx    context.Context
	cancel context.CancelFunc
}

// parseURL parses the URL of a browser.
func parseURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return nil, errors.New("--browser-url: write http://HOST:PORT, or ws://HOST:PORT/devtools/browser/ID")
	}
	switch u.Scheme {
	case "http", "https", "ws", "wss":
		return u, nil
	}
	return nil, fmt.Errorf("--browser-url: the scheme is %q, must be http, https, ws or wss", u.Scheme)
}

// dialSocket connects to a browser at an http or ws URL, which the operator configured.
func dialSocket(ctx context.Context, browserURL string) (*socket, error) {
	u, err := parseURL(browserURL)
	if err != nil {
		return nil, err
	}
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true}, // and no proxy of the environment
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	address := browserURL
	if u.Scheme == "http" || u.Scheme == "https" {
		if address, err = socketOf(ctx, client, u); err != nil {
			return nil, err
		}
	}
	ws, _, err := websocket.Dial(ctx, address, &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		return nil, fmt.Errorf("no browser answers at %s: %w", u.Redacted(), err)
	}
	ws.SetReadLimit(-1) // read bounds messages
	s := &socket{ws: ws}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s, nil
}

// socketOf asks a browser for the URL of its socket. The host in the result is the configured one, since a browser
// may not know the name by which it is reached.
func socketOf(ctx context.Context, client *http.Client, u *url.URL) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.JoinPath("json/version").String(), nil)
	if err != nil {
		return "", err
	}
	res, err := client.Do(req)
	if err != nil {
		return "", fmt.Errorf("no browser answers at %s: %w", u.Redacted(), err)
	}
	defer res.Body.Close()
	var version struct{ WebSocketDebuggerURL string }
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&version); res.StatusCode != http.StatusOK || err != nil || version.WebSocketDebuggerURL == "" {
		return "", fmt.Errorf("%s: answers %s, and is not a browser with remote debugging", u.Redacted(), res.Status)
	}
	socket, err := url.Parse(version.WebSocketDebuggerURL)
	if err != nil {
		return "", fmt.Errorf("%s: names %q as its socket, which is not a URL", u.Redacted(), version.WebSocketDebuggerURL)
	}
	socket.Host, socket.User = u.Host, u.User
	if socket.Scheme = "ws"; u.Scheme == "https" {
		socket.Scheme = "wss"
	}
	return socket.String(), nil
}

func (s *socket) read() (message []byte, whole bool, err error) {
	_, r, err := s.ws.Reader(s.ctx)
	if err != nil {
		return nil, false, err
	}
	var all bytes.Buffer
	n, err := io.Copy(&all, io.LimitReader(r, maxMessage+1))
	if err != nil {
		return nil, false, err
	}
	if n > maxMessage {
		_, err := io.Copy(io.Discard, r)
		return all.Bytes()[: 1<<10 : 1<<10], false, err
	}
	return all.Bytes(), true, nil
}

func (s *socket) write(message []byte) error {
	return s.ws.Write(s.ctx, websocket.MessageText, message)
}

func (s *socket) close() error {
	s.cancel()
	return s.ws.CloseNow()
}
