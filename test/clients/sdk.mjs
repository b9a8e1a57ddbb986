// The official TypeScript SDK client over stdio: lists everything, calls every
// tool, reads every resource, and checks what comes back.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [binary, db] = process.argv.slice(2);
const client = new Client({ name: "sdk-check", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command: binary, args: ["stdio", "--db", db, "--session", "check"] }));

const call = async (name, args) => {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
  return result.structuredContent;
};

const { tools } = await client.listTools();
assert.deepEqual(tools.map((tool) => tool.name).sort(), ["add_messages", "chat_history", "get_context"]);

const added = await call("add_messages", {
  messages: [
    { role: "user", content: "Which database do we use for the invoices?", id: "1" },
    { role: "assistant", content: "PostgreSQL 17, with a replica in Taipei.", id: "2" },
    { role: "user", content: "資料庫備份在哪裡？", id: "3" },
  ],
});
assert.equal(added.added, 3);

for (const [match, query, id] of [
  ["keyword", "replica", "2"],
  ["keyword", "備份", "3"],
  ["semantic", "database for invoices", "1"],
]) {
  const found = await call("chat_history", { mode: "search", match, query });
  assert.equal(found.hits[0]?.client_id, id, `${match} ${query}`);
}
assert.equal((await call("chat_history", { mode: "list" })).sessions[0].session_id, "check");
assert.equal((await call("chat_history", { mode: "read", session_id: "check" })).messages.length, 3);
assert.equal((await call("get_context", {})).messages.length, 3);

const refused = await client.callTool({ name: "chat_history", arguments: { mode: "dance" } });
assert.ok(refused.isError, "an unknown mode must be refused");

assert.ok((await client.listResources()).resources.some((r) => r.uri === "memory://sessions"));
assert.ok((await client.listResourceTemplates()).resourceTemplates.length > 0);
const { contents } = await client.readResource({ uri: "memory://sessions/check/messages" });
assert.match(contents[0].text, /replica in Taipei/);

await client.close();
console.log(`TypeScript SDK: ${tools.length} tools called, resources read`);
