package tools

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/memory"
)

// consentID names the question in the answers of a client.
const consentID = "consent"

// consented is the key under which a context says that the person has agreed.
type consented struct{}

// hasConsent says whether the person has agreed to the call by elicitation.
func hasConsent(ctx context.Context) bool { return ctx.Value(consented{}) != nil }

// ask puts the tool's question to the person where the client can do that. It
// returns the request to the client, or the context to go on with: one that says
// that the person has agreed, or, when the client cannot ask, the one it was
// given. A person who does not agree is an error.
func (t Tool) ask(ctx context.Context, req mcp.CallToolRequest, raw json.RawMessage) (*mcp.CallToolResult, context.Context, error) {
	if !canElicit(ctx) {
		return nil, ctx, nil
	}
	state := questionState(t.Definition.Name, raw)
	if a := server.ElicitationResponse(req.Params.InputResponses, consentID); a != nil && req.Params.RequestState == state {
		if a.Action != mcp.ElicitationResponseActionAccept {
			return nil, nil, memory.Conflictf("nothing was done: the person was asked and did not agree (%s)", a.Action)
		}
		return nil, context.WithValue(ctx, consented{}, true), nil
	}
	question, err := t.question(ctx, raw)
	if err != nil {
		return nil, nil, err
	}
	return server.NewInputRequestBuilder(state).Elicit(consentID, mcp.ElicitationParams{
		Mode:            mcp.ElicitationModeForm,
		Message:         question,
		RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}},
	}).ToolResult(), nil, nil
}

// questionState ties an answer to the call that it was asked for, however the
// client writes the arguments when it sends them again.
func questionState(tool string, raw json.RawMessage) string {
	var arguments any
	if json.Unmarshal(raw, &arguments) == nil {
		if plain, err := json.Marshal(arguments); err == nil {
			raw = plain
		}
	}
	sum := sha256.Sum256(append([]byte(tool+" "), raw...))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// canElicit says whether the client can ask its person: it has said so, and its
// connection can carry the question.
func canElicit(ctx context.Context) bool {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		return info.ClientCapabilities != nil && info.ClientCapabilities.Elicitation != nil
	}
	session := server.ClientSessionFromContext(ctx)
	client, ok := session.(server.SessionWithClientInfo)
	if !ok || client.GetClientCapabilities().Elicitation == nil {
		return false
	}
	_, carries := session.(server.SessionWithElicitation)
	return carries
}
