/**
 * Pages of an account's clicks in chronological order, as the text of their rows. A page examines a limited number of
 * clicks, and the next one continues. Writes nothing.
 */
import {
  type AccountClicksPage,
  type AccountClicksRequest,
  type ClickPlace,
  comparePlaces,
} from "../../core/clicks/protocol/account-object-rpc.ts";
import { classAt, valueAt } from "../../core/clicks/encoding/click-batch.ts";
import type { ValueColumn } from "../../core/clicks/encoding/click-columns.ts";
import { wireClick } from "../../core/clicks/protocol/wire-click.ts";
import { mapFacts } from "../../core/clicks/facts.ts";
import { compileFilters } from "../../core/clicks/counting/filters.ts";
import {
  accountGroupings,
  type AccountLookup,
  addressIn,
  linkIdIn,
  OTHER_KEY,
} from "../../core/clicks/counting/groupings.ts";
import type { ScannedClicks } from "../../core/clicks/counting/scanned-clicks.ts";
import type { AccountClick } from "../../core/contract/clicks.ts";
import { readRows } from "../log-scan.ts";
import type { Dictionaries, Generation } from "./generation.ts";
import type { NumberedTexts } from "./numbered-texts.ts";

interface PageQuestion {
  generation: Generation;
  /** Every click before this is in the log, epoch ms. */
  asOf: number;
  request: AccountClicksRequest;
  lookup: AccountLookup;
  /** Whether the generation is still current. */
  isOpen: () => boolean;
}

/** @returns null when the log lacks clicks before the end of the export, because some are being erased */
export async function accountPage(question: PageQuestion): Promise<AccountClicksPage | null> {
  const { generation, asOf, request, lookup, isOpen } = question;
  const { after, from, to, format, limit, latest = Infinity } = request;
  const end = request.end ?? Math.min(to ?? asOf, asOf);
  if (end > asOf) return null;
  const begin = Math.max(from === null ? 0 : generation.positionAt(from), after ? positionAfter(generation, after) : 0);
  const last = Math.max(generation.positionAt(end), begin);
  const first = Math.max(begin, last - latest);
  const page = await readRows(
    {
      log: generation,
      range: { first, end: last },
      isOpen,
      filters: compileFilters(request.filters ?? [], accountGroupings(lookup)),
      list: (clicks) => clickLister(clicks, generation.texts),
    },
    format,
    limit,
  );
  if (!page) return null;
  const { bytes, rows, next } = page;
  return {
    bytes,
    rows,
    next: next > first ? placeAt(generation, next - 1) : after,
    isLast: next >= last,
    end,
    clicks: last - first,
  };
}

function placeAt(generation: Generation, position: number): ClickPlace | null {
  const [clicks] = generation.parts(position, position + 1);
  return clicks ? placeLister(clicks, generation.texts)(clicks.from) : null;
}

/** Position of the first click after a place. */
function positionAfter(generation: Generation, place: ClickPlace): number {
  let position = generation.positionAt(place.at);
  for (const clicks of generation.parts(position, generation.positionAt(place.at + 1))) {
    const placeOf = placeLister(clicks, generation.texts);
    for (let i = clicks.from; i < clicks.to; i++, position++) {
      if (comparePlaces(placeOf(i), place) > 0) return position;
    }
  }
  return position;
}

function placeLister(clicks: ScannedClicks, texts: Dictionaries): (i: number) => ClickPlace {
  const [times, positions] = [clicks.times(), clicks.numbers("position")];
  const link = textLister(clicks.column("link"), texts.link);
  return (i) => ({ at: times[i] ?? 0, linkId: linkIdIn(link(i)), seq: (positions?.[i] ?? 0) + 1 });
}

/** The clicks as the API lists them. */
function clickLister(clicks: ScannedClicks, texts: Dictionaries): (i: number) => AccountClick {
  const placeOf = placeLister(clicks, texts);
  const columns = {
    class: clicks.column("class"),
    domain: clicks.column("domain"),
    imported: clicks.column("imported"),
  };
  const revisions = clicks.column("revision");
  const rule = textLister(clicks.column("rule"), texts.rule);
  const destination = textLister(clicks.column("destination"), texts.destination);
  const code = textLister(clicks.column("code"), texts.code);
  const [link, alias] = [
    textLister(clicks.column("link"), texts.link),
    textLister(clicks.column("alias"), texts.alias),
  ];
  return (i) => {
    const { at, linkId, seq } = placeOf(i);
    const listed = wireClick({
      position: seq - 1,
      at,
      class: classAt(columns.class, i),
      revision: revisions.values[revisions.indexes?.[i] ?? 0] ?? 0,
      ...mapFacts((fact) => valueAt(clicks.column(fact), i)),
      qr: code(i),
      address: addressIn(alias(i) || link(i)),
      rule: rule(i) || OTHER_KEY,
      destination: destination(i) || OTHER_KEY,
      imported: valueAt(columns.imported, i) !== "",
    });
    return { link_id: linkId, domain: valueAt(columns.domain, i), ...listed };
  };
}

/** Maps a column of numbers to texts. Each text is looked up once. */
function textLister({ values, indexes }: ValueColumn<number>, texts: NumberedTexts): (i: number) => string {
  const known: string[] = [];
  return (i) => {
    const value = indexes?.[i] ?? 0;
    return (known[value] ??= texts.textOf(values[value] ?? 0));
  };
}
