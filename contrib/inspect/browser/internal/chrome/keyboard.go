//go:build unix

package chrome

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

// keyNames are the keys that Press knows by name.
var keyNames = map[string]string{
	"Tab": kb.Tab, "Enter": kb.Enter, "Escape": kb.Escape, "Space": " ",
	"Backspace": kb.Backspace, "Delete": kb.Delete,
	"ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight,
	"ArrowUp": kb.ArrowUp, "ArrowDown": kb.ArrowDown,
	"Home": kb.Home, "End": kb.End, "PageUp": kb.PageUp, "PageDown": kb.PageDown,
}

// modifiers are the keys that are held while another one is pressed.
var modifiers = map[string]kb.Modifier{
	"Alt": kb.ModifierAlt, "Control": kb.ModifierCtrl,
	"Meta": kb.ModifierMeta, "Shift": kb.ModifierShift,
}

// focusScript puts the focus on an element and the caret behind its text.
const focusScript = `selector => {
	const element = document.querySelector(selector);
	if (!element) return false;
	element.focus();
	try {
		element.setSelectionRange(element.value.length, element.value.length);
	} catch {
		// Not every field has a caret.
	}
	return document.activeElement === element;
}`

// Type focuses the first element that matches a selector and types a text
// behind what it holds, key by key. It waits for the element.
func (t *Tab) Type(selector, text string) {
	t.t.Helper()
	t.do("type into "+selector, func(ctx context.Context) error {
		var ok bool
		js := invoke(focusScript, selector)
		if err := patient(ctx, js, &ok, func() bool { return ok }); err != nil {
			return t.explain(err)
		}
		for _, r := range text {
			if err := press(ctx, r, 0); err != nil {
				return err
			}
		}
		return nil
	})
}

// Press presses keys one after the other on the element that has the focus. A
// key is a character or a name such as Tab, Enter, Space, ArrowLeft or Escape,
// and may be led by the modifiers that are held with it, as in Shift+Tab.
func (t *Tab) Press(keys ...string) {
	t.t.Helper()
	for _, key := range keys {
		t.do("press "+key, func(ctx context.Context) error {
			r, held, err := parseKey(key)
			if err != nil {
				return err
			}
			return press(ctx, r, held)
		})
	}
}

// parseKey splits a key of Press into its rune and the modifiers held with it.
func parseKey(key string) (rune, kb.Modifier, error) {
	var held kb.Modifier
	name := key
	for {
		first, rest, ok := strings.Cut(name, "+")
		modifier, known := modifiers[first]
		if !ok || !known {
			break
		}
		held |= modifier
		name = rest
	}
	if code, ok := keyNames[name]; ok {
		name = code
	}
	if utf8.RuneCountInString(name) != 1 {
		return 0, 0, fmt.Errorf("no key has this name")
	}
	r, _ := utf8.DecodeRuneInString(name)
	return r, held, nil
}

// press sends the events of one key. A key held with Alt, Control or Meta is a
// command and writes no character.
func press(ctx context.Context, r rune, held kb.Modifier) error {
	for _, event := range kb.Encode(r) {
		if event.Type == kb.KeyChar && held&^kb.ModifierShift != 0 {
			continue
		}
		event.Modifiers |= int64(held)
		if err := call(ctx, input.DispatchKeyEvent, *event); err != nil {
			return err
		}
	}
	return nil
}
