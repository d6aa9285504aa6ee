/** A newcomer's first steps: `npm run dev`, then the examples of the README and the guides, line by line. */
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";

import { issueToken } from "../../src/cli/admin/target.ts";
import { withLocalDatabase } from "../../src/cli/database.ts";
import { HOUR_MS } from "../../src/core/time.ts";
import { issueKeyText } from "../../src/store/accounts/api-keys.ts";
import { newTestAccount } from "../support/accounts.ts";
import { ApiClient } from "../support/api-client.ts";
import { type DevServer, startDevServer } from "../support/dev-server.ts";
import { type Example, examplesRunBy } from "../support/examples.ts";
import { clickFile, exportFile } from "../support/export-files.ts";
import { GuideReader } from "../support/guide-reader.ts";
import { HoplinkCommand } from "../support/hoplink-command.ts";
import { program } from "../support/programs.ts";
import { copyProject, type ProjectCopy } from "../support/project-copy.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const EXAMPLES = examplesRunBy(import.meta.filename);
const TEXTS = [...new Set(EXAMPLES.map(({ text }) => text))];
const TEXT_TIMEOUT_MS = 300_000;
const curl = program("curl");
const ps = program("ps", "procps");

let server: DevServer;
let hoplink: HoplinkCommand;
let checkout: ProjectCopy;
/** API keys of each text's reader. */
let keys: Map<string, string>;
let operatorToken: string;

beforeAll(async () => {
  [server, hoplink] = await Promise.all([startDevServer(), HoplinkCommand.build()]);
  checkout = copyProject();
  await withLocalDatabase(server.folder, async (database) => {
    keys = new Map();
    for (const text of TEXTS) {
      keys.set(text, await issueKeyText(database, (await newTestAccount(database)).id, "live", text));
    }
    ({ token: operatorToken } = await issueToken(database, "operator", HOUR_MS));
  });
});

afterAll(async () => {
  await server.remove();
  hoplink.remove();
  checkout.remove();
});

test.skipIf(!curl.isThere).each(TEXTS)(
  `the examples of %s print what it shows${curl.missing}`,
  { timeout: TEXT_TIMEOUT_MS },
  async (name) => {
    const api = new ApiClient(server.base, keys.get(name) ?? "");
    await PREPARATIONS[name]?.(api);
    const reader = new GuideReader(api, checkout.folder, shellOf(api.key), api.key);
    for (const example of EXAMPLES.filter(({ text }) => text === name)) await reader.do(here(example));
  },
);

/** State that exists before the reader of a text begins. */
const PREPARATIONS: Record<string, (api: ApiClient) => Promise<void> | void> = {
  "src/docs/moving-in.md": () => {
    const file = exportFile("bitly", 3, "moved").replaceAll("go.example.com", `localhost:${server.port}`);
    writeFileSync(join(checkout.folder, "links.csv"), file);
    writeFileSync(join(checkout.folder, "links.json"), exportFile("sink", 2, "earlier"));
    writeFileSync(join(checkout.folder, "clicks.json"), clickFile("sink", "earlier", [2, 3]));
  },
  // Changes of its plan: the link with one country fewer in its rule, and two clicks.
  "src/docs/links-as-code.md": async (api) => {
    const { code = "" } = EXAMPLES.find(({ language }) => language === "yaml") ?? {};
    const { managed_by, links } = parse(code);
    const [{ tags, routing, ...spring }] = links;
    const before = { tags: [...tags, managed_by], routing: [{ ...routing[0], if: { country: "DE" } }] };
    const { short_url } = await api.createLink({ ...spring, ...before });
    for (const country of ["AT", "FR"]) {
      await fetch(short_url, { redirect: "manual", headers: { "X-Visitor-Country": country } });
    }
  },
};

/** Environment of a reader who has signed in and can install the command. */
function shellOf(key: string): Record<string, string> {
  const shell = hoplink.shellEnvironment();
  const globally = join(checkout.folder, "global");
  return {
    ...shell,
    PATH: `${join(globally, "bin")}:${shell.PATH}`,
    npm_config_prefix: globally,
    npm_config_offline: "true",
    KEY: key,
    HOPLINK_URL: server.base,
    HOPLINK_API_KEY: key,
    OPERATOR_TOKEN: operatorToken,
  };
}

/** The example with local addresses instead of those of the guides. */
function here({ code, answer, ...example }: Example): Example {
  const own = (text: string) =>
    text
      .replaceAll("localhost:8787", `localhost:${server.port}`)
      .replaceAll(/https:\/\/hop\.example(?:\.com)?(?![\w.])/g, server.base)
      .replaceAll("go.example.com", `localhost:${server.port}`)
      .replaceAll("PATH_OF_THE_CHECKOUT", checkout.folder);
  return { ...example, code: own(code), answer: answer && own(answer) };
}

function run(command: string): string {
  return execFileSync("bash", ["-c", command], { encoding: "utf8" });
}

test.skipIf(!curl.isThere)(`the curl line that the server prints creates a link${curl.missing}`, () => {
  const line = server.output.split("\n").find((text) => text.trim().startsWith("curl"));
  expect(JSON.parse(run(line ?? ""))).toMatchObject({ url: "https://example.com/", routing: [] });
});

test.skipIf(!curl.isThere)(
  `a test key creates links on the test domain, which redirect only by that host${curl.missing}`,
  () => {
    const { test: key } = server.accounts.Premium;
    const make = `curl -s ${server.base}/v1/links -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d '{"url":"https://example.com/t","slug":"trial"}'`;
    expect(JSON.parse(run(make))).toMatchObject({ short_url: `http://test.localhost:${server.port}/trial` });
    const visit = (host: string) =>
      run(
        `curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:${server.port}/trial -H 'Host: ${host}:${server.port}'`,
      );
    expect([visit("test.localhost"), visit("localhost")]).toEqual(["302", "404"]);
  },
);

test("visits leave only their clicks in storage: no trace of each request", () => {
  expect(readdirSync(join(server.folder, "v3"))).toContain("d1");
  expect(readdirSync(join(server.folder, "v3"))).not.toContain("observability");
});

test("a port that is taken is reported immediately, and the server that has it keeps running", async () => {
  const env = { ...process.env, PORT: String(server.port) };
  const second = spawnSync(process.execPath, ["src/cli/dev.ts"], { cwd: ROOT, env, encoding: "utf8" });
  expect([second.status, second.stdout]).toEqual([1, ""]);
  expect(second.stderr).toContain(`Port ${server.port} is in use.`);
  expect((await fetch(`${server.base}/health`)).status).toBe(200);
});

test.skipIf(!ps.isThere)(
  `Ctrl-C leaves nothing running, and the next start offers the same keys${ps.missing}`,
  async () => {
    const keys = [server.accounts.Premium, server.accounts.Free];
    const children = execFileSync("ps", ["-eo", "pid,pgid,args"], { encoding: "utf8" })
      .split("\n")
      .filter((line) => line.includes(server.folder));
    expect(children.length).toBeGreaterThan(0);
    expect(await server.stop()).toBe(0);
    await expect(fetch(`${server.base}/health`)).rejects.toThrow();
    expect(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })).not.toContain(server.folder);
    server = await startDevServer({}, server.folder);
    expect([server.accounts.Premium, server.accounts.Free]).toEqual(keys);
  },
);

test("killed abruptly, it leaves nothing on its port", async () => {
  server.kill();
  const isServed = () => fetch(`${server.base}/health`).then(Boolean, () => false);
  await expect.poll(isServed, { timeout: 30_000 }).toBe(false);
});
