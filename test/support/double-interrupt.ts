/** Ctrl-C twice on a command that is creating a link: npm forwards the signal that the terminal has sent already. */
import { eventually, pause } from "./eventually.ts";
import { json, type ScriptedServer } from "./scripted-server.ts";

const ANSWERS: Record<string, unknown> = {
  "/v1/me": { default_domain: "hop.example", plan: "premium", limits: { links: { used: 0 } } },
  "/v1/domains": { data: [], next_cursor: null },
  "/v1/links": { data: [], next_cursor: null },
};

/** Between two separate presses, and two that count as one. The limit is 300 ms, on a busy machine later. */
export const [LATER_MS, AT_ONCE_MS] = [1_000, 20];

/**
 * The link is created after both.
 * @param start  starts the command
 * @param kill  sends it a signal
 * @returns what `start` returns
 */
export async function interruptTwice<End>(
  server: ScriptedServer,
  start: () => Promise<End>,
  kill: (signal: NodeJS.Signals) => void,
  betweenMs: number,
): Promise<End> {
  let create: (() => void) | undefined;
  server.willReply((response, request) => {
    const found = ANSWERS[request.path.split("?")[0] ?? ""];
    if (found) json(200, found)(response, request);
    else create = () => json(200, { results: [{ link: {} }] })(response, request);
  });
  const end = start();
  await eventually(() => create !== undefined, "the creation");
  kill("SIGINT");
  await pause(betweenMs);
  kill("SIGINT");
  await pause(50);
  create?.();
  return end;
}
