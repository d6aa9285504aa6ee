/** QR codes through the whole Worker: descriptors, images, refusals, scans (spec 1.4, 2.4, 4.4, 4.5, 8). */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import jsQr from "jsqr";
import { afterEach, describe, expect, test, vi } from "vitest";

import type { Link } from "../../../src/core/contract/links.ts";
import type { QrCode } from "../../../src/core/contract/qr-codes.ts";
import { parseApiKey, timeOrderedId } from "../../../src/core/identifiers.ts";
import { addressObjectName } from "../../../src/core/links/link-snapshot.ts";
import { newQrId } from "../../../src/core/qr/token.ts";
import worker from "../../../src/worker.ts";
import { changeLinks, queryLinks } from "../../support/link-databases.ts";
import { packClicks } from "../../support/pack-clicks.ts";
import { type TestAccount, BASE_URL, freeAccount, premiumAccount, visit } from "../../support/test-accounts.ts";
import { spend, withinRateLimitWindow } from "../../support/rate-limit-window.ts";
import { errorOf, type ApiResponse } from "../../support/api-response.ts";
import { GOOGLEBOT } from "../../support/sample-user-agents.ts";
import {
  contrastTooLow,
  validationFailed,
  LINK_NOT_FOUND,
  LINK_NOT_API_CREATED,
  QR_NOT_FOUND,
  sizeTooSmall,
} from "../../support/expected-errors.ts";

const BATCH_MAX_CLICKS = 4_096;

afterEach(() => {
  vi.restoreAllMocks();
});

const SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
const SQUARE = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><path fill='#c00' d='M0 0h9v9H0z'/></svg>";

function svgUri(svg: string): string {
  return `data:image/svg+xml;base64,${btoa(svg)}`;
}

function make(ann: TestAccount, link: Pick<Link, "id">, fields: Record<string, unknown> = {}): Promise<ApiResponse> {
  return ann.call("POST", "/v1/qr", { link_id: link.id, ...fields });
}

async function image({ url }: QrCode, init: RequestInit = {}): Promise<Response> {
  return exports.default.fetch(url, init);
}

/** The text in an image, read by jsQR from pixels that resvg rendered from the SVG. */
async function textOf(code: QrCode): Promise<string | undefined> {
  const svg = await (await image(code)).text();
  const { Resvg, initWasm } = await import("@resvg/resvg-wasm");
  const { default: wasm } = await import("@resvg/resvg-wasm/index_bg.wasm");
  await initWasm(wasm).catch(() => {});
  const { pixels, width, height } = new Resvg(svg).render();
  return jsQr(Uint8ClampedArray.from(pixels), width, height)?.data;
}

function withEnv(changed: Partial<Env>, ann: TestAccount, body: unknown, headers: Record<string, string> = {}) {
  return (async () => {
    const ctx = createExecutionContext();
    const request = new Request(`${BASE_URL}/v1/qr`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { Authorization: `Bearer ${ann.key}`, "Content-Type": "application/json", ...headers },
    }) as Request<unknown, IncomingRequestCfProperties>;
    const response = await worker.fetch(request, { ...env, ...changed }, ctx);
    const reply = { status: response.status, headers: response.headers, body: await response.json() };
    await waitOnExecutionContext(ctx);
    return reply;
  })();
}

function codes(ann: TestAccount): Promise<number | null> {
  return env.DB.prepare("SELECT count(*) AS n FROM qr_codes WHERE account_id = ?1")
    .bind(ann.accountId)
    .first<number>("n");
}

describe("4.4 POST /v1/qr", () => {
  test("with only a link answers 201 and the complete descriptor with its defaults", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const before = Date.now();
    const reply = await make(ann, link);
    const code = reply.body as QrCode;
    expect(reply.status).toBe(201);
    expect(code).toEqual({
      id: expect.stringMatching(/^qr_[0-9a-z]{26}$/),
      link_id: link.id,
      format: "png",
      size: 512,
      fg: "#000000",
      bg: "#FFFFFF",
      url: `${BASE_URL}/cdn/${code.id}.png`,
      scans: 0,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(Date.parse(code.created_at)).toBeGreaterThanOrEqual(before);
    expect(await ann.qrCode(code)).toEqual(code);
  });

  test("with every field returns every field, colors in upper case", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const look = { format: "svg", size: 1000, fg: "#0a3b2c", bg: "#fefeFE", margin: 2, ecc: "Q" };
    const code = await ann.createQrCode(link, look);
    expect(code).toMatchObject({ format: "svg", size: 1000, fg: "#0A3B2C", bg: "#FEFEFE" });
    expect(code.url).toBe(`${BASE_URL}/cdn/${code.id}.svg`);
    expect(Object.keys(code).length).toBe(9);
  });

  test("works on the Free plan and with test keys, each on its own links", async () => {
    const ben = await freeAccount();
    const benTesting = await ben.withKey("test");
    const code = await benTesting.createQrCode(await benTesting.createLink());
    expect(errorOf(await ben.call("GET", `/v1/qr/${code.id}`))).toEqual(QR_NOT_FOUND);
    expect(await benTesting.qrCode(code)).toEqual(code);
    expect((await make(ben, await ben.createLink())).status).toBe(201);
  });

  test.each([
    ["an id that never existed", "lnk_00000000000000000000000000"],
    ["a malformed id", "'; DROP TABLE links"],
  ])("for %s answers 404", async (_, id) => {
    const ann = await premiumAccount();
    expect(errorOf(await make(ann, { id }))).toEqual(LINK_NOT_FOUND);
  });

  test("for a link of the other mode or another account answers 404", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const link = await ann.createLink();
    expect(errorOf(await make(await ann.withKey("test"), link))).toEqual(LINK_NOT_FOUND);
    expect(errorOf(await make(ben, link))).toEqual(LINK_NOT_FOUND);
    expect([await codes(ann), await codes(ben)]).toEqual([0, 0]);
  });

  test("for a link created in the dashboard answers 422 link_not_api_created", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    await changeLinks(env, "UPDATE links SET origin = 'dashboard' WHERE id = ?1", link.id);
    expect(errorOf(await make(ann, link))).toEqual(LINK_NOT_API_CREATED);
    expect(await codes(ann)).toBe(0);
  });
});

describe("2.4 names and archived codes", () => {
  test("are shown only when set, on POST, PATCH and GET; null clears them, and other members never change", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const plain = await ann.createQrCode(link, { name: null, archived: null });
    expect(Object.keys(plain)).toHaveLength(9);
    const code = await ann.createQrCode(link, { name: "Poster 🎪", archived: true });
    const { name: _, archived: __, ...bare } = code;
    expect(code).toEqual({ ...bare, name: "Poster 🎪", archived: true });
    const changes: [Record<string, unknown>, Record<string, unknown>][] = [
      [{}, { name: "Poster 🎪", archived: true }],
      [{ archived: false }, { name: "Poster 🎪" }],
      [{ name: "=Flyer" }, { name: "=Flyer" }],
      [{ name: null }, {}],
      [
        { name: "x".repeat(80), archived: true },
        { name: "x".repeat(80), archived: true },
      ],
      [{ archived: null }, { name: "x".repeat(80) }],
    ];
    for (const [change, shown] of changes) {
      const reply = await ann.call("PATCH", `/v1/qr/${code.id}`, change);
      expect([reply.status, reply.body]).toEqual([200, { ...bare, ...shown }]);
      expect(await ann.qrCode(code)).toEqual(reply.body);
    }
    expect(await ann.qrCode(plain)).toEqual(plain);
  });

  test.each([
    [{ name: "" }, ["name", "too_small", "must have 1 to 80 characters"]],
    [{ name: "é".repeat(81) }, ["name", "too_big", "must have 1 to 80 characters"]],
    [{ name: "  " }, ["name", "invalid_value", "must not be blank"]],
    [{ name: "a\nb" }, ["name", "invalid_value", "must not contain control characters"]],
    [{ archived: "yes" }, ["archived", "invalid_type", "must be of type boolean, not string"]],
  ] as const)("%j is refused on POST and PATCH", async (wrong, problem) => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const code = await ann.createQrCode(link);
    expect(errorOf(await make(ann, link, wrong))).toEqual(validationFailed([...problem]));
    expect(errorOf(await ann.call("PATCH", `/v1/qr/${code.id}`, wrong))).toEqual(validationFailed([...problem]));
    expect(await ann.qrCode(code)).toEqual(code);
  });

  test("an archived code of a deleted link can be renamed; another account's, or a size, cannot be changed", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const link = await ann.createLink();
    const code = await ann.createQrCode(link, { archived: true });
    await ann.call("DELETE", `/v1/links/${link.id}`);
    const renamed = { ...code, name: "Old" };
    expect((await ann.call("PATCH", `/v1/qr/${code.id}`, { name: "Old" })).body).toEqual(renamed);
    for (const stranger of [ben, await ann.withKey("test")]) {
      expect(errorOf(await stranger.call("PATCH", `/v1/qr/${code.id}`, { name: "Mine" }))).toEqual(QR_NOT_FOUND);
    }
    expect(errorOf(await ann.call("PATCH", `/v1/qr/${code.id}`, { size: 64 }))).toEqual(
      validationFailed(["size", "immutable_field", "is set by the service and cannot be changed"]),
    );
    expect(await ann.qrCode(code)).toEqual(renamed);
  });
});

describe("8 refusals", () => {
  const RANGE = "must be 64 to 4096 pixels";
  const HEX = "must be # and six hex digits, such as #1A2B3C";

  test.each([
    ["size", 63, "too_small", RANGE],
    ["size", 4097, "too_big", RANGE],
    ["size", 512.5, "invalid_type", "must be a whole number"],
    ["size", "512", "invalid_type", "must be of type number, not string"],
    ["size", null, "invalid_type", "must be of type number, not null"],
    ["fg", "#000", "invalid_value", HEX],
    ["fg", "black", "invalid_value", HEX],
    ["fg", "#00000080", "invalid_value", HEX],
    ["bg", "FFFFFF", "invalid_value", HEX],
    ["bg", "#GGGGGG", "invalid_value", HEX],
    ["format", "gif", "invalid_value", "must be one of png, svg"],
    ["margin", 17, "too_big", "must be 0 to 16 modules"],
    ["margin", -1, "too_small", "must be 0 to 16 modules"],
    ["ecc", "X", "invalid_value", "must be one of L, M, Q, H"],
    ["scale", 2, "unknown_field", "is unknown"],
  ])("%s %j: 422", async (field, value, code, words) => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    expect(errorOf(await make(ann, link, { [field]: value }))).toEqual(validationFailed([field, code, words]));
    expect(await codes(ann)).toBe(0);
  });

  test("all problems together, including the contrast", async () => {
    const ann = await premiumAccount();
    const reply = await ann.call("POST", "/v1/qr", { size: 63, fg: "#777777", margin: 17 });
    expect(errorOf(reply)).toEqual(
      validationFailed(
        ["link_id", "required", "is required"],
        ["size", "too_small", RANGE],
        ["margin", "too_big", "must be 0 to 16 modules"],
        ["fg", "contrast_too_low", "and bg must have a contrast of at least 4.5:1, got 4.478:1"],
      ),
    );
  });

  test.each([
    ["#777777", "#FFFFFF", "4.478"],
    ["#FFFFFF", "#777777", "4.478"],
    ["#123456", "#123456", "1"],
    ["#FFFF00", "#ffffff", "1.073"],
  ])("a contrast below 4.5: %s on %s is 422 contrast_too_low", async (fg, bg, ratio) => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    expect(errorOf(await make(ann, link, { fg, bg }))).toEqual(contrastTooLow(ratio));
    expect(await codes(ann)).toBe(0);
  });

  test("a contrast just above 4.5 passes: #767676 on white", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    expect((await ann.createQrCode(link, { fg: "#767676" })).fg).toBe("#767676");
  });

  test.each([64, 4096])("size %d is accepted", async (size) => {
    const ann = await premiumAccount();
    expect((await ann.createQrCode(await ann.createLink(), { size })).size).toBe(size);
  });

  test("a symbol that does not fit: 422 size_too_small with the minimum size, which then works", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ slug: `long-${crypto.randomUUID()}`.padEnd(64, "x") });
    const look = { format: "svg", margin: 4, ecc: "H" };
    const least = 65;
    for (const size of [64, least - 1]) {
      expect(errorOf(await make(ann, link, { ...look, size }))).toEqual(
        sizeTooSmall({ least, margin: 4, ecc: "H", size }),
      );
    }
    const code = await ann.createQrCode(link, { ...look, size: least });
    expect(await codes(ann)).toBe(1);
    expect(code.size).toBe(least);
  });
});

const DATA_URI = "must be a data URI of type image/png, image/jpeg or image/svg+xml";
const OUTSIDE = "must not refer to external resources";
const SHAPES = "may contain only shapes, groups, gradients and clip paths, not";
const LAUGHS = `<!DOCTYPE svg [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><desc>&b;</desc></svg>`;

function svg(content: string, attributes = 'width="9" height="9"'): string {
  return svgUri(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${content}</svg>`);
}

describe("decision 8: logos", () => {
  test.each([
    ["an https URL", "https://example.com/logo.png", DATA_URI],
    ["text", "data:text/plain,logo", DATA_URI],
    ["an invalid PNG", `data:image/png;base64,${btoa("no image")}`, "is not an image of type image/png"],
    ["an invalid JPEG", `data:image/jpeg;base64,${btoa("no image")}`, "is not an image of type image/jpeg"],
    ["an invalid SVG", svgUri("no image"), "is not an SVG image"],
    ["bad base64", "data:image/png;base64,%%%", "must be a well-formed data URI"],
    ["65 KiB", `data:image/png;base64,${btoa("x".repeat(65 * 1024))}`, "must have at most 65536 bytes"],
    ["a script", svg("<script>alert(1)</script>"), `${SHAPES} <script>`],
    ["an event handler", svg(`<path d="M0 0h9v9z" onload="alert(1)"/>`), "must not have event handlers"],
    ["an external image", svg(`<image href="https://example.com/a.png"/>`), `${SHAPES} <image>`],
    ["an external gradient", svg(`<linearGradient href="https://example.com/a.svg#b"/>`), OUTSIDE],
    ["an external fill", svg(`<path d="M0 0h9v9z" fill="url(https://example.com/a.svg#b)"/>`), OUTSIDE],
    ["an external style", svg(`<style>@import url(https://example.com/a.css)</style>`), `${SHAPES} <style>`],
    ["a billion laughs", svgUri(LAUGHS), "must not have a DOCTYPE, entities or CDATA"],
    ["a use bomb", svg(`<g id="a"><use href="#a"/></g>`), `${SHAPES} <use>`],
    [
      "a clip bomb",
      svg(`<clipPath id="a"><path clip-path="url(#b)" d="M0 0"/></clipPath>`),
      "must not nest clip paths",
    ],
    ["100,000 pixels", svg("", 'width="100000" height="9"'), "must be at most 10000 pixels wide and high"],
    [
      "100,000 pixels in inches",
      svg("<path d='M0 0h9v9z'/>", 'width="1050in" height="1in"'),
      "must be at most 10000 pixels wide and high",
    ],
    [
      "a stylesheet instruction",
      svgUri(`<?xml-stylesheet href="https://example.com/a.css"?>${SQUARE}`),
      "must not have processing instructions",
    ],
    ["depth", svg("<g>".repeat(60) + "</g>".repeat(60)), "is too complex"],
    ["an empty drawing", svg(""), "has nothing to be seen on it"],
    [
      "an SVG that ends early",
      svgUri("<svg xmlns='http://www.w3.org/2000/svg'><path"),
      "cannot be drawn: the image is damaged or empty",
    ],
  ])("with %s are refused", async (_, logo, words) => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    for (const format of ["png", "svg"]) {
      expect(errorOf(await make(ann, link, { format, logo }))).toEqual(
        validationFailed(["logo", "invalid_value", words]),
      );
    }
    expect(await codes(ann)).toBe(0);
    // And the renderer still works.
    expect((await make(ann, link, { logo: svgUri(SQUARE) })).status).toBe(201);
  });

  test("force H, and the code is readable with the logo on it", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const look = { format: "svg", ecc: "L", logo: svgUri(SQUARE) };
    const code = await ann.createQrCode(link, look);
    const svgText = await (await image(code)).text();
    expect(svgText).toContain('<path stroke="#cc0000"');
    expect(await textOf(code)).toBe(`${link.short_url}?qr=${code.id.slice(3)}`);
    expect(errorOf(await make(ann, link, { ...look, size: 64, margin: 16 }))).toEqual(
      sizeTooSmall({ least: 77, margin: 16, ecc: "H", size: 64 }),
    );
  });
});

describe("4.4 the image", () => {
  test.each([
    ["png", "image/png", "default-src 'none'; sandbox"],
    ["svg", "image/svg+xml", SVG_POLICY],
  ])("as %s has its type, is cached permanently, and cannot run anything", async (format, type, policy) => {
    const ann = await premiumAccount();
    const code = await ann.createQrCode(await ann.createLink(), { format });
    const response = await image(code);
    const length = (await response.arrayBuffer()).byteLength;
    const { headers } = response;
    expect(response.status).toBe(200);
    expect(headers.get("Content-Type")).toBe(type);
    expect(headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(headers.get("Content-Security-Policy")).toBe(policy);
    const head = await image(code, { method: "HEAD" });
    expect([head.status, head.headers.get("Content-Length"), await head.text()]).toEqual([200, String(length), ""]);
    const again = await image(code, { headers: { "If-None-Match": headers.get("ETag") ?? "" } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });

  test("compares If-None-Match as R2 does, even if the header is malformed", async () => {
    const ann = await premiumAccount();
    const code = await ann.createQrCode(await ann.createLink(), { format: "svg" });
    const statusWith = async (headers: Record<string, string>) => {
      const response = await image(code, { headers });
      return [response.status, (await response.text()).startsWith("<svg")];
    };
    const etag = (await image(code, { method: "HEAD" })).headers.get("ETag") ?? "";
    for (const sent of [`W/${etag}`, `"other", ${etag}`, "*"]) {
      expect(await statusWith({ "If-None-Match": sent })).toEqual([304, false]);
    }
    for (const sent of ['W/"x', ",,,", "x", '"', '"other"', "W/"]) {
      expect(await statusWith({ "If-None-Match": sent })).toEqual([200, true]);
      expect(await statusWith({ "If-Match": sent, "If-Modified-Since": sent, "If-Unmodified-Since": sent })).toEqual([
        200,
        true,
      ]);
    }
  });

  test("stays the same when the link's rules change and when the link is deleted; so does the descriptor", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const code = await ann.createQrCode(link);
    const before = await (await image(code)).bytes();
    await ann.updateLink(link, {
      url: "https://example.org/",
      routing: [{ if: { country: "DE" }, to: "https://example.com/de" }],
    });
    expect(await (await image(code)).bytes()).toEqual(before);
    await ann.call("DELETE", `/v1/links/${link.id}`);
    expect(await (await image(code)).bytes()).toEqual(before);
    expect(await ann.qrCode(code)).toEqual(code);
    expect(errorOf(await make(ann, link))).toEqual(LINK_NOT_FOUND);
  });

  test.each(["qr_00000000000000000000000000.png", "qr_x.png", "..%2fx", "lnk.svg", ""])("%j is 404", async (name) => {
    const response = await exports.default.fetch(`${BASE_URL}/cdn/${name}`);
    expect([response.status, response.headers.get("Cache-Control")]).toEqual([404, "no-store"]);
    await response.text();
  });
});

describe("consistency of image and row", () => {
  test("a failed put leaves no row", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const put = () => Promise.reject(new Error("put: We encountered an internal error. Please try again. (10001)"));
    const reply = await withEnv({ QR_IMAGES: { put } as unknown as R2Bucket }, ann, { link_id: link.id });
    expect(errorOf(reply)).toMatchObject({ status: 503, code: "unavailable" });
    expect(await codes(ann)).toBe(0);
  });

  test("an existing image is never replaced: 500, and no row", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const put = async () => null;
    const reply = await withEnv({ QR_IMAGES: { put } as unknown as R2Bucket }, ann, { link_id: link.id });
    expect(errorOf(reply)).toMatchObject({ status: 500, code: "internal_error" });
    expect(await codes(ann)).toBe(0);
  });

  test("a failed row leaves no readable descriptor, and a repeated request succeeds", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const names: string[] = [];
    const QR_IMAGES = {
      put: (name: string, ...rest: [Uint8Array]) => {
        names.push(name);
        return env.QR_IMAGES.put(name, ...rest);
      },
    } as unknown as R2Bucket;
    const DB = {
      prepare: (sql: string) => env.DB.prepare(sql),
      batch: (statements: D1PreparedStatement[]) =>
        names.length === 0 ? env.DB.batch(statements) : Promise.reject(new Error("D1_ERROR: Network connection lost.")),
    } as unknown as D1Database;
    const headers = { "Idempotency-Key": "again" };
    const failed = await withEnv({ DB, QR_IMAGES }, ann, { link_id: link.id }, headers);
    expect(errorOf(failed)).toMatchObject({ status: 503, code: "unavailable" });
    expect(names).toHaveLength(1);
    const id = names[0]?.slice(0, -".png".length);
    expect(errorOf(await ann.call("GET", `/v1/qr/${id}`))).toEqual(QR_NOT_FOUND);
    const repeated = await ann.call("POST", "/v1/qr", { link_id: link.id }, headers);
    expect([repeated.status, repeated.headers.get("Idempotent-Replayed")]).toEqual([201, null]);
    expect(await codes(ann)).toBe(1);
  });

  test.each([
    { plan: "Free", limit: 30, binding: env.QR_FREE, account: freeAccount },
    { plan: "Premium", limit: 300, binding: env.QR_PREMIUM, account: premiumAccount },
  ])("$limit codes a minute on $plan, in addition to the limit of all requests", { timeout: 60_000 }, async (row) => {
    const { ben, link, statuses, refused } = await withinRateLimitWindow(async () => {
      const ben = await row.account();
      const link = await ben.createLink();
      await spend(row.binding, parseApiKey(ben.key)?.id ?? "", row.limit - 5);
      const statuses: number[] = [];
      for (let i = 0; i <= 5; i++) statuses.push((await make(ben, link, { size: 1 })).status);
      return { ben, link, statuses, refused: await make(ben, link) };
    });
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
    expect(errorOf(refused)).toEqual({
      status: 429,
      code: "rate_limited",
      message: "This key has created too many QR codes or uploaded too many images within a minute.",
    });
    expect(Number(refused.headers.get("Retry-After"))).toBeLessThanOrEqual(60);
    expect((await ben.call("GET", `/v1/links/${link.id}`)).status).toBe(200);
  });
});

describe("decision 8: scans", () => {
  test("the code has short_url and token; following it leads to the link's destination and increments scans", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ url: "https://example.com/goal" });
    const code = await ann.createQrCode(link, { format: "svg" });
    const text = await textOf(code);
    expect(text).toBe(`${link.short_url}?qr=${code.id.slice(3)}`);
    const response = await visit(text ?? "");
    expect([response.status, response.headers.get("Location")]).toEqual([302, "https://example.com/goal"]);
    await ann.waitForClicks(1, link);
    expect(await ann.qrCode(code)).toEqual({ ...code, scans: 1 });
    expect((await ann.stats(link, { group_by: "source" })).buckets).toEqual([{ key: "qr", clicks: 1 }]);
  });

  test("several codes of one link are counted separately; plain clicks count for none; a scan is a click", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const [one, two, three] = [
      await ann.createQrCode(link),
      await ann.createQrCode(link),
      await ann.createQrCode(link),
    ];
    const scan = ({ id }: QrCode, headers = {}) => visit(link.short_url, { search: `?qr=${id.slice(3)}`, headers });
    await visit(link.short_url);
    for (const code of [one, two, two]) await scan(code);
    await scan(two, { "User-Agent": GOOGLEBOT });
    await scan(two, { "Sec-Purpose": "prefetch" });
    await visit(link.short_url, { search: `?qr=${three.id.slice(3)}`, method: "HEAD" });
    await ann.waitForClicks(6, link);
    const scans = await Promise.all([one, two, three].map(async (code) => (await ann.qrCode(code)).scans));
    expect(scans).toEqual([1, 2, 0]);
    const stats = await ann.stats(link, { group_by: "qr" });
    expect(stats.total).toBe(4);
    expect(stats.buckets).toEqual([
      { key: two.id, clicks: 2 },
      { key: "none", clicks: 1 },
      { key: one.id, clicks: 1 },
    ]);
    await ann.call("PATCH", `/v1/qr/${one.id}`, { name: "Poster", archived: true });
    expect((await ann.stats(link, { group_by: "qr" })).buckets).toEqual([
      { key: two.id, clicks: 2 },
      { key: "none", clicks: 1 },
      { key: one.id, name: "Poster", clicks: 1 },
    ]);
    const { data } = await ann.clicks(link);
    expect(data.map(({ source, qr_id }) => [source, qr_id])).toEqual([
      ["link", null],
      ["qr", one.id],
      ["qr", two.id],
      ["qr", two.id],
      ["qr", two.id],
      ["qr", two.id],
    ]);
  });

  test("an unknown token is an ordinary parameter: source link, not stripped", async () => {
    const ann = await premiumAccount();
    const [link, other] = [
      await ann.createLink({ routing: [{ if: { query: { qr: true } }, to: "https://example.com/kept" }] }),
      await ann.createLink(),
    ];
    const mine = (await ann.createQrCode(link)).id.slice(3);
    const foreign = (await ann.createQrCode(other)).id.slice(3);
    const forged = newQrId("00".repeat(16), Date.now(), new Uint32Array(6)).slice(3);
    const random = timeOrderedId("req_", Date.now(), new Uint32Array(16)).slice(4);
    const wrong = [
      foreign,
      forged,
      random,
      mine.toUpperCase(),
      `${mine}x`,
      mine.slice(1),
      "",
      "%00",
      `x${mine.slice(1)}`,
    ];
    for (const token of wrong) {
      const response = await visit(link.short_url, { search: `?qr=${token}` });
      expect(response.headers.get("Location"), token).toBe("https://example.com/kept");
    }
    await ann.waitForClicks(wrong.length, link);
    expect((await ann.stats(link, { group_by: "qr" })).buckets).toEqual([{ key: "none", clicks: wrong.length }]);
  });

  test("a known token is stripped, and its source is qr for rules, at any position", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({
      routing: [
        { if: { query: { qr: true } }, to: "https://example.com/not-stripped" },
        { if: { source: "qr", query: { a: "1" } }, to: "https://example.com/both" },
        { if: { source: "qr" }, to: "https://example.com/qr" },
      ],
    });
    const token = (await ann.createQrCode(link)).id.slice(3);
    const goal = async (search: string) => (await visit(link.short_url, { search })).headers.get("Location");
    expect(await goal(`?qr=${token}`)).toBe("https://example.com/qr");
    expect(await goal(`?a=1&qr=${token}`)).toBe("https://example.com/both");
    expect(await goal(`?qr=${token}&a=1`)).toBe("https://example.com/both");
    expect(await goal("?a=1")).toBe("https://example.com/");
  });

  test("a code created while the link is busy is known immediately, and its creation does not change the link", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    await visit(link.short_url);
    const before = await ann.call("GET", `/v1/links/${link.id}`);
    const code = await ann.createQrCode(link);
    await visit(link.short_url, { search: `?qr=${code.id.slice(3)}` });
    await ann.waitForClicks(2, link);
    expect((await ann.qrCode(code)).scans).toBe(1);
    const after = await ann.call("GET", `/v1/links/${link.id}`);
    expect([after.body, after.headers.get("ETag")]).toEqual([before.body, before.headers.get("ETag")]);
  });

  test("with a million clicks on a link they are exact, and returned immediately", { timeout: 60_000 }, async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const [one, two] = [await ann.createQrCode(link), await ann.createQrCode(link)];
    await visit(link.short_url);
    await ann.waitForClicks(1, link);
    const object = env.LINK_CLICKS.getByName(addressObjectName(link.domain, link.slug));
    const unknown = { continent: "", region: "", city: "", language: "", referrer: "", rule: "" };
    const facts = { ...unknown, country: "DE", device: "mobile", os: "ios", browser: "safari", at: Date.now() };
    const clicks = Array.from({ length: BATCH_MAX_CLICKS }, (_, i) => ({
      ...facts,
      class: i % 8 === 0 ? ("bot" as const) : ("human" as const),
      qr: i % 4 === 1 ? one.id : i % 4 === 0 ? two.id : "",
    }));
    const packed = packClicks(clicks);
    const batches = 250;
    for (let id = 1; id <= batches; id++) await object.record({ id, revision: 1, clicks: packed });
    await visit(link.short_url, { search: `?qr=${one.id.slice(3)}` });
    await ann.waitForClicks(batches * BATCH_MAX_CLICKS + 2, link);
    let fastest = Infinity;
    for (let i = 0; i < 5; i++) {
      const started = performance.now();
      const scans = [(await ann.qrCode(one)).scans, (await ann.qrCode(two)).scans];
      fastest = Math.min(fastest, performance.now() - started);
      expect(scans).toEqual([(batches * BATCH_MAX_CLICKS) / 4 + 1, (batches * BATCH_MAX_CLICKS) / 8]);
    }
    expect(fastest).toBeLessThan(500);
  });

  test("no response contains the secret behind the tokens", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const [row] = await queryLinks<{ qr_key: string }>(env, "SELECT qr_key FROM links WHERE id = ?1", link.id);
    const key = row?.qr_key;
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    const code = await ann.createQrCode(link);
    const list = await ann.call("GET", "/v1/links");
    expect(JSON.stringify([link, code, list.body])).not.toContain(key);
  });
});
