/** The clients of the streaming guide in the oldest versions that it names, from this folder's `node_modules`. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";

import { startChromium } from "../support/chromium.ts";
import { ExamplesToTake } from "../support/examples.ts";
import { browserClient, nodeClient, type StartClient } from "../support/stream-clients.ts";
import { CUTS_TIMEOUT_MS, StreamCuts } from "../support/stream-cuts.ts";

let cuts: StreamCuts;
let browser: Browser;

beforeAll(async () => {
  [cuts, browser] = await Promise.all([StreamCuts.start(), startChromium()]);
});

afterAll(async () => {
  await browser?.close();
  await cuts?.remove();
});

const examples = new ExamplesToTake(import.meta.filename);
const programWith = (name: string) => examples.take(new RegExp(`from "${name}"`));
const inBrowser = (name: string) => browserClient(() => browser, programWith(name), import.meta.dirname);

const CLIENTS: [name: string, start: StartClient][] = [
  ["eventsource, oldest", nodeClient(programWith("eventsource"), import.meta.dirname)],
  ["eventsource-parser, oldest", inBrowser("eventsource-parser/stream")],
  ["fetch-event-source, oldest", inBrowser("@microsoft/fetch-event-source")],
];

test.concurrent.for(CLIENTS)(
  "%s: no free slot at first, two interruptions, and no lost click",
  { timeout: CUTS_TIMEOUT_MS },
  ([, start]) => cuts.loseNothing(start),
);
