package capability

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// TestPagesNotRead checks that subscribers of a page are notified of a change even if no client has read
// the page, or if more pages were read than the source has digests of.
func TestPagesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, all, nil)
		ctx, cancel := context.WithCancel(t.Context())
		var work sync.WaitGroup
		work.Go(func() { f.Run(ctx) })
		defer work.Wait()
		defer cancel()
		f.set(sample(), true)
		same := ElementsURI(Documents, "", 0, "")
		f.mustRead(same)
		var uris []string
		for i := range maxPages + 5 {
			uri := ElementsURI(Resources, "", i+1, "")
			f.mustRead(uri)
			uris = append(uris, uri)
		}
		uris = append(uris, ElementsURI(Resources, "never read", 0, ""))
		f.heard()

		edited := sample()
		edited["resources/files/new.svg"] = edited["resources/files/logo.svg"]
		f.set(edited, true)
		changes := f.heard()
		hears := func(uri string) bool {
			for _, c := range changes {
				if slices.Contains(c.Updated, uri) || c.Also != nil && c.Also(uri) {
					return true
				}
			}
			return false
		}
		for _, uri := range uris {
			if !hears(uri) {
				t.Errorf("nobody hears of %s", uri)
			}
		}
		for _, uri := range []string{same, "docs://a.md"} {
			if hears(uri) {
				t.Errorf("%s counts as changed", uri)
			}
		}

		s := all
		s.Exposed.Elements = false
		f.Set(s)
		changes = f.heard()
		if len(changes) == 0 || !changes[0].List || !hears(same) {
			t.Errorf("pages are not exposed any more: %+v", changes)
		}
	})
}
