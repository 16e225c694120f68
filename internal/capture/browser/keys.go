package browser

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chromedp/cdproto/input"
)

// A key is a key of a keyboard, with the names of UI Events (W3C).
type key struct {
	name, code string
	number     int64 // virtual-key code of Windows
	text       string
}

// parseKey returns the key with a name, in upper or lower case, or the key of a character.
func parseKey(name string) (key, error) {
	for _, named := range []struct {
		aliases string
		key
	}{
		{"enter return", key{"Enter", "Enter", 13, "\r"}}, {"tab", key{"Tab", "Tab", 9, ""}}, {"escape esc", key{"Escape", "Escape", 27, ""}},
		{"backspace", key{"Backspace", "Backspace", 8, ""}}, {"delete", key{"Delete", "Delete", 46, ""}}, {"space", key{" ", "Space", 32, " "}},
		{"arrowup up", key{"ArrowUp", "ArrowUp", 38, ""}}, {"arrowdown down", key{"ArrowDown", "ArrowDown", 40, ""}},
		{"arrowleft left", key{"ArrowLeft", "ArrowLeft", 37, ""}}, {"arrowright right", key{"ArrowRight", "ArrowRight", 39, ""}},
		{"home", key{"Home", "Home", 36, ""}}, {"end", key{"End", "End", 35, ""}},
		{"pageup", key{"PageUp", "PageUp", 33, ""}}, {"pagedown", key{"PageDown", "PageDown", 34, ""}},
	} {
		if slices.Contains(strings.Fields(named.aliases), strings.ToLower(name)) {
			return named.key, nil
		}
	}
	r, size := utf8.DecodeRuneInString(name)
	if size == 0 || size != len(name) || !unicode.IsPrint(r) {
		return key{}, fmt.Errorf("the key is %q, must be a character, Enter, Tab, Escape, Backspace, Delete, Space, ArrowUp, ArrowDown, ArrowLeft, ArrowRight, Home, End, PageUp or PageDown", name)
	}
	k := key{name: name, text: name}
	switch upper := unicode.ToUpper(r); {
	case upper >= 'A' && upper <= 'Z':
		k.code, k.number = "Key"+string(upper), int64(upper)
	case r >= '0' && r <= '9':
		k.code, k.number = "Digit"+name, int64(r)
	}
	return k, nil
}

// press presses a key and releases it.
func (p *page) press(ctx context.Context, name string) error {
	k, err := parseKey(name)
	if err != nil {
		return err
	}
	event := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: k.name, Code: k.code, WindowsVirtualKeyCode: k.number, NativeVirtualKeyCode: k.number, Text: k.text, UnmodifiedText: k.text}
	if k.text == "" {
		event.Type = input.DispatchKeyEventTypeRawKeyDown
	}
	if err := do(ctx, p.session, input.DispatchKeyEvent, event); err != nil {
		return err
	}
	event.Type, event.Text, event.UnmodifiedText = input.DispatchKeyEventTypeKeyUp, "", ""
	return do(ctx, p.session, input.DispatchKeyEvent, event)
}
