/** The commands of a text in Markdown, each with the answer that the text shows for it. */

import { eventually } from "./eventually.ts";

const READ_TIMEOUT_MS = 15_000;

interface GuideStep {
  command: string;
  /** Undefined where the text shows none: then any answer but an error will do. */
  answer: string | undefined;
}

/** The `sh` blocks of a text, each with the block directly below it, if that is no command. */
export function stepsOf(text: string): GuideStep[] {
  const blocks = text.matchAll(/```sh\n([\s\S]*?)```(?:\n\n```(?:json)?\n([\s\S]*?)```)?/g);
  return [...blocks].map(([, command = "", answer]) => ({ command, answer }));
}

/**
 * Runs what a reader would type, in order. `export NAME=lnk_...` stands for the first such id that was printed last.
 * @param run  one command, with these environment variables; what it prints
 * @param printed  what was printed before
 * @param expectMatch  fails when a text does not match
 */
export async function runSteps(
  steps: readonly GuideStep[],
  printed: string,
  run: (command: string, variables: Record<string, string>) => string,
  expectMatch: (printed: string, pattern: RegExp, command: string) => void,
): Promise<void> {
  const variables: Record<string, string> = {};
  let last = printed;
  for (const { command, answer } of steps) {
    const [, name, prefix] = /^export (\w+)=([a-z_]+)\.\.\./.exec(command) ?? [];
    if (name) {
      variables[name] = new RegExp(`${prefix}\\w+`).exec(last)?.[0] ?? "";
      continue;
    }
    const pattern = answer === undefined ? /^(?!.*"error")/s : patternOf(answer);
    const attempt = () => compact(run(command, variables));
    // Clicks are stored a moment after their reply; a reader types slower than a test.
    last = isRepeatable(command) ? await retryUntil(attempt, (text) => pattern.test(text)) : attempt();
    expectMatch(last, pattern, command);
  }
}

/** Whether a command may be repeated: visits and requests with a body may not. */
function isRepeatable(command: string): boolean {
  return command.includes("/v1/") && !/ -d | -X /.test(command);
}

/** JSON on one line: the guides print it on several. */
function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text.trim();
  }
}

/** `…` stands for what differs each time. */
function patternOf(answer: string): RegExp {
  const pattern = compact(answer)
    .split("…")
    .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join('[^"]+');
  return new RegExp(`^${pattern}$`);
}

/** Attempts until one will do, or the time is up. @returns what the last one printed */
async function retryUntil(attempt: () => string, isDone: (text: string) => boolean): Promise<string> {
  let text = "";
  await eventually(() => isDone((text = attempt())), "what the text shows", READ_TIMEOUT_MS).catch(() => {});
  return text;
}
