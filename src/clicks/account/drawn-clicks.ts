/** Clicks as a link's object gives them to the account's log, and as columns of that log. */
import type { AccountColumn, AccountColumns } from "../../core/clicks/account-block.ts";
import {
  type AccountField,
  DICTIONARY_FIELDS,
  type DictionaryField,
  type TextField,
} from "../../core/clicks/account-fields.ts";
import type { ClickBlock } from "../../core/clicks/click-block.ts";
import type { RouteKeys } from "../../core/links/link-snapshot.ts";
import type { Dictionaries } from "./generation.ts";

export interface DrawnLink {
  id: string;
  domain: string;
}

/** Consecutive clicks of one link, at most 65,536. */
export interface DrawnClicks {
  /** core/clicks/click-block.ts */
  clicks: Uint8Array;
  /** What the routes in it are, each `<revision>.<rule>`. */
  routes: Readonly<Record<string, RouteKeys>>;
}

/** Clicks that were drawn, in memory. */
export interface StagedClicks {
  link: DrawnLink;
  block: ClickBlock;
  /** Of the first one, in the log of the link. */
  position: number;
  routes: DrawnClicks["routes"];
}

/** Texts get their numbers when a column is read: in the transaction that stores them. */
export class DrawnColumns implements AccountColumns {
  readonly #block: ClickBlock;
  readonly #link: DrawnLink;
  readonly #position: number;
  readonly #routes: DrawnClicks["routes"];
  readonly #texts: Dictionaries;
  readonly #columns = new Map<AccountField, AccountColumn>();
  #times: Float64Array | null = null;
  #positions: Float64Array | null = null;

  constructor({ link, block, position, routes }: StagedClicks, texts: Dictionaries) {
    this.#block = block;
    this.#link = link;
    this.#position = position;
    this.#routes = routes;
    this.#texts = texts;
  }

  get count(): number {
    return this.#block.count;
  }

  times(): Float64Array {
    return (this.#times ??= this.#block.times());
  }

  positions(): Float64Array {
    return (this.#positions ??= Float64Array.from({ length: this.count }, (_, i) => this.#position + i));
  }

  visitors(): Uint8Array | null {
    return this.#block.visitors();
  }

  column(field: AccountField): AccountColumn {
    const column = this.#columns.get(field) ?? this.#columnOf(field);
    this.#columns.set(field, column);
    return column;
  }

  #columnOf(field: AccountField): AccountColumn {
    switch (field) {
      case "link":
        return { values: [this.#texts.link.numberOf(this.#link.id)], indexes: null };
      case "domain":
        return { values: [this.#link.domain], indexes: null };
      case "rule":
      case "destination":
        return this.#map("route", (route) => this.#texts[field].numberOf(this.#routes[route]?.[field] ?? ""));
      case "revision":
        return this.#map("route", (route) => Number.parseInt(route, 10) || 0);
      case "qr":
        return this.#map("qr", (qr) => this.#texts.qr.numberOf(qr));
      default:
        return this.#block.column(field satisfies Exclude<TextField, "domain">);
    }
  }

  #map(field: "route" | "qr", numberOf: (value: string) => number): AccountColumn {
    const { values, indexes } = this.#block.column(field);
    return { values: values.map(numberOf), indexes };
  }
}

/** Clicks of an earlier generation: their numbers are those of its texts. */
export class TranslatedColumns implements AccountColumns {
  readonly #clicks: AccountColumns;
  readonly #from: Dictionaries;
  readonly #to: Dictionaries;
  readonly #columns = new Map<AccountField, AccountColumn>();

  /** @param clicks  whose columns have no value but theirs */
  constructor(clicks: AccountColumns, from: Dictionaries, to: Dictionaries) {
    this.#clicks = clicks;
    this.#from = from;
    this.#to = to;
  }

  get count(): number {
    return this.#clicks.count;
  }

  times(): Float64Array {
    return this.#clicks.times();
  }

  positions(): Float64Array {
    return this.#clicks.positions();
  }

  visitors(): Uint8Array | null {
    return this.#clicks.visitors();
  }

  column(field: AccountField): AccountColumn {
    const column = this.#columns.get(field) ?? this.#columnOf(field);
    this.#columns.set(field, column);
    return column;
  }

  #columnOf(field: AccountField): AccountColumn {
    const column = this.#clicks.column(field);
    const name = DICTIONARY_FIELDS.find((known): known is DictionaryField => known === field);
    if (!name) return column;
    const [from, to] = [this.#from[name], this.#to[name]];
    return { values: column.values.map((value) => to.numberOf(from.textOf(Number(value)))), indexes: column.indexes };
  }
}
