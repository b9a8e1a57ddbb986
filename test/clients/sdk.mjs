// The official TypeScript SDK client over stdio: lists everything, calls every
// tool, reads every resource, and checks what comes back.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const [binary, db] = process.argv.slice(2);
const connect = async () => {
  const client = new Client({ name: "sdk-check", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command: binary, args: ["stdio", "--db", db, "--session", "check", "--summary-schedule="] }));
  return client;
};
const client = await connect();

const call = async (name, args, by = client) => {
  const result = await by.callTool({ name, arguments: args });
  assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
  return result.structuredContent;
};

const { tools } = await client.listTools();
assert.deepEqual(tools.map((tool) => tool.name).sort(), ["add_messages", "chat_history", "compact", "find_errors", "fit_context", "get_context", "memory_get", "memory_search", "memory_write", "reset", "write_error"]);

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
assert.equal((await call("compact", { action: "summary" })).count, 3);
assert.match((await call("get_context", {})).prior_summary.past_discussions[0].topic, /invoices/);

const refused = await client.callTool({ name: "chat_history", arguments: { mode: "dance" } });
assert.ok(refused.isError, "an unknown mode must be refused");

assert.ok((await client.listResources()).resources.some((r) => r.uri === "memory://sessions"));
assert.ok((await client.listResourceTemplates()).resourceTemplates.length > 0);
const { contents } = await client.readResource({ uri: "memory://sessions/check/messages" });
assert.match(contents[0].text, /replica in Taipei/);

assert.match((await client.getPrompt({ name: "recall", arguments: { query: "Which one?" } })).messages[0].content.text, /replica in Taipei/);

// Subscriptions: a client hears once of each change, whichever process makes it.
// Each row is what to subscribe to, how another process changes it, and what is
// read then.
const other = await connect();
const told = [];
client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri));
const hears = async (uri) => {
  for (const end = Date.now() + 2000; told.length === 0 && Date.now() < end; ) await new Promise((wake) => setTimeout(wake, 20));
  assert.deepEqual(told.splice(0), [uri], `told of changes of ${uri}`);
};
const says = (content, session_id = "check") => call("add_messages", { session_id, messages: [{ role: "user", content }] }, other);
const summarises = async (content) => {
  await says(content);
  execFileSync(binary, ["job", "run", "summary", "--db", db]);
};
for (const [uri, change, shows] of [
  ["memory://sessions/check/messages", (i) => says(`one more: ${i}`), (i) => `one more: ${i}`],
  ["memory://sessions", (i) => says("hello", `new ${i}`), (i) => `new ${i}`],
  ["memory://summary", (i) => summarises(`Who pays invoice number ${i}?`), (i) => `invoice number ${i}`],
]) {
  await client.subscribeResource({ uri });
  for (let i = 0; i < 2; i++) {
    await change(i);
    await hears(uri);
    const { text } = (await client.readResource({ uri })).contents[0];
    assert.ok(text.includes(shows(i)), `${uri}: ${text}`);
  }
  await client.unsubscribeResource({ uri });
}
await assert.rejects(client.subscribeResource({ uri: "memory://nothing" }), /no such resource/);
await other.close();

await client.close();
console.log(`TypeScript SDK: ${tools.length} tools called, resources read, changes heard`);
