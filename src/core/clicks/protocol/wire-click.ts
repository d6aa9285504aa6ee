/**
 * The wire shapes of a click: in the click log, in exported files, and in the live stream. All use the keys of the
 * statistics, so counting events by key gives exactly the buckets. Pure.
 */
import type { ClickEvent } from "../../contract/streams.ts";
import type { Click, AccountClick } from "../../contract/clicks.ts";
import { factKey, mapFacts } from "../facts.ts";
import { type Hosts, shortAddress, shortUrl, typedSlug, linkHost } from "../../hosts.ts";
import { clickEventId } from "../../identifiers.ts";
import type { ListedClick, RowFormat } from "./link-object-rpc.ts";
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
    address: click.address,
    imported: click.imported ?? false,
  };
}

/** A click as an event. Its id is derived from its position in the log, so clients can drop duplicates. */
export function clickEvent(link: LinkSnapshot, click: ListedClick, hosts: Hosts): ClickEvent {
  const { seq, occurred_at, destination, rule, country, device, referrer, source, qr_id, address } = wireClick(click);
  return {
    id: clickEventId(link.id, seq),
    type: "click",
    occurred_at,
    link_id: link.id,
    slug: typedSlug(link),
    domain: linkHost(link.domain),
    short_url: shortUrl(link, hosts),
    destination,
    rule,
    country,
    device,
    referrer,
    source,
    qr_id,
    ...(address !== shortAddress(link) && { address }),
  };
}

export const ROW_TYPES: Record<RowFormat, string> = { csv: "text/csv", ndjson: "application/x-ndjson" };

/** Includes the line ending. */
export function clickRow(format: RowFormat, click: Click | AccountClick): string {
  return format === "csv" ? csvRow(Object.values(click)) : `${JSON.stringify(click)}\n`;
}
