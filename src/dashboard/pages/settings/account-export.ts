/** All data of an account as an archive, read page by page from the API. */
import type { ClientResponse } from "hono/client";

import { type Mode, MODES } from "../../../core/account.ts";
import type { Link } from "../../../core/contract/links.ts";
import { socialImageName } from "../../../core/images/image-names.ts";
import {
  PAGE_CLICKS_MAX,
  PAGE_DOMAINS_MAX,
  PAGE_LINKS_MAX,
  PAGE_QR_CODES_MAX,
  PAGE_REVISIONS_MAX,
} from "../../../core/limits.ts";
import { ApiError, hasCode, okResponse } from "../../api/api-error.ts";
import { apiClients, unwrap } from "../../api/client.ts";
import { withRetries } from "../../api/waits.ts";
import { zipArchive, type ZippedFile, zipFile } from "../../files/zip.ts";

const EXPORTED = ["links", "revisions", "notes", "qr-codes", "domains", "shared-pages", "clicks"] as const;
type Exported = (typeof EXPORTED)[number];
/** Rows read so far. */
export type ExportCounts = Record<Exported, number>;

/** An hour: the service reads past clicks before it returns any. */
const UNAVAILABLE_MAX = 180;

interface ExportOptions {
  signal: AbortSignal;
  onProgress: (counts: ExportCounts) => void;
  /** @param reason  null when the export continues */
  onWait: (reason: string | null) => void;
}

type Read = <T>(request: () => Promise<T>) => Promise<T>;
type Rows = AsyncGenerator<readonly object[]>;

/** @returns a ZIP archive */
export async function exportAccount({ signal, onProgress, onWait }: ExportOptions): Promise<Blob> {
  const counts = Object.fromEntries(EXPORTED.map((name) => [name, 0])) as ExportCounts;
  const read: Read = (request) => readPatiently(request, signal, onWait);
  async function* linesOf(name: Exported, rows: Rows) {
    for await (const page of rows) {
      signal.throwIfAborted();
      counts[name] += page.length;
      onProgress({ ...counts });
      yield page.map((row) => `${JSON.stringify(row)}\n`).join("");
    }
  }
  const files = [await zipFile("account.json", accountText(read))];
  for (const mode of MODES) {
    const images = new Set<string>();
    const rows = rowsOf(mode, read, signal, images);
    for (const name of EXPORTED) files.push(await zipFile(`${mode}/${name}.ndjson`, linesOf(name, rows[name]())));
    files.push(...(await imageFiles(mode, images, read, signal)));
  }
  const filled = files.filter((file) => file !== null);
  return zipArchive(filled, new Date());
}

/** The account, its keys without their secrets, and its settings. */
async function* accountText(read: Read): AsyncGenerator<string> {
  const { account, keys, "utm-templates": templates, "saved-views": views } = apiClients.live;
  const all = {
    account: await read(() => unwrap(account.$get({ query: {} }))),
    keys: (await read(() => unwrap(keys.$get({ query: {} })))).data,
    utm_templates: (await read(() => unwrap(templates.$get({ query: {} })))).data,
    saved_views: (await read(() => unwrap(views.$get({})))).data,
  };
  yield `${JSON.stringify(all, null, 2)}\n`;
}

/**
 * To be read in the order of `EXPORTED`: revisions are read of the links that were changed.
 * @param images  receives the names of the links' uploaded images
 */
function rowsOf(mode: Mode, read: Read, signal: AbortSignal, images: Set<string>): Record<Exported, () => Rows> {
  const api = apiClients[mode];
  const init = { init: { signal } };
  const changed: Pick<Link, "id" | "short_url">[] = [];
  const flags = ["false", "true"] as const;

  return {
    async *links() {
      for (const archived of flags) {
        const query = { archived, include: "revision", limit: String(PAGE_LINKS_MAX) } as const;
        const pages = pagesOf(read, (cursor) => api.links.$get({ query: { ...query, ...cursor } }, init));
        for await (const page of pages) {
          changed.push(
            ...page.filter(({ revision = 1 }) => revision > 1).map(({ id, short_url }) => ({ id, short_url })),
          );
          for (const { social } of page) {
            const name = socialImageName(social?.image ?? "");
            if (name !== null) images.add(name);
          }
          yield page;
        }
      }
    },

    async *revisions() {
      const query = { limit: String(PAGE_REVISIONS_MAX) };
      for (const { id, short_url } of changed) {
        const pages = pagesOf(read, (cursor) =>
          api.links[":id"].revisions.$get({ param: { id }, query: { ...query, ...cursor } }, init),
        );
        try {
          for await (const page of pages) yield page.map((revision) => ({ link_id: id, short_url, ...revision }));
        } catch (error) {
          unlessDeleted(error);
        }
      }
    },

    async *notes() {
      yield (await read(() => unwrap(api.account.notes.$get({}, init)))).data;
    },

    async *"qr-codes"() {
      for (const archived of flags) {
        const query = { archived, limit: String(PAGE_QR_CODES_MAX) };
        yield* pagesOf(read, (cursor) => api.qr.$get({ query: { ...query, ...cursor } }, init));
      }
    },

    /** With the designs of their visitors' pages. */
    async *domains() {
      const limit = String(PAGE_DOMAINS_MAX);
      for await (const page of pagesOf(read, (cursor) => api.domains.$get({ query: { limit, ...cursor } }, init))) {
        const rows: object[] = [];
        for (const domain of page) {
          const request = () => unwrap(api.domains[":id"].page.$get({ param: { id: domain.id } }, init));
          rows.push({ ...domain, page: await read(request).catch(unlessDeleted) });
        }
        yield rows;
      }
    },

    /** Without their addresses, which are all that is needed to read them. */
    async *"shared-pages"() {
      const { data } = await read(() => unwrap(api.shares.$get({ query: {} }, init)));
      yield data.map(({ url: _url, ...share }) => share);
    },

    async *clicks() {
      const query = { limit: String(PAGE_CLICKS_MAX) };
      for (let after: string | null = null; ;) {
        const from: { after?: string } = after === null ? {} : { after };
        const page = await read(() => unwrap(api.clicks.$get({ query: { ...query, ...from } }, init)));
        yield page.data;
        if (!page.has_more) return;
        after = page.next_after;
      }
    },
  };
}

/** Of a mode, so that the archive stays below its limit. Links have the URLs of images beyond it. */
const IMAGES_MAX_BYTES = 2 ** 30;

/** The uploaded images of link previews. */
async function imageFiles(
  mode: Mode,
  names: ReadonlySet<string>,
  read: Read,
  signal: AbortSignal,
): Promise<(ZippedFile | null)[]> {
  const files: (ZippedFile | null)[] = [];
  let bytes = 0;
  for (const name of names) {
    const request = async () => (await okResponse(fetch(`/cdn/${name}`, { signal }))).arrayBuffer();
    const image = await read(request).catch(unlessDeleted);
    bytes += image?.byteLength ?? 0;
    if (bytes > IMAGES_MAX_BYTES) break;
    if (image) files.push(await zipFile(`${mode}/images/${name}`, [new Uint8Array(image)]));
  }
  return files;
}

/** @throws the error, unless what was asked for was deleted since it was listed */
function unlessDeleted(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
}

async function* pagesOf<T>(
  read: Read,
  request: (cursor: { cursor?: string }) => Promise<ClientResponse<{ data: T[]; next_cursor: string | null }>>,
): AsyncGenerator<T[]> {
  for (let cursor: { cursor?: string } = {}; ;) {
    const current = cursor;
    const page = await read(() => unwrap(request(current)));
    yield page.data;
    if (page.next_cursor === null) return;
    cursor = { cursor: page.next_cursor };
  }
}

/** A large account has more pages than requests per minute, and its past clicks may have to be read first. */
async function readPatiently<T>(
  request: () => Promise<T>,
  signal: AbortSignal,
  onWait: (reason: string | null) => void,
): Promise<T> {
  for (let waits = 0; ; waits++) {
    try {
      return await withRetries(request, signal, (wait) => onWait(wait && wait.reason));
    } catch (error) {
      const isLoading = hasCode(error, "unavailable");
      if (!isLoading || waits === UNAVAILABLE_MAX || signal.aborted) throw error;
    }
  }
}
