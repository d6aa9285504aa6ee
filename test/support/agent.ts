/** Agents for tests: the official SDK's client, connected to the MCP server of the Worker under test. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

export interface ToolAnswer {
  isError: boolean;
  text: string;
  /** The text parsed as JSON: for an answer equal to its structured content. */
  said: Record<string, unknown>;
}

export class Agent {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async toolNames(): Promise<string[]> {
    return (await this.tools()).map(({ name }) => name);
  }

  /** The host's instructions to its model about the server. */
  instructions(): string {
    return this.#client.getInstructions() ?? "";
  }

  async tools() {
    return (await this.#client.listTools()).tools;
  }

  /** The client checks the structured content of every answer against the tool's schema. */
  async call(name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
    const result = await this.#client.callTool({ name, arguments: args });
    const [content, ...more] = result.content;
    if (content?.type !== "text" || more.length > 0) throw new Error(`not one text: ${JSON.stringify(result)}`);
    const said = JSON.parse(content.text) as Record<string, unknown>;
    if (result.isError !== true && JSON.stringify(said) !== JSON.stringify(result.structuredContent)) {
      throw new Error(`text and structured content differ: ${JSON.stringify(result)}`);
    }
    return { isError: result.isError === true, text: content.text, said };
  }

  /** The tool's answer, which must not be an error. */
  async answer(name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const { isError, said } = await this.call(name, args);
    if (isError) throw new Error(`${name} was refused: ${JSON.stringify(said)}`);
    return said;
  }

  /** The error that the tool answers. */
  async refusal(name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const { isError, said } = await this.call(name, args);
    if (!isError) throw new Error(`${name} was not refused: ${JSON.stringify(said)}`);
    return said["error"] as Record<string, unknown>;
  }
}

/** Revisions of MCP: clients begin with `initialize`, or, since 2026, identify themselves in each message. */
export const ERAS = {
  "2025, with initialize": { mode: "legacy" },
  "2026-07-28": { mode: { pin: "2026-07-28" } },
} as const;

export type Era = keyof typeof ERAS;

/** An agent that uses a key. @param base  the server's origin @param send  how its requests get there */
export async function connect(base: string, key: string, era: Era, send: typeof fetch = fetch): Promise<Agent> {
  const client = new Client({ name: "test-agent", version: "1.0.0" }, { versionNegotiation: ERAS[era] });
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", base), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
    fetch: (url, init) => send(url, init as RequestInit),
  });
  await client.connect(transport);
  return new Agent(client);
}
