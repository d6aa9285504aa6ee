/** Renders a request as a module in TypeScript with the package `hoplink`, with the key in the environment's `KEY`. */
import type { Queries } from "../../../client/api-types.ts";
import { SAMPLE_ORIGIN } from "../../../core/deployment/sample-host.ts";
import type { SampleRequest } from "./sample-request.ts";

/** The client's method of each operation. */
const METHODS: Readonly<Record<keyof Queries, string>> = {
  createLink: "links.create",
  listLinks: "links.list",
  createLinks: "links.createMany",
  updateLinks: "links.updateMany",
  deleteLinks: "links.deleteMany",
  getLink: "links.get",
  updateLink: "links.update",
  deleteLink: "links.delete",
  listLinkRevisions: "links.revisions",
  restoreLinkRevision: "links.restore",
  resolveLink: "links.resolve",
  backtestLink: "links.backtest",
  getLinkStats: "links.stats",
  listClicks: "links.clicks",
  getAccountStats: "stats",
  listAccountClicks: "clicks.list",
  listTags: "tags.list",
  createQrCode: "qrCodes.create",
  listQrCodes: "qrCodes.list",
  getQrCode: "qrCodes.get",
  streamEvents: "events.stream",
  createDomain: "domains.create",
  listDomains: "domains.list",
  getDomain: "domains.get",
  updateDomain: "domains.update",
  deleteDomain: "domains.delete",
  getMe: "me",
};

/** Of an object or a list on one line, behind the name of a method. */
const LITERAL_MAX_CHARS = 60;

export function typescriptSample(request: SampleRequest): string {
  return [
    'import { Hoplink } from "hoplink";',
    "",
    'const { KEY = "" } = process.env;',
    `const hoplink = new Hoplink({ apiKey: KEY, baseUrl: "${SAMPLE_ORIGIN}" });`,
    "",
    ...use(request),
  ].join("\n");
}

function use(request: SampleRequest): string[] {
  const call = callOf(request);
  if (request.answer === "none") return [`await ${call};`];
  if (request.answer === "stream") return forEach("event", call);
  if (request.operationId.startsWith("list")) return forEach("item", call);
  return [`const answer = await ${call};`, "console.log(answer);"];
}

function forEach(item: string, call: string): string[] {
  return [`for await (const ${item} of ${call}) {`, `  console.log(${item});`, "}"];
}

function callOf({ operationId, pathValues, query, body }: SampleRequest): string {
  const values = pathValues.map((value) => (/^\d+$/.test(value) ? Number(value) : value));
  const more = isEmpty(body) ? query : content(body);
  const args = [...values, ...(isEmpty(more) ? [] : [more])].map((value) => literal(value, ""));
  return `hoplink.${methodOf(operationId)}(${args.join(", ")})`;
}

function methodOf(operationId: string): string {
  const method = Object.entries(METHODS).find(([id]) => id === operationId)?.[1];
  if (method === undefined) throw new Error(`${operationId} has no method in the client`);
  return method;
}

/** The client takes the links of a bulk request as they are. */
function content(body: unknown): unknown {
  return body instanceof Object && "links" in body ? body.links : body;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (value instanceof Object && Object.keys(value).length === 0);
}

/** On one line where that is short. */
function literal(value: unknown, indent: string): string {
  if (!(value instanceof Object)) return JSON.stringify(value);
  const inner = `${indent}  `;
  const parts = (indentation: string) =>
    Array.isArray(value)
      ? value.map((item) => literal(item, indentation))
      : Object.entries(value).map(([name, item]) => `${memberName(name)}: ${literal(item, indentation)}`);
  const [open, close, gap] = Array.isArray(value) ? ["[", "]", ""] : ["{", "}", " "];
  const line = `${open}${gap}${parts(inner).join(", ")}${gap}${close}`;
  if (line.length <= LITERAL_MAX_CHARS && !line.includes("\n")) return line;
  return [open, ...parts(inner).map((part) => `${inner}${part},`), `${indent}${close}`].join("\n");
}

function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
