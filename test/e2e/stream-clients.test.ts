/**
 * The clients of the streaming guide, each in the newest version of its package, and the dashboard, against the
 * development server, through a proxy that breaks off. `test/compat` tests the oldest versions that the guide names.
 */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import type { Link } from "../../src/core/contract/links.ts";
import { startChromium } from "../support/chromium.ts";
import { ExamplesToTake } from "../support/examples.ts";
import { program } from "../support/programs.ts";
import { sharedBrowser, sharedServer } from "../support/shared-server.ts";
import {
  browserClient,
  nodeClient,
  pythonClient,
  type StartClient,
  type StreamClient,
} from "../support/stream-clients.ts";
import { COUNTRIES, CUTS_TIMEOUT_MS, StreamCuts } from "../support/stream-cuts.ts";

let cuts: StreamCuts;
let browser: Browser;

beforeAll(async () => {
  [cuts, browser] = await Promise.all([StreamCuts.start(sharedServer()), sharedBrowser()]);
});

afterAll(() => cuts?.remove());

const examples = new ExamplesToTake(import.meta.filename);
const programWith = (name: string) => examples.take(new RegExp(`from "${name}"`));
const inBrowser = (name: string) => browserClient(() => browser, programWith(name));

const CLIENTS: [name: string, start: StartClient][] = [
  ["eventsource, newest", nodeClient(programWith("eventsource"))],
  ["eventsource-parser, newest", inBrowser("eventsource-parser/stream")],
  ["fetch-event-source, newest", inBrowser("@microsoft/fetch-event-source")],
];

// Five at a time: each has five slots, and the account twenty-five.
test.concurrent.for(CLIENTS)(
  "%s: no free slot at first, two interruptions, and no lost click",
  { timeout: CUTS_TIMEOUT_MS },
  ([, start]) => cuts.loseNothing(start),
);

const python = program("python3");
const pythonProgram = examples.take(/^import http\.client/);
test
  .skipIf(!python.isThere)
  .concurrent(`Python's standard library: the same${python.missing}`, { timeout: CUTS_TIMEOUT_MS }, () =>
    cuts.loseNothing(pythonClient(pythonProgram)),
  );

test("every program of the guide is run", () => {
  expect(examples.left).toEqual([]);
});

test("the dashboard: the same", { timeout: CUTS_TIMEOUT_MS }, () =>
  cuts.loseNothingOnPage((link, port) => openLinkPage(link, `MAP ${new URL(cuts.server.base).host} 127.0.0.1:${port}`)),
);

/** @param resolverRule  leads the browser through the proxy, under the server's own origin */
async function openLinkPage({ id, slug }: Link, resolverRule: string): Promise<StreamClient> {
  const throughProxy = await startChromium([`--host-resolver-rules=${resolverRule}`]);
  const page = await throughProxy.newPage();
  const cookies = cuts.session.split("; ").map((cookie) => cookie.split("=", 2) as [name: string, value: string]);
  const url = cuts.server.base;
  await page.context().addCookies(cookies.map(([name, value]) => ({ name, value, url })));
  await page.goto(`${url}/dashboard/links/${id}`);
  const nameOf = new Intl.DisplayNames("en", { type: "region" });
  const shown = async () => {
    const rows = await page.getByRole("list", { name: "Latest clicks" }).getByRole("listitem").allInnerTexts();
    const countryOf = (row: string) => COUNTRIES.find((country) => row.includes(nameOf.of(country) ?? country));
    return rows
      .toReversed()
      .map((row) => `/${slug} ${countryOf(row) ?? row}`)
      .join("\n");
  };
  return { shown, stop: () => throughProxy.close() };
}
