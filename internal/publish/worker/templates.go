package worker

import "encoding/json"

// A template is one of resources/templates/list.
type template struct {
	Item json.RawMessage `json:"item"`
}
