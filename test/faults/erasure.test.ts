/**
 * A closed account is erased completely even if the server is killed again and again: no row of the database or of an
 * object retains any content of its links and clicks.
 */
import { afterAll, beforeAll, expect, test } from "vitest";

import { closeAccount } from "../../src/store/accounts/closed-accounts.ts";
import { linkDatabases } from "../../src/store/directory/databases.ts";
import { shortOrLong } from "./suite-length.ts";
import { eventually, pause } from "../support/eventually.ts";
import { FaultyServer } from "./faulty-server.ts";
import type {} from "./visitors.ts";

const KILLS = shortOrLong(3, 15);
const LINKS = shortOrLong(60, 600);
const BULK = 30;
const MARKER = "erasedmarker";

let server: FaultyServer;

beforeAll(async () => {
  server = await FaultyServer.start();
});

afterAll(() => server.stop());

async function clickedLinks(): Promise<void> {
  for (let made = 0; made < LINKS; made += BULK) {
    const links = Array.from({ length: BULK }, (_, i) => ({
      url: `https://example.com/${MARKER}-${made + i}`,
      slug: `e-${made + i}`,
      routing: [{ if: { query: { [MARKER]: true } }, to: `https://example.com/rule-${MARKER}` }],
    }));
    await server.api.call("POST", "/v1/links/bulk", { links });
    for (const { slug } of links) {
      // On a slow machine a look-up may take longer than a visitor waits.
      const visit = () => server.visit(`/${slug}?${MARKER}=1`, { Referer: `https://${MARKER}.example/` });
      await eventually(async () => (await visit()) === 302, "a redirect");
    }
  }
  await server.waitForBackgroundWork();
}

test(`up to ${KILLS} kills while an account of ${LINKS} clicked links is erased`, async () => {
  await clickedLinks();
  expect(server.storedRowsWith(MARKER).length).toBeGreaterThanOrEqual(2 * LINKS);
  const databases = await server.databases();
  await closeAccount(databases, server.accountId);
  // Skips the minute that erasure waits for isolates which still serve the links.
  await databases.DB.prepare("UPDATE closed_accounts SET due_at = 0").run();
  let kills = 0;
  await eventually(async () => {
    await server.runCron();
    if (kills < KILLS) {
      await pause(Math.random() * 100); // A kill may occur at any point of the work.
      await server.kill();
      kills++;
    }
    const waits = linkDatabases(await server.databases()).map((database) =>
      database.prepare("SELECT 1 FROM closed_accounts UNION ALL SELECT 1 FROM link_outbox WHERE due_at > 0").first(),
    );
    return (await Promise.all(waits)).every((row) => row === null);
  }, "the account is erased");
  expect(kills).toBeGreaterThan(0);
  expect(server.storedRowsWith(MARKER)).toEqual([]);
});
