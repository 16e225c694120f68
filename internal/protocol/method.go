package protocol

// Methods that transports treat differently from the other methods.
const (
	MethodInitialize  = "initialize"
	MethodInitialized = "notifications/initialized"
	MethodCancelled   = "notifications/cancelled"
	MethodListen      = "subscriptions/listen"
	MethodPing        = "ping"
	MethodSubscribe   = "resources/subscribe"
	MethodUnsubscribe = "resources/unsubscribe"
)
