// The official TypeScript SDK client over Streamable HTTP and over SSE: calls
// every tool, reads a resource, hears of changes, and says goodbye; without the
// token it gets nothing.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const [binary, db] = process.argv.slice(2);
const server = spawn(binary, ["serve", "--addr", "127.0.0.1:0", "--db", db], {
  env: { ...process.env, MCP_MEMORY_TOKEN: "token-of-the-check" },
  stdio: ["ignore", "pipe", "inherit"],
});
const [line] = await once(createInterface({ input: server.stdout }), "line");
const base = line.match(/(http:\S+)\/mcp/)[1];

const transports = {
  "Streamable HTTP": (requestInit) => new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit }),
  SSE: (requestInit) => new SSEClientTransport(new URL(`${base}/sse`), { requestInit }),
};
const bearer = { headers: { Authorization: "Bearer token-of-the-check" } };

for (const [name, transport] of Object.entries(transports)) {
  await assert.rejects(new Client({ name: "stranger", version: "1" }).connect(transport({})), /401|Unauthorized/i, `${name} without token`);

  const client = new Client({ name: "network-check", version: "1" });
  await client.connect(transport(bearer));
  const call = async (tool, args) => {
    const result = await client.callTool({ name: tool, arguments: args });
    assert.ok(!result.isError, `${name}, ${tool}: ${JSON.stringify(result.content)}`);
    return result.structuredContent;
  };
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).sort(), ["add_messages", "chat_history", "compact", "find_errors", "fit_context", "get_context", "memory_get", "memory_search", "memory_write", "reset", "write_error"]);

  const told = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri));
  const uri = `memory://sessions/${encodeURIComponent(name)}/messages`;
  const say = (content) => call("add_messages", { session_id: name, messages: [{ role: "user", content }] });
  await say("The sugar is in the blue tin.");
  await client.subscribeResource({ uri });
  await say("The flour is not.");
  for (const end = Date.now() + 2000; told.length === 0 && Date.now() < end; ) await new Promise((wake) => setTimeout(wake, 20));
  assert.deepEqual(told, [uri], `${name}: told of a change`);

  assert.equal((await call("chat_history", { query: "sugar", session_id: name, match: "keyword" })).hits.length, 1);
  assert.equal((await call("get_context", { session_id: name })).messages.length, 2);
  const { contents } = await client.readResource({ uri });
  assert.match(contents[0].text, /blue tin/);
  await client.close();
}

server.kill("SIGTERM");
const [code] = await once(server, "exit");
assert.equal(code, 0, "the server ends well");
console.log(`TypeScript SDK over ${Object.keys(transports).join(" and ")}: tools called, a resource read, changes heard`);
