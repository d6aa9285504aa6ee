/**
 * Objects that throw a TypeError when compared, as zod does with their `length`. In every field of every body they are
 * reported as values of the wrong type.
 */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";

import { openApiDocument } from "../../../src/api/openapi/openapi.ts";
import { v1Routes } from "../../../src/api/urls.ts";
import { issueOperatorToken } from "../../../src/store/operators/operator-tokens.ts";
import { type ApiResponse, errorOf } from "../../support/api-response.ts";
import { preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS, signedUp } from "../../support/browser-session.ts";
import { validationFailed } from "../../support/expected-errors.ts";
import { createTarget, ROUTES, requestRoute, routeBody, routeName } from "../../support/routes.ts";
import { type Place, placesOf, withValueAt } from "../../support/schema-places.ts";
import { connectAgent } from "../../support/test-agents.ts";
import { premiumAccount, send } from "../../support/test-accounts.ts";

beforeAll(preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS);

const openApi = openApiDocument(v1Routes);
const URL = "https://example.com/";
const INCOMPARABLE = { length: { toString: "x" } };
const WRONG_TYPE = validationFailed(["url", "invalid_type", "must be of type string, not object"]);

/** Paths of the problems in an error. */
function pathsOf({ errors = [] }: { errors?: readonly { path: string }[] | undefined }): string[] {
  return errors.map(({ path }) => path);
}

/** Whether a path is the place, or leads into the value there. */
function isReported(place: Place, paths: readonly string[]): boolean {
  return paths.some((path) => place.every((name, i) => name === path.split(".")[i]));
}

/** The error of an item in a bulk request reports ten problems, and one value can cause two. */
const REPORTED_MAX = 5;

/** Lists of places of which none contains another, so that all of them are reported for one body. */
function apart(places: readonly Place[]): Place[][] {
  const lists: Place[][] = [];
  for (const ofOneDepth of Map.groupBy(places, (place) => place.length).values()) {
    for (let i = 0; i < ofOneDepth.length; i += REPORTED_MAX) lists.push(ofOneDepth.slice(i, i + REPORTED_MAX));
  }
  return lists;
}

/** A file of a domain may have any members. */
function isOfContract([name, ...below]: Place): boolean {
  return name !== "well_known" || below.length === 0;
}

function incomparableAt(fitting: unknown, places: readonly Place[]): Record<string, unknown> {
  const body = places.reduce((base, place) => withValueAt(base, place, INCOMPARABLE), fitting);
  return body as Record<string, unknown>;
}

describe("15 bodies under /v1", () => {
  test.each([
    '{"length":{"toString":"x"}}',
    '{"length":{"toString":null,"valueOf":null}}',
    String.raw`{"length":{"\u0074oString":"x"}}`,
    '{"length":[[{"toString":1}]]}',
    '{"length":{"valueOf":"x"}}',
    '{"length":{}}',
    '{"length":5}',
    '{"length":9000}',
    '{"length":null}',
    '{"length":"x"}',
    '{"size":{"toString":"x"}}',
    '{"toString":"x"}',
  ])("%s has the wrong type and no other problem", async (value) => {
    const ann = await premiumAccount();
    expect(errorOf(await ann.call("POST", "/v1/links", `{"url":${value}}`))).toEqual(WRONG_TYPE);
    const body = `{"url":"${URL}","slug":${value},"tags":${value}}`;
    expect(errorOf(await ann.call("POST", "/v1/links", body))).toEqual(
      validationFailed(
        ["slug", "invalid_type", "must be of type string, not object"],
        ["tags", "invalid_type", "must be of type array, not object"],
      ),
    );
  });

  test("one below `__proto__` is refused as well", async () => {
    const ann = await premiumAccount();
    const reply = await ann.call("POST", "/v1/links", '{"url":{"__proto__":{"length":{"toString":"x"}}}}');
    expect(errorOf(reply)).toMatchObject({ status: 422, code: "validation_failed", param: "url" });
  });

  test("all problems of the body are reported", async () => {
    const ann = await premiumAccount();
    const body = { url: INCOMPARABLE, slug: "-", title: INCOMPARABLE, tags: ["a", INCOMPARABLE], expires_at: 7, x: 1 };
    const error = errorOf(await ann.call("POST", "/v1/links", body));
    expect(pathsOf(error).sort()).toEqual(["expires_at", "slug", "tags.1", "title", "url", "x"]);
  });

  test.each([
    ["bulk", (item: object) => ({ url: URL, ...item })],
    ["bulk-update", (item: object, id: string) => ({ id, ...item })],
  ])("in a %s request only the item with such a value is refused", async (name, itemOf) => {
    const ann = await premiumAccount();
    const { id } = await ann.createLink();
    const links = [itemOf({}, id), itemOf({ url: INCOMPARABLE }, id)];
    const { status, body } = await ann.call("POST", `/v1/links/${name}`, { links });
    const { status: _, ...error } = WRONG_TYPE;
    expect([status, body]).toEqual([200, { results: [{ link: expect.anything() }, { error }] }]);
  });

  const withBody = ROUTES.filter(({ body }) => body !== undefined);

  test.each(withBody.map((route) => [routeName(route), route] as const))("%s: every field", async (_, route) => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const id = await createTarget(ann, route, link);
    const fitting = routeBody(route, link.id);
    for (const places of apart(documentedPlaces(route))) {
      const body = incomparableAt(fitting, places);
      const reply = await requestRoute((...sent) => ann.call(...sent), { ...route, body }, id);
      const isItem = places.every((place) => place[0] === "links" && place.length > 1);
      expect([places, reply.status]).toEqual([places, isItem ? 200 : 422]);
      const paths = pathsOf(isItem ? itemError(reply) : errorOf(reply));
      const missing = places.filter((place) => !isReported(isItem ? place.slice(2) : place, paths));
      expect({ places, paths, missing }).toEqual({ places, paths, missing: [] });
    }
  });

  function documentedPlaces({ method, path }: { method: string; path: string }): Place[] {
    const template = `/v1${path.replace(/:(\w+)/g, "{$1}")}`;
    const paths = openApi.paths as unknown as Record<string, Record<string, { requestBody?: { content: object } }>>;
    const content = paths[template]?.[method.toLowerCase()]?.requestBody?.content as {
      "application/json": { schema: object };
    };
    return placesOf(content["application/json"].schema, openApi).filter(isOfContract);
  }

  function itemError({ body }: ApiResponse) {
    const { results } = body as { results: { error: { errors: { path: string }[] } }[] };
    return results[0]?.error ?? {};
  }
});

describe("15 the dashboard's own API", () => {
  test.each([
    ["POST", "/links", { url: INCOMPARABLE }, "url"],
    ["POST", "/keys", { name: INCOMPARABLE, mode: "live" }, "name"],
    ["POST", "/keys", { name: "n", mode: INCOMPARABLE }, "mode"],
    ["POST", "/keys", { name: "n", mode: "live", scopes: INCOMPARABLE }, "scopes"],
    ["DELETE", "/account", { password: INCOMPARABLE }, "password"],
    ["POST", "/previews", { url: INCOMPARABLE }, "url"],
    ["POST", "/setup/check", { token: INCOMPARABLE }, "token"],
    ["POST", "/setup", { token: "t", email: INCOMPARABLE, name: "n", password: "correct horse" }, "email"],
    ["POST", "/setup", { token: "t", email: "a@b.example", name: INCOMPARABLE, password: "correct horse" }, "name"],
    ["POST", "/setup", { token: "t", email: "a@b.example", name: "n", password: INCOMPARABLE }, "password"],
  ])("%s %s %j", async (method, path, body, param) => {
    const error = errorOf(await (await signedUp()).api(method, path, body));
    expect(error).toMatchObject({ status: 422, code: "validation_failed", param });
    expect(pathsOf(error)).toEqual([param]);
  });

  test.each(["/sign-in/email", "/sign-up/email", "/change-password", "/update-user", "/passkey/verify-registration"])(
    "sign-in: %s",
    async (path) => {
      const browser = await signedUp();
      const fitting = { email: "a@b.example", password: "correct horse", name: "n", newPassword: "correct horse" };
      for (const name of [
        ...Object.keys(fitting),
        "currentPassword",
        "image",
        "rememberMe",
        "callbackURL",
        "response",
      ]) {
        const reply = await browser.auth(path, { ...fitting, [name]: INCOMPARABLE });
        expect([name, reply.status < 500]).toEqual([name, true]);
      }
    },
  );
});

test("15 the operator's API", async () => {
  const token = await issueOperatorToken(env, "backup", 60_000, Date.now());
  const body = { format: 1, backup_id: INCOMPARABLE };
  const reply = await send("POST", "/dashboard/api/operator/restore", body, { Authorization: `Bearer ${token}` });
  expect(errorOf(reply)).toEqual(validationFailed(["backup_id", "invalid_type", "must be of type string, not object"]));
});

describe("15 MCP", () => {
  test("every tool answers validation_failed for every argument", async () => {
    const ann = await premiumAccount();
    const { id } = await ann.createLink();
    const agent = await connectAgent(ann);
    for (const { name, inputSchema } of await agent.tools()) {
      const required = inputSchema.required ?? [];
      const fitting = Object.fromEntries(
        Object.entries({ id, revision: 1, url: URL }).filter(([key]) => required.includes(key)),
      );
      for (const places of apart(placesOf(inputSchema, inputSchema).filter(isOfContract))) {
        const error = await agent.refusal(name, incomparableAt(fitting, places));
        expect([name, places, error["code"]]).toEqual([name, places, "validation_failed"]);
        const missing = places.filter((place) => !isReported(place.slice(0, 1), pathsOf(error)));
        expect({ name, missing }).toEqual({ name, missing: [] });
      }
    }
  });

  test.each([
    { jsonrpc: "2.0", id: INCOMPARABLE, method: "tools/list" },
    { jsonrpc: "2.0", id: 1, method: INCOMPARABLE },
    { jsonrpc: INCOMPARABLE, id: 1, method: "tools/list" },
    { jsonrpc: "2.0", id: 1, method: "tools/list", params: INCOMPARABLE },
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: INCOMPARABLE } },
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_account", arguments: INCOMPARABLE } },
  ])("the message %j causes no internal error", async (message) => {
    const ann = await premiumAccount();
    const reply = await ann.call("POST", "/mcp", message, { Accept: "application/json, text/event-stream" });
    expect(reply.status).toBeLessThan(500);
  });
});
