/** The samples of an operation, from the examples in the OpenAPI document. The key is in the variable `KEY`. */
import { html } from "hono/html";
import { format } from "oxfmt";

import { FILE_TYPE, type Operation, type Parameter } from "../../api/openapi/openapi-document.ts";
import { SAMPLE_ORIGIN } from "../../core/deployment/sample-host.ts";
import { highlighted } from "./markdown.ts";

export interface PathOperation extends Operation {
  /** In capitals. */
  method: string;
  path: string;
  parameters: Parameter[];
}

/** The request that a sample sends. */
export interface SampleRequest {
  operationId: string;
  method: string;
  url: string;
  /** The values of the path's parameters in `url`, in order. */
  pathValues: string[];
  /** The query in `url`. */
  query: Record<string, unknown>;
  /** Parsed JSON; undefined without a body. */
  body: unknown;
  /** The name of a file that is sent instead of JSON. */
  file?: string;
  answer: "json" | "stream" | "none";
}

/** @returns null if the operation has no sample */
type Render = (request: SampleRequest) => string | null | Promise<string>;

/** Ordered as the page shows them. @internal */
export const LANGUAGES: readonly { name: string; label: string; sample: Render }[] = [
  { name: "bash", label: "curl", sample: curlSample },
  { name: "typescript", label: "TypeScript", sample: typescriptSample },
  { name: "bash", label: "CLI", sample: commandLineSample },
  { name: "python", label: "Python", sample: pythonSample },
];

/** All samples, from which the reader chooses one by its label. */
export async function samples(operation: PathOperation): Promise<string> {
  const { operationId: id } = operation;
  const request = sampleRequest(operation);
  const parts = LANGUAGES.map(async ({ name, label, sample }, index) => {
    const code = await sample(request);
    const input = html`<input type="radio" name="${id}" value="${label}" ${index === 0 && "checked"} />`;
    return (
      code &&
      html`<label>${input}${label}</label>
        <pre><code>${highlighted(code, name)}</code></pre>`
    );
  });
  return String(html`<div class="samples" role="radiogroup" aria-label="Language" data-operation="${id}">
    ${await Promise.all(parts)}
  </div>`);
}

export function sampleRequest(operation: PathOperation): SampleRequest {
  const { operationId, method, path, parameters, requestBody, responses } = operation;
  const examples = (place: Parameter["in"]) =>
    Object.fromEntries(
      parameters.flatMap(({ in: at, name, example }) =>
        at === place && example !== undefined ? [[name, example]] : [],
      ),
    );
  const inPath = examples("path");
  const query = examples("query");
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(inPath[name])));
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  const types = Object.keys(success?.content ?? {});
  return {
    operationId,
    method,
    url: SAMPLE_ORIGIN + filled + (search.size > 0 ? `?${search}` : ""),
    pathValues: Object.values(inPath).map(String),
    query,
    body: requestBody?.content["application/json"]?.example,
    ...(requestBody?.content[FILE_TYPE] && { file: "card.png" }),
    answer: types.length === 0 ? "none" : types.includes("text/event-stream") ? "stream" : "json",
  };
}

export function curlSample({ method, url, body, file, answer }: SampleRequest): string {
  return [
    `curl ${answer === "stream" ? "-N" : "-s"}${method === "GET" ? "" : ` -X ${method}`} "${url}"`,
    '-H "Authorization: Bearer $KEY"',
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${shellQuoted(body)}`]),
    ...(file === undefined ? [] : [`--data-binary @${file}`]),
  ].join(" \\\n  ");
}

function shellQuoted(value: unknown): string {
  return `'${JSON.stringify(value).replaceAll("'", String.raw`'\''`)}'`;
}

/** Methods of the client that are not named after their operation, as `links.create` is after `createLink`. */
const METHODS: Readonly<Record<string, string>> = {
  listLinkRevisions: "links.revisions",
  restoreLinkRevision: "links.restore",
  uploadSocialImage: "links.uploadSocialImage",
  getLinkStats: "links.stats",
  listClicks: "links.clicks",
  getAccountStats: "stats",
  listAccountClicks: "clicks.list",
  importClicks: "imports.addClicks",
  getImport: "imports.links",
  getMe: "me",
};

function methodOf(operationId: string): string {
  const [, verb = "", first = "", noun = "", plural] = /^([a-z]+)([A-Z])(\w+?)(s?)$/.exec(operationId) ?? [];
  const isMany = plural && ["create", "update", "delete"].includes(verb);
  return METHODS[operationId] ?? `${first.toLowerCase()}${noun}s.${verb}${isMany ? "Many" : ""}`;
}

/** With the package `hoplink`. */
export async function typescriptSample({ operationId, pathValues, query, body, file, answer }: SampleRequest) {
  // For a bulk request, the client accepts the links directly.
  const content = body instanceof Object && "links" in body ? body.links : (body ?? query);
  const values = pathValues.map((value) => (/^\d+$/.test(value) ? Number(value) : value));
  const args = Object.keys(content ?? {}).length > 0 ? [...values, content] : values;
  const texts = args.map((value) => JSON.stringify(value));
  if (file !== undefined) texts.push(`await readFile("${file}")`);
  const call = `hoplink.${methodOf(operationId)}(${texts.join(", ")})`;
  const item = answer === "stream" ? "event" : operationId.startsWith("list") && "item";
  const use = item
    ? `for await (const ${item} of ${call}) { console.log(${item}); }`
    : answer === "none"
      ? `await ${call};`
      : `const answer = await ${call};\nconsole.log(answer);`;
  const opening = `${file === undefined ? "" : 'import { readFile } from "node:fs/promises";\n'}import { Hoplink } from "hoplink";

const { KEY = "" } = process.env;
const hoplink = new Hoplink({ apiKey: KEY, baseUrl: "${SAMPLE_ORIGIN}" });`;
  const { code } = await format("sample.ts", `${opening}\n\n${use}`, { printWidth: 80 });
  return code.trim();
}

/** The command of an operation. The others have none. */
const COMMANDS: Readonly<Record<string, (request: SampleRequest) => string>> = {
  createLink: ({ body }) => {
    const { url, ...more } = members(body);
    return command("links create", [String(url)], more);
  },
  listLinks: ({ query }) => command("links list", [], query),
  getLink: ({ pathValues }) => command("links get", pathValues),
  updateLink: (request) => withRules("links update", request),
  deleteLink: ({ pathValues }) => `${command("links delete", pathValues)} --yes`,
  uploadSocialImage: ({ pathValues, file = "" }) => command("links upload-image", [...pathValues, file]),
  backtestLink: (request) => withRules("backtest", request),
  getLinkStats: ({ pathValues, query }) => command("stats", pathValues, query),
  getAccountStats: ({ query }) => command("stats", [], query),
  // An export reads page after page automatically.
  listClicks: ({ pathValues, query }) => command("export", pathValues, { ...query, after: undefined }),
  listAccountClicks: ({ query }) => command("export", [], { ...query, after: undefined }),
  streamEvents: () => "hoplink tail",
  getMe: () => "hoplink whoami",
};

/** With the key from `hoplink login`. @internal */
export function commandLineSample(request: SampleRequest): string | null {
  return COMMANDS[request.operationId]?.(request) ?? null;
}

/** Rules are read from a file, or here from stdin. */
function withRules(name: string, { pathValues, body }: SampleRequest): string {
  const { routing, ...more } = members(body);
  const line = command(name, pathValues, more);
  return routing === undefined ? line : `echo ${shellQuoted(routing)} |\n  ${line} --routing -`;
}

function members(body: unknown): Record<string, unknown> {
  return { ...(body as object) };
}

function command(name: string, words: readonly string[], options: Record<string, unknown> = {}): string {
  const pairs = Object.entries(options).flatMap(([member, value]) =>
    value === undefined ? [] : [`--${member.replaceAll("_", "-")} ${String(value)}`],
  );
  return ["hoplink", name, ...words, ...pairs].join(" ");
}

/**
 * Python 3 without packages. It sets a user agent, because zones at Cloudflare refuse `Python-urllib` unless their
 * owner has changed a setting (src/docs/deploy.md).
 */
export function pythonSample({ method, url, body, file, answer }: SampleRequest): string {
  const hasJson = answer === "json" || body !== undefined;
  const reading = {
    none: "    print(response.status)",
    json: "    print(json.load(response))",
    stream: '    for line in response:\n        print(line.decode(), end="")',
  };
  return `${hasJson ? "import json\n" : ""}import os
import urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},${method === "GET" ? "" : `\n    method="${method}",`}
    headers={
        "Authorization": f"Bearer {os.environ['KEY']}",
        "User-Agent": "my-program/1.0",${body === undefined ? "" : '\n        "Content-Type": "application/json",'}
    },${body === undefined ? "" : `\n    data=json.dumps(${pythonLiteral(body)}).encode(),`}${file === undefined ? "" : `\n    data=open("${file}", "rb").read(),`}
)
with urllib.request.urlopen(request) as response:
${reading[answer]}`;
}

const PYTHON_WORDS: Readonly<Record<string, string>> = { true: "True", false: "False", null: "None" };

/** JSON is valid Python except for three words. */
function pythonLiteral(value: unknown): string {
  return JSON.stringify(value, null, 4)
    .replaceAll(/"(?:[^"\\]|\\.)*"|true|false|null/g, (token) => PYTHON_WORDS[token] ?? token)
    .replaceAll("\n", "\n    ");
}
