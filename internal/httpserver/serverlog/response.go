package serverlog

import "net/http"

// A response counts what is written through it. Other features of the writer, such as deadlines,
// are found through Unwrap.
type response struct {
	inner  http.ResponseWriter
	status int // 0: nothing has been sent
	bytes  int64
}

func (r *response) Unwrap() http.ResponseWriter { return r.inner }

func (r *response) Header() http.Header { return r.inner.Header() }

func (r *response) WriteHeader(status int) {
	if r.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		r.status = status // an informational status is not the one of the response
	}
	r.inner.WriteHeader(status)
}

// begin records that the status 200 is sent if none was set.
func (r *response) begin() {
	if r.status == 0 {
		r.status = http.StatusOK
	}
}

func (r *response) Write(p []byte) (int, error) {
	r.begin()
	n, err := r.inner.Write(p)
	r.bytes += int64(n)
	return n, err
}

// Flush implements [http.Flusher], and FlushError is for [http.ResponseController].
func (r *response) Flush() { r.FlushError() }

func (r *response) FlushError() error {
	r.begin()
	return http.NewResponseController(r.inner).Flush()
}
