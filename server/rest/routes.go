package rest

// route is one operation: it calls a tool with what the path, the query or the
// body give, and answers with the tool's structured result.
type route struct {
	method  string
	path    string   // below /v1; {id} is the session_id of the tool
	tool    string   // whose arguments and result they are
	fixed   args     // arguments that the route itself sets; nil = none
	query   []string // arguments that the query may give
	summary string   // what it does, in a sentence
}

// args are arguments of a tool that do not come from outside.
type args map[string]string

// routes are all operations. A new one is a line here; it is there when its tool
// is. What takes no query takes a body.
var routes = [...]route{
	{"GET", "/sessions", "chat_history", args{"mode": "list"}, []string{"limit", "cursor"}, "List the sessions, most recently used first."},
	{"GET", "/session/{id}/messages", "chat_history", args{"mode": "read"}, []string{"message_id", "before", "after", "limit", "cursor"}, "Read messages of a session, oldest first, from the newest page backwards."},
	{"POST", "/session/{id}/messages", "add_messages", nil, nil, "Record messages. Each is recorded once, also when the request is repeated."},
	{"GET", "/session/{id}/context", "get_context", nil, []string{"query", "max_tokens"}, "Get what an agent should put into its next turn."},
	{"GET", "/session/{id}/summary", "session_summary", nil, []string{}, "Get the rolling summary; the empty one before the first."},
	{"GET", "/search", "chat_history", args{"mode": "search"}, []string{"query", "match", "session_id", "scope", "time_range", "since", "until", "role", "limit", "cursor"}, "Find messages by meaning or by exact words."},
}

// takesBody says whether arguments come in the body.
func (r route) takesBody() bool { return r.query == nil }

// writes says whether the operation may change something.
func (r route) writes() bool { return r.method != "GET" }
