/** 12 Uploaded images of link previews: what is accepted, how they are served, and when they are deleted. */
import { env, exports } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";

import { Link } from "../../../src/core/contract/links.ts";
import { Me } from "../../../src/core/contract/me.ts";
import { changeLinks } from "../../support/link-databases.ts";
import { maintainUntilIdle } from "../../support/maintenance-runs.ts";
import { jpegOf, pngOf, RED_PNG, webpOf } from "../../support/sample-images.ts";
import { freeAccount, type TestAccount, visit } from "../../support/test-accounts.ts";

const HOST = "http://localhost:8787";
let ann: TestAccount;

beforeAll(async () => {
  ann = await freeAccount();
});

const upload = (by: TestAccount, { id }: Pick<Link, "id">, body: BodyInit, headers: Record<string, string> = {}) =>
  exports.default.fetch(`${HOST}/v1/links/${id}/social/image`, {
    method: "PUT",
    headers: { Authorization: `Bearer ${by.key}`, ...headers },
    body,
  });

async function uploaded(by: TestAccount, link: Link, body: BodyInit = RED_PNG): Promise<Link & { image: string }> {
  const reply = await upload(by, link, body);
  if (reply.status !== 200) throw new Error(await reply.text());
  const updated = Link.parse(await reply.json());
  return { ...updated, image: updated.social?.image ?? "" };
}

const errorOf = async (reply: Response) => [
  reply.status,
  ((await reply.json()) as { error: { code: string } }).error.code,
];
const statusOf = async (image: string) => {
  const reply = await exports.default.fetch(image);
  await reply.body?.cancel();
  return reply.status;
};
const storedBytes = ({ accountId }: TestAccount) =>
  env.DB.prepare("SELECT bytes FROM social_image_counts WHERE account_id = ?1").bind(accountId).first("bytes");

const limitOf = async (by: TestAccount) => Me.parse((await by.call("GET", "/v1/me")).body).limits.social_image_bytes;

/** Runs maintenance as if the delay of all queued images had passed. */
async function maintainedLater(): Promise<void> {
  await changeLinks(env, "UPDATE image_releases SET due_at = due_at - 50000000");
  await maintainUntilIdle(env);
}

describe("12 an upload", () => {
  test.each([
    ["image/png", "png", RED_PNG],
    ["image/png", "png", pngOf(4_096, 4_096)],
    ["image/jpeg", "jpg", jpegOf(1_200, 630)],
    ["image/webp", "webp", webpOf("VP8 ", 1_200, 630)],
  ])("of %s is served by its detected type, whatever was declared", async (type, ending, bytes) => {
    const link = await ann.createLink({ social: { title: "Kept" } });
    const reply = await upload(ann, link, bytes, { "Content-Type": "text/html" });
    const updated = Link.parse(await reply.json());
    const image = updated.social?.image ?? "";
    expect(image).toMatch(new RegExp(`^http://localhost:8787/cdn/img_[0-9a-z]{26}\\.${ending}$`));
    expect(updated).toEqual({ ...link, social: { title: "Kept", image }, updated_at: updated.updated_at });
    expect(reply.headers.get("ETag")).toBe('"2"');
    const served = await exports.default.fetch(image);
    expect(Object.fromEntries(served.headers)).toMatchObject({
      "content-type": type,
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cache-control": "public, max-age=31536000, immutable",
    });
    expect(new Uint8Array(await served.arrayBuffer())).toEqual(bytes);
    const page = await visit(link.short_url, { headers: { "User-Agent": "Twitterbot/1.0" } });
    expect(await page.text()).toContain(`<meta property="og:image" content="${image}">`);
  });

  const TOO_LARGE = new Uint8Array(2 * 1024 ** 2 + 1);
  TOO_LARGE.set(RED_PNG);

  test.each<[string, BodyInit, number, string]>([
    ["without a body", "", 415, "unsupported_media_type"],
    ["of SVG", "<svg xmlns='http://www.w3.org/2000/svg'/>", 415, "unsupported_media_type"],
    ["of HTML", "<!doctype html><script>alert(1)</script>", 415, "unsupported_media_type"],
    ["of half a header", RED_PNG.subarray(0, 20), 415, "unsupported_media_type"],
    ["of more than 4,096 pixels across", pngOf(4_097, 1), 422, "validation_failed"],
    ["of more than 4,096 pixels down", webpOf("VP8X", 1, 4_097), 422, "validation_failed"],
    ["of more than 2 MiB", TOO_LARGE, 413, "payload_too_large"],
    ["of more than 2 MiB, without a length", new Blob([TOO_LARGE]).stream(), 413, "payload_too_large"],
  ])("%s is refused", async (_name, body, status, code) => {
    const link = await ann.createLink();
    expect(await errorOf(await upload(ann, link, body))).toEqual([status, code]);
    expect((await ann.call("GET", `/v1/links/${link.id}`)).body).toEqual(link);
  });

  test("of another host needs https, even with the name of an uploaded one", async () => {
    const image = `http://example.com/cdn/img_${"0".repeat(26)}.png`;
    const link = await ann.createLink();
    const refused = await ann.call("PATCH", `/v1/links/${link.id}`, { social: { image } });
    expect([refused.status, refused.body]).toMatchObject([422, { error: { param: "social.image" } }]);
  });

  test("of 2 MiB is accepted, and a second of the same link replaces it", async () => {
    const link = await ann.createLink();
    const first = await uploaded(ann, link, TOO_LARGE.slice(0, -1));
    const second = await uploaded(ann, link);
    expect(second.image).not.toBe(first.image);
    expect(await statusOf(first.image)).toBe(200);
  });

  test("honors If-Match, and otherwise keeps what others change at the same time", async () => {
    const link = await ann.createLink();
    expect(await errorOf(await upload(ann, link, RED_PNG, { "If-Match": '"7"' }))).toEqual([
      412,
      "precondition_failed",
    ]);
    const cards = ["a", "b", "c"].map((title) => ann.call("PATCH", `/v1/links/${link.id}`, { title }));
    const [reply] = await Promise.all([upload(ann, link, RED_PNG), ...cards]);
    expect(reply.status).toBe(200);
    expect(Link.parse((await ann.call("GET", `/v1/links/${link.id}`)).body)).toMatchObject({
      title: expect.stringMatching(/^[abc]$/),
      social: { image: expect.stringContaining("/cdn/img_") },
    });
  });

  test("of another account's link, or of the other mode, is not found", async () => {
    const link = await ann.createLink();
    expect(await errorOf(await upload(await freeAccount(), link, RED_PNG))).toEqual([404, "link_not_found"]);
    expect(await errorOf(await upload(await ann.withKey("test"), link, RED_PNG))).toEqual([404, "link_not_found"]);
  });

  test("beyond the account's storage is refused; images that are awaiting deletion count", async () => {
    const bob = await freeAccount();
    const link = await bob.createLink();
    await uploaded(bob, link);
    expect(await storedBytes(bob)).toBe(RED_PNG.length);
    const sql = "UPDATE social_image_counts SET bytes = ?2 WHERE account_id = ?1";
    await env.DB.prepare(sql)
      .bind(bob.accountId, 100 * 1024 ** 2 - RED_PNG.length)
      .run();
    const { image } = await uploaded(bob, link);
    expect(await errorOf(await upload(bob, link, RED_PNG))).toEqual([422, "quota_exceeded"]);
    await maintainedLater();
    expect(await storedBytes(bob)).toBe(100 * 1024 ** 2 - RED_PNG.length);
    expect(await statusOf(image)).toBe(200);
  });
});

describe("12 an uploaded image", () => {
  test("is deleted when no link of its account and mode uses it any more", async () => {
    const bob = await freeAccount();
    const [one, two] = [await uploaded(bob, await bob.createLink()), await bob.createLink()];
    const { image } = one;
    await bob.updateLink(two, {
      social: { image: `${image.replace("http://localhost:8787", "https://old.example")}` },
    });
    const foreign = await ann.createLink({ social: { image } });
    await bob.updateLink(one, { social: null });
    await maintainedLater();
    expect(await statusOf(image)).toBe(200);
    expect((await bob.call("DELETE", `/v1/links/${two.id}`)).status).toBe(204);
    await maintainUntilIdle(env);
    expect(await statusOf(image)).toBe(200);
    await maintainedLater();
    expect(await statusOf(image)).toBe(404);
    expect(await storedBytes(bob)).toBe(0);
    expect((await ann.call("GET", `/v1/links/${foreign.id}`)).body).toMatchObject({ social: { image } });
  });

  test("is deleted when another replaces it, when its link is erased, and when the upload's link was never written", async () => {
    const bob = await freeAccount();
    const replaced = await bob.createLink();
    const [first, second] = [await uploaded(bob, replaced), await uploaded(bob, replaced)];
    await maintainedLater();
    expect([await statusOf(first.image), await statusOf(second.image)]).toEqual([404, 200]);
    await bob.updateLink(replaced, { social: null });
    const erased = await uploaded(bob, await bob.createLink());
    await bob.call("DELETE", `/v1/links/${erased.id}?erase=true`);
    await maintainedLater();
    expect([await statusOf(erased.image), await storedBytes(bob)]).toEqual([404, 0]);
    const { storeSocialImage } = await import("../../../src/store/social-images.ts");
    const link = await bob.createLink();
    const caller = { accountId: bob.accountId, mode: "live", plan: "free" } as Parameters<typeof storeSocialImage>[1];
    const name = await storeSocialImage(env, caller, link.id, "png", RED_PNG);
    await maintainedLater();
    expect([await statusOf(`${HOST}/cdn/${name}`), await storedBytes(bob)]).toEqual([404, 0]);
  });

  test("of a backup is deleted after the restore if no link uses it", async () => {
    const bob = await freeAccount();
    const [used, unused] = [await uploaded(bob, await bob.createLink()), await uploaded(bob, await bob.createLink())];
    expect(await limitOf(bob)).toEqual({ max: 100 * 1024 ** 2, used: 2 * RED_PNG.byteLength });
    await bob.updateLink(unused, { social: null });
    // Backups do not contain the queue.
    await changeLinks(env, "DELETE FROM image_releases");
    const { finishRestore } = await import("../../../src/store/backup/restores.ts");
    const before = bob.accountId.slice(0, -1);
    for (let i = 0; i < 2; i++) expect((await finishRestore(env, "backup", before)).outcome).toBe("done");
    await maintainUntilIdle(env);
    expect([await statusOf(used.image), await statusOf(unused.image)]).toEqual([200, 200]);
    await maintainedLater();
    expect([await statusOf(used.image), await statusOf(unused.image)]).toEqual([200, 404]);
    expect(await limitOf(bob)).toMatchObject({ used: RED_PNG.byteLength });
  });

  test("that is in use stays, and a restored revision has it; one that was deleted is left out", async () => {
    const bob = await freeAccount();
    const link = await bob.createLink({ social: { title: "Card" } });
    const { image } = await uploaded(bob, link);
    const restore = (revision: number) => bob.call("POST", `/v1/links/${link.id}/revisions/${revision}/restore`, {});
    await bob.updateLink(link, { social: { title: "Other" } });
    expect((await restore(2)).body).toMatchObject({ social: { title: "Card", image } });
    await maintainedLater();
    expect(await statusOf(image)).toBe(200);
    await bob.updateLink(link, { social: { title: "Other" } });
    await maintainedLater();
    expect(await statusOf(image)).toBe(404);
    expect((await restore(2)).body).toHaveProperty("social", { title: "Card" });
  });
});
