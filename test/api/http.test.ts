/** HTTP features beyond the bodies: ETags, Location, pages, limits, origins, problems. */
import { env } from "cloudflare:workers";
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";

import { EXPOSED_HEADERS } from "../../src/api/middleware/cors.ts";
import { openApiDocument } from "../../src/api/openapi/openapi.ts";
import { v1Routes } from "../../src/api/urls.ts";
import { ProblemBody } from "../../src/core/contract/errors.ts";
import { ERRORS } from "../../src/core/errors.ts";
import worker from "../../src/worker.ts";
import { type ApiResponse, errorOf } from "../support/api-response.ts";
import { preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS, signedUp } from "../support/browser-session.ts";
import { LINK_NOT_FOUND } from "../support/expected-errors.ts";
import { namedRoutes, ROUTES } from "../support/routes.ts";
import { BASE_URL, freeAccount, premiumAccount, send, type TestAccount } from "../support/test-accounts.ts";

beforeAll(preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS);

const openApi = openApiDocument(v1Routes);
const URL_ONLY = { url: "https://example.com/" };

describe("15 If-None-Match", () => {
  test("with the link's tag answers 304 without a body, for GET and HEAD; with another tag it returns the link", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const path = `/v1/links/${link.id}`;
    for (const tag of ['"1"', 'W/"1"', '"0", "1"', "*"]) {
      for (const method of ["GET", "HEAD"]) {
        const reply = await ann.call(method, path, undefined, { "If-None-Match": tag });
        expect([reply.status, reply.body, reply.headers.get("ETag")]).toEqual([304, "", '"1"']);
        expect(reply.headers.get("Content-Type")).toBeNull();
        expect(reply.headers.get("Cache-Control")).toBe("no-store");
        expect(reply.headers.get("Access-Control-Allow-Origin")).toBe("*");
      }
    }
    await ann.updateLink(link, { url: "https://example.org/" });
    const changed = await ann.call("GET", path, undefined, { "If-None-Match": '"1"' });
    expect([changed.status, changed.headers.get("ETag")]).toEqual([200, '"2"']);
  });

  test("is evaluated after existence, and has no effect on writes", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const headers = { "If-None-Match": "*" };
    expect(errorOf(await ann.call("GET", "/v1/links/lnk_none", undefined, headers))).toEqual(LINK_NOT_FOUND);
    expect((await ann.call("POST", "/v1/links", URL_ONLY, headers)).status).toBe(201);
    expect((await ann.call("PATCH", `/v1/links/${link.id}`, {}, headers)).status).toBe(200);
    expect((await ann.call("DELETE", `/v1/links/${link.id}`, undefined, headers)).status).toBe(204);
  });
});

describe("15 Location", () => {
  test("of every created resource leads to it, even in a repeated response", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const made: [string, unknown][] = [
      ["/v1/links", URL_ONLY],
      ["/v1/qr", { link_id: link.id }],
      ["/v1/domains", { domain: `go.${crypto.randomUUID()}.example` }],
    ];
    for (const [path, body] of made) {
      const key = { "Idempotency-Key": crypto.randomUUID() };
      const first = await ann.call("POST", path, body, key);
      const again = await ann.call("POST", path, body, key);
      const location = first.headers.get("Location") ?? "";
      expect(location).toBe(`${path}/${(first.body as { id: string }).id}`);
      expect(again.headers.get("Location")).toBe(location);
      expect((await ann.call("GET", location)).body).toMatchObject({ id: (first.body as { id: string }).id });
    }
  });

  test("is a path of the dashboard for requests of the dashboard", async () => {
    const reply = await (await signedUp()).api("POST", "/links", URL_ONLY);
    const { id } = reply.body as { id: string };
    expect([reply.status, reply.headers.get("Location")]).toEqual([201, `/dashboard/api/links/${id}`]);
  });
});

describe("15 Link: rel=next", () => {
  function nextOf({ headers }: ApiResponse): string | null {
    const link = headers.get("Link");
    const [, url] = /^<(\/[\x21-\x3b\x3d\x3f-\x7e]*)>; rel="next"$/.exec(link ?? "") ?? [];
    expect(url === undefined).toBe(link === null);
    return url ?? null;
  }

  async function pagesFrom(actor: TestAccount, path: string): Promise<string[][]> {
    const pages: string[][] = [];
    for (let next: string | null = path; next !== null;) {
      const reply = await actor.call("GET", next);
      const { data, next_cursor } = reply.body as { data: { id?: string; slug: string }[]; next_cursor: string | null };
      pages.push(data.map(({ id, slug }) => id ?? slug));
      next = nextOf(reply);
      expect(next !== null && new URL(next, BASE_URL).searchParams.get("cursor")).toBe(next_cursor ?? false);
    }
    return pages;
  }

  test("leads from page to page of links with the same parameters", async () => {
    const ann = await premiumAccount();
    const search = '<ü>&"; rel';
    const url = (n: number) => `https://example.com/?${encodeURIComponent("x")}=<ü>&"; rel${n}`.replaceAll(" ", "");
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push((await ann.createLink({ url: url(n) })).id);
    await ann.createLink();
    const query = new URLSearchParams({ limit: "2", search: search.replaceAll(" ", ""), sort: "created_at" });
    expect(await pagesFrom(ann, `/v1/links?${query}`)).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
  });

  test("also works for domains and codes", async () => {
    const ann = await premiumAccount();
    for (let n = 0; n < 2; n++) await ann.createDomain();
    const link = await ann.createLink();
    for (let n = 0; n < 2; n++) await ann.createQrCode(link);
    for (const path of ["/v1/domains", "/v1/qr", `/v1/qr?link_id=${link.id}`]) {
      const joined = path.includes("?") ? "&" : "?";
      expect((await pagesFrom(ann, `${path}${joined}limit=1`)).map(({ length }) => length)).toEqual([1, 1]);
    }
  });

  test("stays short, even for long search texts", async () => {
    const ann = await premiumAccount();
    const [head, search] = ["https://example.com/", "🎈".repeat(50)];
    for (let n = 0; n < 2; n++) await ann.createLink({ url: `${head}${search}` });
    const reply = await ann.call("GET", `/v1/links?limit=1&search=${encodeURIComponent(search)}`);
    expect(nextOf(reply)?.length).toBeLessThan(2_000);
  });
});

describe("15 rate limits", () => {
  const FREE = '"requests-key";q=120;w=60, "requests-account";q=600;w=60';
  const REFUSING = { limit: async () => ({ success: false }) } as RateLimit;

  async function withRates(actor: TestAccount, rates: Partial<Env>, path: string, method = "GET"): Promise<Headers> {
    const ctx = createExecutionContext();
    const request = new Request(BASE_URL + path, { method, headers: { Authorization: `Bearer ${actor.key}` } });
    const response = await worker.fetch(
      request as Request<unknown, IncomingRequestCfProperties>,
      { ...env, ...rates },
      ctx,
    );
    await response.body?.cancel();
    await waitOnExecutionContext(ctx);
    return response.headers;
  }

  test("every response to a key has its policies: success, refusal, unknown path, stream, without a body", async () => {
    const ben = await freeAccount();
    const link = await ben.createLink();
    for (const [method, path] of [
      ["GET", "/v1/links"],
      ["HEAD", "/v1/links"],
      ["GET", "/v1/links/lnk_none"],
      ["PUT", "/v1/links"],
      ["GET", "/v1/none"],
      ["GET", "/v1/links?nope=1"],
      ["GET", "/v1/events/stream"],
      ["DELETE", `/v1/links/${link.id}`],
    ] as const) {
      const { headers } = await ben.call(method, path);
      expect([path, headers.get("RateLimit-Policy"), headers.get("RateLimit")]).toEqual([path, FREE, null]);
    }
    const { headers } = await (await premiumAccount()).call("POST", "/v1/qr", {});
    expect(headers.get("RateLimit-Policy")).toBe(
      '"requests-key";q=1200;w=60, "requests-account";q=6000;w=60, "qr-key";q=300;w=60, "qr-account";q=1500;w=60',
    );
  });

  test("a bulk request also counts against the limits of links", async () => {
    const ben = await freeAccount();
    for (const path of ["bulk", "bulk-update", "bulk-delete"]) {
      const { headers } = await ben.call("POST", `/v1/links/${path}`, { links: [{}] });
      expect(headers.get("RateLimit-Policy")).toBe(
        `${FREE}, "links-minute";q=1000;w=60;qu="links", "links-day";q=10000;w=86400;qu="links"`,
      );
      expect(headers.get("RateLimit")).toBeNull();
    }
  });

  test("responses without a key have no policies", async () => {
    expect((await send("GET", "/v1/links")).headers.get("RateLimit-Policy")).toBeNull();
  });

  test.each([
    ["requests-key", "RATE_FREE", "GET", "/v1/links"],
    ["requests-account", "RATE_FREE_ACCOUNT", "GET", "/v1/links"],
    ["qr-key", "QR_FREE", "POST", "/v1/qr"],
    ["qr-account", "QR_FREE_ACCOUNT", "POST", "/v1/qr"],
  ])("a refusal names the exhausted limit: %s", async (name, binding, method, path) => {
    const headers = await withRates(await freeAccount(), { [binding]: REFUSING }, path, method);
    const seconds = headers.get("Retry-After");
    expect(headers.get("RateLimit")).toBe(`"${name}";r=0;t=${seconds}`);
    expect(headers.get("RateLimit-Policy")).toContain(`"${name}";q=`);
  });
});

describe("CORS", () => {
  const ORIGIN = { Origin: "https://app.example" };

  function listOf(headers: Headers, name: string): string[] {
    return (headers.get(name) ?? "").split(", ");
  }

  function preflight(path: string, method: string): Promise<ApiResponse> {
    return send("OPTIONS", path, undefined, { ...ORIGIN, "Access-Control-Request-Method": method });
  }

  test.each(namedRoutes(ROUTES))("a preflight for %s needs no key and names what it accepts", async (_, route) => {
    const reply = await preflight(`/v1${route.path.replaceAll(/:\w+/g, "x")}`, route.method);
    expect([reply.status, reply.body]).toEqual([204, ""]);
    expect(reply.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(reply.headers.get("Access-Control-Allow-Credentials")).toBeNull();
    expect(reply.headers.get("Access-Control-Max-Age")).toBe("86400");
    expect(listOf(reply.headers, "Access-Control-Allow-Methods")).toContain(route.method);
    expect(listOf(reply.headers, "Access-Control-Allow-Headers")).toEqual(documentedHeaders(route.method, route.path));
  });

  function documentedHeaders(method: string, path: string): string[] {
    const paths = openApi.paths as unknown as Record<string, Record<string, { parameters?: { $ref?: string }[] }>>;
    const operation = paths[`/v1${path.replaceAll(/:(\w+)/g, "{$1}")}`]?.[method.toLowerCase()];
    const names = (operation?.parameters ?? []).flatMap(({ $ref }) => $ref?.split("/").at(-1) ?? []);
    return ["Authorization", "Content-Type", ...names].sort();
  }

  test("its methods are those of the path", async () => {
    const methods = async (path: string, method: string) =>
      listOf((await preflight(path, method)).headers, "Access-Control-Allow-Methods");
    expect(await methods("/v1/links", "PUT")).toEqual(["GET", "HEAD", "POST"]);
    expect(await methods("/v1/links/lnk_1", "PUT")).toEqual(["DELETE", "GET", "HEAD", "PATCH"]);
    expect(await methods("/v1/links/lnk_1/stats", "GET")).toEqual(["GET", "HEAD"]);
    expect(await methods("/v1/none", "DELETE")).toEqual(["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"]);
  });

  test("pages can read every header of the reference, in responses and in refusals", async () => {
    const ann = await premiumAccount();
    for (const reply of [
      await ann.call("POST", "/v1/links", URL_ONLY, ORIGIN),
      await ann.call("GET", "/v1/none", undefined, ORIGIN),
      await send("GET", "/v1/links", undefined, ORIGIN),
    ]) {
      expect(reply.headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(listOf(reply.headers, "Access-Control-Expose-Headers")).toEqual([...EXPOSED_HEADERS]);
    }
    expect(
      Object.keys(openApi.components.headers).filter((name) => !EXPOSED_HEADERS.some((known) => known === name)),
    ).toEqual([]);
  });

  test("any page can draw images of QR codes", async () => {
    const ann = await premiumAccount();
    const { url } = await ann.createQrCode(await ann.createLink());
    const path = url.slice(BASE_URL.length);
    const image = await send("GET", path, undefined, ORIGIN);
    const same = await send("GET", path, undefined, { ...ORIGIN, "If-None-Match": image.headers.get("ETag") ?? "" });
    for (const [reply, status] of [
      [image, 200],
      [same, 304],
    ] as const) {
      expect([reply.status, reply.headers.get("Access-Control-Allow-Origin")]).toEqual([status, "*"]);
    }
  });
});

describe("15 application/problem+json", () => {
  const PROBLEM = { Accept: "application/problem+json" };

  test("is sent if Accept prefers it, with the members of the error", async () => {
    const ann = await premiumAccount();
    const reply = await ann.call("POST", "/v1/links", { nope: 1 }, { Accept: "application/problem+json, */*;q=0.5" });
    const plain = await ann.call("POST", "/v1/links", { nope: 1 }, { Accept: "application/json" });
    expect(reply.headers.get("Content-Type")).toBe("application/problem+json");
    const problem = ProblemBody.parse(JSON.parse(String(reply.body)));
    const { status, ...error } = errorOf(plain);
    expect(problem).toEqual({
      type: `${BASE_URL}/docs/errors#validation_failed`,
      title: ERRORS.validation_failed.when.replaceAll("`", ""),
      status,
      ...error,
      request_id: reply.headers.get("X-Request-Id"),
      doc_url: `${BASE_URL}/docs/errors#validation_failed`,
    });
    for (const each of [reply, plain]) expect(each.headers.get("Vary")).toContain("Accept");
  });

  test.each([
    ["missing_api_key", () => send("GET", "/v1/links", undefined, PROBLEM)],
    ["missing_session", () => send("GET", "/dashboard/api/links", undefined, PROBLEM)],
    ["not_found", async () => (await premiumAccount()).call("GET", "/v1/none", undefined, PROBLEM)],
    ["method_not_allowed", async () => (await premiumAccount()).call("PUT", "/v1/links", undefined, PROBLEM)],
  ] as const)("%s too", async (code, refused) => {
    const reply = await refused();
    expect(reply.headers.get("Content-Type")).toBe("application/problem+json");
    expect(ProblemBody.parse(JSON.parse(String(reply.body)))).toMatchObject({ code, status: reply.status });
  });

  test("is not sent on success, nor if it is merely acceptable", async () => {
    const ann = await premiumAccount();
    expect((await ann.call("GET", "/v1/links", undefined, PROBLEM)).headers.get("Content-Type")).toBe(
      "application/json",
    );
    for (const accept of ["*/*", "application/json, application/problem+json", "application/problem+json;q=0"]) {
      const reply = await ann.call("GET", "/v1/none", undefined, { Accept: accept });
      expect(reply.headers.get("Content-Type")).toBe("application/json");
    }
  });
});
