/**
 * The samples of the API reference, each run as a reader would paste it, against the whole server: through an edge that
 * refuses programs by their `User-Agent`, as zones at Cloudflare do.
 */
import { execFile, spawn, type SpawnOptionsWithoutStdio } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, request as requestOf } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openApiDocument } from "../../src/api/openapi/openapi.ts";
import { v1Routes } from "../../src/api/urls.ts";
import { buildClient } from "../../src/cli/build-client.ts";
import { operationsOf } from "../../src/cli/docs/reference.ts";
import { LANGUAGES, sampleRequest, type SampleRequest } from "../../src/cli/docs/samples.ts";
import { Domain } from "../../src/core/contract/domains.ts";
import { QrCode } from "../../src/core/contract/qr-codes.ts";
import { withOwnHost } from "../../src/core/deployment/sample-host.ts";
import { ApiClient } from "../support/api-client.ts";
import { BROWSER_CHECK } from "../support/cloudflare/zones.ts";
import type { DevServer } from "../support/dev-server.ts";
import { listenOnFreePort } from "../support/ports.ts";
import { program } from "../support/programs.ts";
import { RED_PNG } from "../support/sample-images.ts";
import { IPHONE_SAFARI } from "../support/sample-user-agents.ts";
import { sharedServer } from "../support/shared-server.ts";

/** The program that runs samples under a label, with its arguments before the sample. */
const COMMANDS: Record<string, [string, ...string[]]> = {
  curl: ["bash", "-c"],
  CLI: ["bash", "-c"],
  TypeScript: [process.execPath, "--input-type=module-typescript", "-e"],
  Python: ["python3", "-c"],
};

/** Marks in the output of a program that runs several samples: the end of each, and an error that it throws. */
const [ENDED, THROWN] = ["--- ended ---", "--- thrown ---"];

/** Arguments with which a program runs samples in the files that follow, one after the other. */
const ALL_IN_ONE: Record<string, string[]> = {
  TypeScript: [
    "--input-type=module",
    "-e",
    `for (const file of process.argv.slice(1)) {
  await import(file).catch((error) => console.log("${THROWN}", error));
  console.log("${ENDED}");
}`,
  ],
  Python: [
    "-c",
    `import sys
import traceback

for file in sys.argv[1:]:
    try:
        exec(compile(open(file).read(), file, "exec"), {"__name__": "__main__"})
    except BaseException:
        print("${THROWN}", traceback.format_exc())
    print("${ENDED}")`,
  ],
};

/** Programs other than Node that the samples need. */
const NEEDED: Record<string, string> = { curl: "curl", Python: "python3" };

/** Interval of visits while a sample follows the live stream. */
const VISIT_INTERVAL_MS = 250;

const document = openApiDocument(v1Routes);
const operations = operationsOf(document).map((operation) => ({
  id: operation.operationId,
  request: sampleRequest(operation),
}));

/** Folder in which the samples run, with the package `hoplink` installed. */
const folder = mkdtempSync(join(tmpdir(), "hoplink-samples-"));

const edge = createServer((request, response) => {
  if (BROWSER_CHECK.refused.test(request.headers["user-agent"] ?? "")) {
    response.writeHead(403).end(BROWSER_CHECK.text);
    return;
  }
  const { method, url = "" } = request;
  const headers = { ...request.headers, host: new URL(server.base).host };
  const passed = requestOf(server.base + url, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    answer.pipe(response);
  });
  passed.once("error", () => response.destroy());
  response.once("close", () => passed.destroy());
  request.pipe(passed);
});

let server: DevServer;
/** The server's address behind the edge. */
let base: string;
let client: ApiClient;
let names = 0;

beforeAll(async () => {
  await buildClient(join(folder, "node_modules/hoplink"));
  mkdirSync(join(folder, "node_modules/.bin"));
  symlinkSync("../hoplink/cli.js", join(folder, "node_modules/.bin/hoplink"));
  writeFileSync(join(folder, "card.png"), RED_PNG);
  server = await sharedServer();
  base = `http://localhost:${await listenOnFreePort(edge)}`;
  client = new ApiClient(server.base, server.accounts.Premium.live);
});

afterAll(async () => {
  edge.closeAllConnections();
  edge.close();
  rmSync(folder, { recursive: true });
});

describe.each(LANGUAGES)("the samples in $label", ({ label, sample }) => {
  const [command = "", ...args] = COMMANDS[label] ?? [];
  const { isThere, missing } = program(NEEDED[label] ?? "node");
  const options = () => ({ cwd: folder, env: environment() });
  const rendered = operations.filter(({ request }) => sample(request) !== null);
  const codeOf = async (request: SampleRequest) => withOwnHost((await sample(await withRealIds(request))) ?? "", base);
  const run = async (given: readonly string[]) => {
    const running = promisify(execFile)(command, given, options()) as Promise<Failure>;
    const { code: exitCode = 0, stdout, stderr } = await running.catch((error: Failure) => error);
    expect(exitCode, stdout + stderr).toBe(0);
    return stdout + stderr;
  };
  const allInOne = ALL_IN_ONE[label];
  /** Output of each sample, by its operation, where one process runs all of them. */
  const printed = new Map<string, string>();

  beforeAll(async () => {
    if (!isThere || !allInOne) return;
    const ending = rendered.filter(({ request }) => request.answer !== "stream");
    const files: string[] = [];
    for (const { id, request } of ending) {
      files.push(join(folder, `${id}.${label === "Python" ? "py" : "mts"}`));
      writeFileSync(files.at(-1) ?? "", await codeOf(request));
    }
    const outputs = (await run([...allInOne, ...files])).split(ENDED);
    for (const [i, { id }] of ending.entries()) printed.set(id, outputs[i] ?? THROWN);
  });

  test.skipIf(!isThere).each(rendered)(`$id is done${missing}`, async ({ id, request }) => {
    if (request.answer === "stream") return expectStream(command, [...args, await codeOf(request)], options());
    const output = allInOne ? printed.get(id) : await run([...args, await codeOf(request)]);
    // curl exits successfully whatever the answer was.
    expect(output).not.toMatch(/"error":\{"code"|error code/);
    expect(output).not.toContain(THROWN);
  });
});

/** Environment in which `hoplink` is found, as where the package is installed. */
function environment(): NodeJS.ProcessEnv {
  const own = { KEY: client.key, HOPLINK_API_KEY: client.key, HOPLINK_URL: base, PYTHONUNBUFFERED: "1" };
  return { ...process.env, ...own, PATH: `${join(folder, "node_modules/.bin")}:${process.env.PATH}` };
}

interface Failure {
  code?: number;
  stdout: string;
  stderr: string;
}

/** The sample with existing links, codes and domains in place of those of the examples, and with free names. */
async function withRealIds(request: SampleRequest): Promise<SampleRequest> {
  let text = JSON.stringify(request);
  for (const [example, make] of Object.entries(TARGETS)) {
    if (text.includes(example)) text = text.replaceAll(example, await make());
  }
  const suffix = `-${++names}`;
  text = text
    .replaceAll("go.example.com", `go${suffix}.example.com`)
    .replaceAll(/"slug":"(\w+)"/g, `"slug":"$1${suffix}"`);
  return JSON.parse(text) as SampleRequest;
}

/** Targets by the ids of the examples. Each sample gets new ones, since some samples delete theirs. */
const TARGETS: Record<string, () => Promise<string>> = {
  // It has the revision that the examples name.
  lnk_01kajm2t4g8q5v7w9x3y6z1a2b: async () => {
    const { id } = await client.createLink();
    for (const title of ["a", "b"]) await client.call("PATCH", `/v1/links/${id}`, { title });
    return id;
  },
  lnk_01kajm2t4g8q5v7w9x3y6z1a2c: async () => (await client.createLink()).id,
  qr_01kajm2t4g8q5v7w9x3y6z1a2b: async () => {
    const { id } = await client.createLink();
    return QrCode.parse(await client.call("POST", "/v1/qr", { link_id: id })).id;
  },
  dom_01kajm2t4g8q5v7w9x3y6z1a2b: async () => {
    const domain = `a${crypto.randomUUID().slice(0, 8)}.example`;
    return Domain.parse(await client.call("POST", "/v1/domains", { domain })).id;
  },
};

/** Ends the sample once it has printed the stream's first event, or the first click if it prints only clicks. */
async function expectStream(command: string, args: string[], options: SpawnOptionsWithoutStdio): Promise<void> {
  const { slug, short_url } = await client.createLink();
  const asPhone = { redirect: "manual", headers: { "User-Agent": IPHONE_SAFARI } } as const;
  const visits = setInterval(() => void fetch(short_url, asPhone).catch(() => {}), VISIT_INTERVAL_MS);
  const child = spawn(command, args, options);
  let printed = "";
  try {
    await new Promise<void>((done, fail) => {
      const read = (chunk: Buffer) => {
        printed += String(chunk);
        if (/\bready\b/.test(printed) || printed.includes(slug)) done();
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.once("exit", (code) => fail(new Error(`ended with ${code}:\n${printed}`)));
    });
  } finally {
    clearInterval(visits);
    child.kill("SIGKILL");
  }
}
