/**
 * The wire shapes of a click: in the click log, in files of it, and in the live stream. All use the keys of the statistics,
 * so counting events by key gives exactly the buckets. Pure.
 */
import type { ClickEvent } from "../../contract/streams.ts";
import type { Click, AccountClick } from "../../contract/clicks.ts";
import { factKey, mapFacts } from "../facts.ts";
import { type Hosts, shortUrl, typedSlug, linkHost } from "../../hosts.ts";
import { clickEventId } from "../../identifiers.ts";
import type { ListedClick } from "./link-object-rpc.ts";
import type { LinkSnapshot } from "../../links/link-snapshot.ts";
import { timestamp } from "../../time.ts";
import { csvRow } from "../../encoding/csv.ts";

export function wireClick(click: ListedClick): Click {
  return {
    seq: click.position + 1,
    occurred_at: timestamp(click.at),
    class: click.class,
    revision: click.revision,
    ...mapFacts((fact) => factKey(fact, click[fact])),
    rule: click.rule,
    destination: click.destination,
    source: click.qr ? "qr" : "link",
    qr_id: click.qr || null,
  };
}

/** A click as an event. Its id follows from its position in the log, so a client can drop one that is sent twice. */
export function clickEvent(link: LinkSnapshot, click: ListedClick, hosts: Hosts): ClickEvent {
  const { seq, occurred_at, destination, rule, country, device, referrer, source, qr_id } = wireClick(click);
  return {
    id: clickEventId(link.id, seq),
    type: "click",
    occurred_at,
    link_id: link.id,
    slug: typedSlug(link.slug),
    domain: linkHost(link.domain),
    short_url: shortUrl(link.domain, link.slug, hosts),
    destination,
    rule,
    country,
    device,
    referrer,
    source,
    qr_id,
  };
}

export type RowFormat = "csv" | "ndjson";

export const ROW_TYPES: Record<RowFormat, string> = { csv: "text/csv", ndjson: "application/x-ndjson" };

/** With its line end. */
export function clickRow(format: RowFormat, click: Click | AccountClick): string {
  return format === "csv" ? csvRow(Object.values(click)) : `${JSON.stringify(click)}\n`;
}

/**
 * A place in the order of an account's clicks: by time, then by the id of the link, then by the click's number in its log.
 * It consists of three columns of a click, so that a client can continue after any row, and stays valid when clicks of
 * other links are erased.
 */
export interface ClickPlace {
  /** Epoch ms. */
  at: number;
  linkId: string;
  seq: number;
}

const PLACE =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z),(lnk_[0-9a-z]{1,60}),([1-9][0-9]{0,14})$/;

export function placeText({ at, linkId, seq }: ClickPlace): string {
  return `${timestamp(at)},${linkId},${seq}`;
}

/** @returns null where a text is none */
export function parsePlace(text: string): ClickPlace | null {
  const [, time = "", linkId = "", seq = ""] = PLACE.exec(text) ?? [];
  const at = Date.parse(time);
  return Number.isNaN(at) ? null : { at, linkId, seq: Number(seq) };
}

/** Negative where the first place is before the second. */
export function comparePlaces(one: ClickPlace, other: ClickPlace): number {
  return one.at - other.at || (one.linkId < other.linkId ? -1 : one.linkId > other.linkId ? 1 : one.seq - other.seq);
}
