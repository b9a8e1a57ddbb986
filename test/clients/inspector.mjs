// The MCP Inspector's command line over stdio: lists the tools, calls each.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";

const [binary, db] = process.argv.slice(2);
const inspect = (...args) =>
  JSON.parse(
    execFileSync("npx", ["--no-install", "mcp-inspector", "--cli", binary, "stdio", "--db", db, ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
const call = (name, ...args) => {
  const result = inspect("--method", "tools/call", "--tool-name", name, ...args.flatMap((arg) => ["--tool-arg", arg]));
  assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
  return result.structuredContent;
};

const { tools } = inspect("--method", "tools/list");
assert.deepEqual(tools.map((tool) => tool.name).sort(), ["add_messages", "chat_history", "compact", "find_errors", "fit_context", "get_context", "memory_get", "memory_search", "memory_write", "reset", "write_error"]);
assert.equal(call("add_messages", 'messages=[{"role":"user","content":"the pre-flight list is ready"}]').added, 1);
assert.equal(call("chat_history", "query=pre-flight", "match=keyword").hits.length, 1);
assert.equal(call("get_context").messages.length, 1);
assert.equal(call("compact", "action=summary").count, 1);
assert.ok(inspect("--method", "resources/list").resources.length > 0);

console.log(`MCP Inspector: ${tools.length} tools listed and called`);
