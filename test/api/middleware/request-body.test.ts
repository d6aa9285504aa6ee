/** How request bodies are read: names that objects would lose, depth, and gzip. */
import { exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import { CreateKey } from "../../../src/core/contract/dashboard.ts";
import { Link } from "../../../src/core/contract/links.ts";
import { type ApiResponse, errorOf, readResponse } from "../../support/api-response.ts";
import { PAYLOAD_TOO_LARGE, validationFailed } from "../../support/expected-errors.ts";
import { BASE_URL, premiumAccount, type TestAccount, visit } from "../../support/test-accounts.ts";

const URL = "https://example.com/";
const WON = "https://example.com/won";
const BODY_MAX_BYTES = 262_144;

function rule(query: string): string {
  return `{"url":"${URL}","routing":[{"if":{"query":${query}},"to":"${WON}"}]}`;
}

function badName(path: string): [string, string, string] {
  return [path, "invalid_key", "has a name that is not allowed"];
}

test("the longest lists that a body can hold are refused, without a problem for each item", async () => {
  const ann = await premiumAccount();
  const link = await ann.createLink();
  const many = `[${"1,".repeat(130_000)}1]`;
  const resolved = await ann.call("POST", `/v1/links/${link.id}/resolve`, `{"query":{"a":${many}}}`);
  expect(errorOf(resolved)).toMatchObject({ status: 422, param: "query.a" });
  const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"try_visitor","arguments":{"link":"${link.id}","routing":${many}}}}`;
  const tried = await ann.call("POST", "/mcp", call, { Accept: "application/json, text/event-stream" });
  expect(JSON.stringify(tried.body)).not.toContain("internal_error");
  const key = { name: "many", mode: "live", scopes: Array(130_000).fill(1) };
  expect(CreateKey.safeParse(key).error?.issues.length).toBe(1);
});

describe("names that objects would lose", () => {
  const AT = "routing.0.if.query.__proto__";

  test.each([
    ["POST", "/v1/links", rule('{"__proto__":"x","a":true}'), AT],
    ["POST", "/v1/links", rule('{"a":true,"\\u005f_proto__":true}'), AT],
    ["PATCH", "/v1/links/:id", rule('{"__proto__":"x","a":["1"]}'), AT],
    ["POST", "/v1/links/bulk", `{"links":[${rule('{"__proto__":"x","a":true}')}]}`, `links.0.${AT}`],
    ["POST", "/v1/links/:id/resolve", '{"query":{"__proto__":"x"}}', "query.__proto__"],
  ])("__proto__ is refused: %s %s %s", async (method, path, body, problem) => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const reply = await ann.call(method, path.replace(":id", link.id), body);
    expect(errorOf(reply)).toMatchObject({ status: 422, param: problem });
    expect(errorOf(reply).errors).toContainEqual(validationFailed(badName(problem)).errors[0]);
    expect(await linksOf(ann)).toEqual([link]);
  });

  test("__proto__ next to known fields is an unknown field, reported once", async () => {
    const ann = await premiumAccount();
    expect(errorOf(await ann.call("POST", "/v1/links", `{"url":"${URL}","__proto__":{"slug":"x"}}`))).toEqual(
      validationFailed(["__proto__", "unknown_field", "is unknown"]),
    );
  });

  test.each([
    "/v1/links?__proto__=x",
    "/v1/links?__proto__[limit]=1",
    "/v1/links?constructor=1&limit=5",
    "/v1/links?title=x",
  ])("an unknown parameter is reported: %s", async (path) => {
    const ann = await premiumAccount();
    const [, name = ""] = /\?([^=]*)/.exec(path) ?? [];
    expect(errorOf(await ann.call("GET", path))).toEqual(validationFailed([name, "unknown_field", "is unknown"]));
  });

  test("members of the same resource are read-only, those of others unknown", async () => {
    const ann = await premiumAccount();
    const body = { domain: "read-only.example", status: "active", slug: "x" };
    expect(errorOf(await ann.call("POST", "/v1/domains", body))).toEqual(
      validationFailed(
        ["status", "immutable_field", "is set by the service and cannot be changed"],
        ["slug", "unknown_field", "is unknown"],
      ),
    );
    const link = await ann.createLink();
    expect(errorOf(await ann.call("POST", `/v1/links/${link.id}/resolve`, { url: URL }))).toEqual(
      validationFailed(["url", "unknown_field", "is unknown"]),
    );
  });

  test("a name given twice is refused with its path", async () => {
    const ann = await premiumAccount();
    const repeated = (path: string) => validationFailed([path, "repeated", "must be given once"]);
    expect(errorOf(await ann.call("POST", "/v1/links", `{"url":"${URL}","url":"${WON}"}`))).toEqual(repeated("url"));
    expect(errorOf(await ann.call("POST", "/v1/links", rule('{"a":"1","a":"2"}')))).toEqual(
      repeated("routing.0.if.query.a"),
    );
    expect(await linksOf(ann)).toEqual([]);
  });

  test.each(["constructor", "prototype", "toString", "hasOwnProperty", "__defineGetter__"])(
    "the parameter %s is kept: in the link, for visits, dry runs, the rule's text and the statistics",
    async (name) => {
      const ann = await premiumAccount();
      const made = await ann.call("POST", "/v1/links", rule(`{"${name}":"x","a":true}`));
      expect(made.status).toBe(201);
      const link = Link.parse(made.body);
      expect(link.routing).toEqual([{ if: { query: { [name]: "x", a: true } }, to: WON }]);
      expect((await visit(link.short_url, { search: "?a=1" })).headers.get("Location")).toBe(URL);
      expect((await visit(link.short_url, { search: `?a=1&${name}=x` })).headers.get("Location")).toBe(WON);
      const tried = await ann.call("POST", `/v1/links/${link.id}/resolve`, { query: { [name]: "x", a: "" } });
      const text = `query(${["a", `${name}=x`].sort().join("&")})`;
      expect(tried.body).toMatchObject({ url: WON, rule: text });
      const { buckets } = await ann.statsAfter(2, link, { group_by: "rule" });
      expect(buckets).toContainEqual({ key: text, clicks: 1 });
    },
  );
});

describe("depth", () => {
  test("a body nested too deeply is refused before it is read", async () => {
    const ann = await premiumAccount();
    for (const depth of [33, 100_000]) {
      const body = `{"url":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
      expect(errorOf(await ann.call("POST", "/v1/links", body, { "Idempotency-Key": "deep" }))).toEqual({
        status: 400,
        code: "invalid_json",
        message: "The body is nested too deeply. Use at most 32 levels.",
      });
    }
  });
});

describe("Content-Encoding", () => {
  test.each(["gzip", "GZIP", "x-gzip", " identity , gzip "])("%s is decoded", async (encoding) => {
    const ann = await premiumAccount();
    const reply = await sendBytes(ann, await gzip(JSON.stringify({ url: WON })), encoding);
    expect([reply.status, Link.parse(reply.body).url]).toEqual([201, WON]);
  });

  test.each(["", "identity", "identity,identity"])("%j means no encoding", async (encoding) => {
    const ann = await premiumAccount();
    expect((await sendBytes(ann, bytesOf(JSON.stringify({ url: WON })), encoding)).status).toBe(201);
  });

  test.each(["br", "deflate", "zstd", "gzip, gzip", "gzip, br", "x".repeat(200)])(
    "%s answers 415",
    async (encoding) => {
      const ann = await premiumAccount();
      const reply = await sendBytes(ann, await gzip("{}"), encoding);
      expect(errorOf(reply)).toEqual({
        status: 415,
        code: "unsupported_media_type",
        message: "This Content-Encoding is not supported. Use gzip, or omit it.",
        param: "Content-Encoding",
      });
      expect(reply.headers.get("Accept-Encoding")).toBe("gzip");
    },
  );

  test("the limit applies to decoded bytes: the maximum passes, one byte more does not", async () => {
    const ann = await premiumAccount();
    const body = (bytes: number) => `{"url":"${URL}"}`.padEnd(bytes, " ");
    expect((await sendBytes(ann, await gzip(body(BODY_MAX_BYTES)), "gzip")).status).toBe(201);
    expect(errorOf(await sendBytes(ann, await gzip(body(BODY_MAX_BYTES + 1)), "gzip"))).toEqual(PAYLOAD_TOO_LARGE);
  });

  test("a gzip bomb is not decoded beyond the limit", async () => {
    const ann = await premiumAccount();
    const decoded = countDecodedBytes();
    const bomb = await gzip(new Uint8Array(100 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(BODY_MAX_BYTES);
    expect(errorOf(await sendBytes(ann, bomb, "gzip"))).toEqual(PAYLOAD_TOO_LARGE);
    expect(decoded.stop().compressed).toBeLessThanOrEqual(8_192);
  });

  test.each([
    ["plain text", async () => bytesOf('{"url":"https://example.com/"}')],
    ["nothing", async () => new Uint8Array()],
    ["half of it", async () => (await gzip(JSON.stringify({ url: WON }))).slice(0, 30)],
    ["bytes after it", async () => Uint8Array.from([...(await gzip("{}")), 1, 2, 3])],
  ])("gzip that is %s answers 400", async (_, body) => {
    const ann = await premiumAccount();
    expect(errorOf(await sendBytes(ann, await body(), "gzip"))).toEqual({
      status: 400,
      code: "invalid_json",
      message: "The body is not valid gzip.",
    });
  });

  test("random text of 250,000 characters arrives complete", async () => {
    const ann = await premiumAccount();
    const random = crypto.getRandomValues(new Uint8Array(60_000));
    const title = [...random].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const reply = await sendBytes(ann, await gzip(JSON.stringify({ url: WON, [title]: title })), "gzip");
    expect(errorOf(reply).errors?.[0]?.path).toBe(`${title.slice(0, 200)}…`);
  });
});

async function linksOf(actor: TestAccount): Promise<unknown> {
  return ((await actor.call("GET", "/v1/links")).body as { data: unknown }).data;
}

async function sendBytes(
  actor: TestAccount,
  body: Uint8Array<ArrayBuffer>,
  contentEncoding: string,
): Promise<ApiResponse> {
  const headers = {
    Authorization: `Bearer ${actor.key}`,
    "Content-Type": "application/json",
    "Content-Encoding": contentEncoding,
  };
  return readResponse(await exports.default.fetch(`${BASE_URL}/v1/links`, { method: "POST", headers, body }));
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new TextEncoder().encode(text));
}

async function gzip(content: string | Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const zipped = new Blob([content]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(zipped).arrayBuffer());
}

/** Counts the bytes written to decompression streams until `stop`. */
function countDecodedBytes() {
  const counted = { compressed: 0 };
  const { write } = WritableStreamDefaultWriter.prototype;
  WritableStreamDefaultWriter.prototype.write = function (chunk: ArrayBuffer) {
    counted.compressed += chunk.byteLength;
    return write.call(this, chunk);
  };
  return {
    stop: () => {
      WritableStreamDefaultWriter.prototype.write = write;
      return counted;
    },
  };
}
