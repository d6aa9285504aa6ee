/** Routing rules in a file, as the API takes them. The service checks them. */
import type { RoutingRuleInput } from "../../index.ts";
import { usageFailure } from "../failure.ts";
import type { Io } from "../io.ts";
import { readText } from "../read-text.ts";

/** @param path  `-` for stdin */
export async function readRules(io: Io, path: string): Promise<RoutingRuleInput[]> {
  const rules = parsed(path === "-" ? await io.readStdin() : await readText(path), path);
  if (Array.isArray(rules)) return rules as RoutingRuleInput[];
  throw usageFailure(
    `${path} is no list of rules`,
    'It is a JSON list: [{"if": {"country": "DE"}, "to": "https://…"}]',
  );
}

/** Rules may also be those of a whole link, as `links get --json` prints it. */
function parsed(text: string, path: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : (value as { routing?: unknown } | null)?.routing;
  } catch (error) {
    throw usageFailure(`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
