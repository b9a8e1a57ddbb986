package tools_test

import (
	"strings"
	"testing"
)

func TestResetNeedsAYes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add("home", message("user", "the code is 1234"), message("assistant", "noted"))
	d.add("s", message("user", "another"))
	for arguments, want := range map[string]string{
		`{"mode":"all"}`:                                          "this deletes 2 messages of session home and its rolling summary, for good; ask the user",
		`{"mode":"all","confirm":false}`:                          "confirm: true",
		`{"mode":"summary"}`:                                      "2 messages of session home (its rolling summary stays)",
		`{"mode":"remove","session_id":"s"}`:                      "the whole session s with 1 message and its summary",
		`{"mode":"messages","message_ids":["1",2]}`:               "2 messages of session home",
		`{"mode":"messages","confirm":true}`:                      "message_ids is empty",
		`{"mode":"all","message_ids":["1"]}`:                      "message_ids goes with the mode messages",
		`{"mode":"all","session_id":"x"}`:                         `there is no session "x"`,
		`{"mode":"all","session_id":"x","confirm":1}`:             "confirm must be",
		`{"confirm":true}`:                                        "mode is missing",
		`{"mode":"everything","confirm":true}`:                    "mode must be one of",
		`{"mode":"all","session_id":"../.."}`:                     "session_id must not contain",
		`{"mode":"messages","message_ids":["99"],"confirm":true}`: "there is no message 99",
	} {
		if a := d.call("reset", arguments); !a.bad || !strings.Contains(a.text, want) {
			t.Errorf("reset(%s) = %q, want an error with %q", arguments, a.text, want)
		}
	}
	if a := d.must("chat_history", `{"mode":"read"}`); len(a.strings("messages.id")) != 2 {
		t.Errorf("after resets without a yes, %v are left, want both", a.value)
	}
}

func TestReset(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add("home", message("user", "the code is 1234"), message("assistant", "noted"), message("user", "thanks"))
	a := d.must("reset", `{"mode":"messages","message_ids":["1"],"confirm":"true"}`)
	if a.value["removed"].(interface{ String() string }).String() != "1" || a.value["wiped"] != true || a.value["mode"] != "messages" || !strings.Contains(a.text, "1 message of session home deleted") {
		t.Errorf("reset(messages) = %v, %q, want one removed", a.value, a.text)
	}
	if a := d.must("chat_history", `{"query":"1234","match":"keyword"}`); len(a.strings("hits.message_id")) != 0 {
		t.Errorf("what was deleted is still found: %v", a.value)
	}
	a = d.must("reset", `{"mode":"remove","confirm":true}`)
	if notes, ok := a.value["notes"].([]any); !ok || len(notes) != 0 || !strings.Contains(a.text, "2 messages of session home deleted; the session is gone.") {
		t.Errorf("reset(remove) = %v, %q, want two removed and an empty list of notes", a.value, a.text)
	}
	if a := d.call("chat_history", `{"mode":"read"}`); !a.bad {
		t.Errorf("the removed session can be read: %v", a.value)
	}
}

func TestCompact(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var list []string
	for range 10 {
		list = append(list, message("user", "the same again"), message("assistant", "yes"))
	}
	d.add("home", list...)
	a := d.must("compact", `{}`)
	if got := a.strings("removed"); len(got) != 1 || got[0] != "18" || !strings.Contains(a.text, "18 messages left the live history") {
		t.Errorf("compact = %v, %q, want 18 removed", a.value, a.text)
	}
	if a := d.must("get_context", `{}`); len(a.strings("messages.id")) != 2 {
		t.Errorf("get_context after compact has %v, want the last exchange", a.strings("messages.id"))
	}
	if a := d.must("compact", `{"action":"compact"}`); a.strings("removed")[0] != "0" || !strings.Contains(a.text, "stays as it is") {
		t.Errorf("compact(again) = %v, %q, want none", a.value, a.text)
	}
	if a := d.must("compact", `{"action":"unarchive"}`); a.strings("count")[0] != "18" || !strings.Contains(a.text, "18 messages are live again") {
		t.Errorf("compact(unarchive) = %v, %q, want 18 back", a.value, a.text)
	}
	for arguments, want := range map[string]string{
		`{"action":"unarchive"}`:                    "no compaction to bring back",
		`{"session_id":"x"}`:                        `there is no session "x"`,
		`{"action":"compact","version":1}`:          "version goes with the action restore, not with compact",
		`{"version":1}`:                             "version goes with the action restore, not with compact",
		`{"action":"tidy"}`:                         "action must be one of",
		`{"action":"unarchive","session_id":"../"}`: "session_id must not contain",
	} {
		if a := d.call("compact", arguments); !a.bad || !strings.Contains(a.text, want) {
			t.Errorf("compact(%s) = %q, want an error with %q", arguments, a.text, want)
		}
	}
}
