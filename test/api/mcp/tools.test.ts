/** The MCP server: an agent, which is the official SDK's client, goes through every tool. */
import { expect, test } from "vitest";
import { premiumAccount } from "../../support/test-accounts.ts";
import { connectAgent } from "../../support/mcp-client.ts";

test("x", async () => {
  const account = await premiumAccount();
  const agent = await connectAgent(account);
  const tools = await agent.tools();
  console.log(JSON.stringify(tools).length, tools.map((t) => `${t.name} ${JSON.stringify(t).length} in ${JSON.stringify(t.inputSchema).length} out ${JSON.stringify(t.outputSchema).length}`));
  console.log(await agent.call("find_links"));
  expect(1).toBe(1);
});
