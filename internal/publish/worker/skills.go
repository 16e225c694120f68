package worker

import (
	"context"
	"encoding/json"
	"fmt"
)

// A skill is an item of skills/list. A skill that breaks the rules has a failure instead, and is not
// listed.
type skill struct {
	URI     string          `json:"uri"`
	Item    json.RawMessage `json:"item,omitempty"`
	Failure *failure        `json:"failure,omitempty"` // of skills/get
}

// skills writes the answers to skills/list and skills/get, in the order of the list.
func (b *Builder) skills(ctx context.Context) error {
	list := []skill{}
	for r := range b.View.Files.Skills("") {
		s := skill{URI: r.URI()}
		var result struct {
			Skill json.RawMessage `json:"skill"`
		}
		if err := b.call(ctx, "skills/get", map[string]string{"uri": s.URI}, &result); err != nil {
			if s.Failure, err = failureOf(err, s.URI); err != nil {
				return fmt.Errorf("%s: %w", s.URI, err)
			}
		}
		s.Item = result.Skill
		list = append(list, s)
	}
	return b.addJSON(list, &b.manifest.Resources.Skills)
}
