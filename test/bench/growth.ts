/**
 * How two million links in four databases change the time of requests on links, compared with two thousand. One account
 * owns most links, and its requests are measured; listed or looked-up links are spread among the others.
 */
import { tmpdir } from "node:os";

import { LinkPage, type Link } from "../../src/core/contract/links.ts";
import { encodeTime } from "../../src/core/identifiers.ts";
import { bucketText } from "../../src/core/links/buckets.ts";
import { parseDatabaseMap } from "../../src/store/directory/database-map.ts";
import { issueKeyText } from "../../src/store/accounts/api-keys.ts";
import { newTestAccount } from "../support/accounts.ts";
import { ApiClient } from "../support/api-client.ts";
import { OVER_FOUR_DATABASES } from "../support/database-count.ts";
import { freePort } from "../support/ports.ts";
import { bindingsOf, Workerd } from "../support/workerd.ts";
import type { Figure } from "./figures.ts";

const [FEW, MANY] = [2_000, 2_000_000];
/** Rows that one statement inserts. */
const PIECE = 25_000;
/** One in this many links belongs to another account. */
const OTHERS = 10;
const REQUESTS = 40;
const TARGET = "<= 1.5";

const { databases, places } = parseDatabaseMap(OVER_FOUR_DATABASES);

/** In ms, by request. */
type Times = Record<string, number>;

export async function growth(script: string): Promise<Figure[]> {
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const bindings = bindingsOf(host, { LINK_DATABASES: OVER_FOUR_DATABASES }, undefined, databases);
  const worker = { name: "hoplink", code: script, port, ...bindings };
  const server = await Workerd.start([worker], { storageFolder: tmpdir(), keepLog: "workers" });
  try {
    const DB = await server.migratedDatabase("hoplink", databases);
    const [account, other] = [await newTestAccount({ DB }), await newTestAccount({ DB })];
    const api = new ApiClient(`http://${host}`, await issueKeyText({ DB }, account.id, "live", "bench"));
    const fill = (from: number, to: number) => fillAll(server, host, [account.id, other.id], from, to);
    await fill(0, FEW);
    await measure(api, host, "warm");
    const few = await measure(api, host, "few");
    await fill(FEW, MANY);
    await measure(api, host, "warm-again");
    const many = await measure(api, host, "many");
    // A page scans a limited number of links, which few links do not reach.
    const search = await typicalMs(() => api.call("GET", "/v1/links?search=nowhere"));
    const ratios = Object.entries(many).map(([name, ms]) => {
      const ratio = ms / (few[name] ?? 0);
      return { name: `${name}, 2,000,000 links to 2,000`, value: ratio, unit: "times", target: TARGET };
    });
    return [...ratios, { name: "a page of a search without a match, 2,000,000 links", value: search, unit: "ms" }];
  } finally {
    await server.stop();
  }
}

/** Links with numbers from `from` to `to`, evenly in all databases, in the order of their creation. */
async function fillAll(server: Workerd, domain: string, accounts: readonly string[], from: number, to: number) {
  const inEach = (links: number) => links / databases.length;
  await Promise.all(
    databases.map(async (name) => {
      const database = await server.database("hoplink", name);
      const bucket = bucketText(places.findIndex((place) => place.database === name));
      for (let first = inEach(from); first < inEach(to); first += PIECE) {
        const last = Math.min(first + PIECE, inEach(to));
        await database
          .prepare(
            `INSERT INTO links (account_id, mode, id, origin, domain, slug, url, routing, created_at, updated_at, revision)
             WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)
             SELECT iif(i % ${OTHERS} = 0, ?4, ?3), 'live', printf('lnk_%s%014d%s', ?5, i, ?6), 'api', ?7,
               ?8 || '-' || i, 'https://example.com/' || i, '[]', i, i, 1 FROM n`,
          )
          .bind(
            first,
            last,
            accounts[0],
            accounts[1],
            encodeTime(Date.UTC(2026, 0, 1)),
            bucket,
            domain,
            name.toLowerCase(),
          )
          .run();
      }
    }),
  );
}

async function measure(api: ApiClient, host: string, run: string): Promise<Times> {
  const tenth = await cursorOfPage(api, 10);
  const links: Link[] = [];
  const slug = (i: number) => `${run}-${i}`;
  const visit = async (path: string) => {
    const { status } = await fetch(`http://${host}/${path}`, { redirect: "manual" });
    if (status !== 302) throw new Error(`${path} answered ${status}`);
  };
  return {
    "create a link": await typicalMs(async (i) => void links.push(await api.createLink({ slug: slug(i) }))),
    "read a link": await typicalMs((i) => api.call("GET", `/v1/links/${links[i]?.id}`)),
    "first page of a list": await typicalMs(() => api.call("GET", "/v1/links")),
    "tenth page of a list": await typicalMs(() => api.call("GET", `/v1/links?cursor=${tenth}`)),
    "links of a minute long ago": await typicalMs(() =>
      api.call("GET", "/v1/links?created_after=2026-01-01T00:00:00Z&sort=created_at"),
    ),
    "find by slug": await typicalMs((i) => api.call("GET", `/v1/links?slug=${slug(i)}`)),
    "first visit": await typicalMs((i) => visit(slug(i))),
  };
}

async function cursorOfPage(api: ApiClient, page: number): Promise<string | null> {
  let cursor: string | null = null;
  for (let i = 1; i < page; i++) {
    const query: string = cursor === null ? "" : `?cursor=${cursor}`;
    cursor = LinkPage.parse(await api.call("GET", `/v1/links${query}`)).next_cursor;
  }
  return cursor;
}

/** The lower quartile: other work of the machine makes single requests slow. */
async function typicalMs(ask: (i: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < REQUESTS; i++) {
    const startedAt = performance.now();
    await ask(i);
    times.push(performance.now() - startedAt);
  }
  return times.toSorted((one, other) => one - other)[REQUESTS / 4] ?? NaN;
}
