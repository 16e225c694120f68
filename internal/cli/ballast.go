package cli

import "runtime"

// ballastBytes is how much the collector finds in use beside what a server over HTTP has.
//
// It runs when as much has been allocated as was in use. A server of some thousand files has 8 MB
// in use, and would collect thirty times in a second with many requests. With twice as much, each
// request takes a twelfth less of the processor. The system gives no memory for what nobody
// touches, so what grows is only what waits to be collected.
const ballastBytes = 8 << 20

// withBallast does something while there is the ballast.
func withBallast(do func() error) error {
	ballast := make([]byte, ballastBytes)
	defer runtime.KeepAlive(ballast)
	return do()
}
