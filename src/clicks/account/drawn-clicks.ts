/** Clicks as drawn from a link's object, and as columns of the account's log. */
import type { ClickBlock } from "../../core/clicks/encoding/click-block.ts";
import {
  type ClickColumns,
  type ClickNumber,
  type ColumnField,
  DICTIONARY_FIELDS,
  type DictionaryField,
  LazyColumns,
  unknownColumn,
  type ValueColumn,
} from "../../core/clicks/encoding/click-columns.ts";
import { addressText } from "../../core/clicks/counting/groupings.ts";
import type { DrawResult } from "../../core/clicks/protocol/link-object-rpc.ts";
import type { Dictionaries } from "./generation.ts";

export interface DrawnLink {
  id: string;
  domain: string;
  /** The address of its own slug (core/hosts.ts, `shortAddress`). */
  address: string;
}

/** Consecutive clicks of one link, at most 65,536. */
export type DrawnClicks = Pick<DrawResult, "clicks" | "routes">;

/** Drawn clicks in memory. */
export interface StagedClicks {
  link: DrawnLink;
  block: ClickBlock;
  /** Position of the first click in the link's log. */
  position: number;
  routes: DrawnClicks["routes"];
}

/** Clicks with some columns derived from others. Texts get their numbers when a column is read. */
class DerivedColumns extends LazyColumns {
  readonly count: number;
  readonly #clicks: ClickColumns;
  readonly #derive: (field: ColumnField) => ValueColumn;
  readonly #position: number | null;

  /** @param position  position of the first click in its link's log, if the clicks are consecutive */
  constructor(clicks: ClickColumns, derive: (field: ColumnField) => ValueColumn, position: number | null = null) {
    super();
    this.count = clicks.count;
    this.#clicks = clicks;
    this.#derive = derive;
    this.#position = position;
  }

  protected readTimes(): ArrayLike<number> {
    return this.#clicks.times();
  }

  /** An account's log keeps neither delays nor splits, because it has no backtests. */
  protected readNumbers(name: ClickNumber): ArrayLike<number> | null {
    if (name === "visitor") return this.#clicks.numbers(name);
    if (name !== "position") return null;
    const first = this.#position;
    return first === null ? this.#clicks.numbers(name) : Float64Array.from({ length: this.count }, (_, i) => first + i);
  }

  protected readColumn(field: ColumnField): ValueColumn {
    return this.#derive(field);
  }
}

/** Converts drawn clicks to the columns of the account's log. Read in the transaction that stores the texts. */
export function drawnColumns({ link, block, position, routes }: StagedClicks, texts: Dictionaries): ClickColumns {
  const byRoute = (numberOf: (route: string) => number) => mapped(block.column("route"), numberOf);
  const derive = (field: ColumnField): ValueColumn => {
    switch (field) {
      case "link":
        return { values: [texts.link.numberOf(addressText(link.id, link.address))], indexes: null };
      case "domain":
        return { values: [link.domain], indexes: null };
      case "rule":
      case "destination":
        return byRoute((route) => texts[field].numberOf(routes[route]?.[field] ?? ""));
      case "revision":
        return byRoute((route) => Number.parseInt(route, 10) || 0);
      case "code":
        return mapped(block.column("qr"), (qr) => texts.code.numberOf(qr));
      case "alias":
        return mapped(block.column("address"), (alias) =>
          alias === "" ? 0 : texts.alias.numberOf(addressText(link.id, alias)),
        );
      case "route":
      case "qr":
      case "address":
      case "query":
        return unknownColumn(field);
      default:
        return block.column(field);
    }
  };
  return new DerivedColumns(block, derive, position);
}

/**
 * Converts clicks of an earlier generation to the text numbers of another one.
 * @param clicks  clicks whose columns have only values that they use
 */
export function translatedColumns(clicks: ClickColumns, from: Dictionaries, to: Dictionaries): ClickColumns {
  return new DerivedColumns(clicks, (field) => {
    const name = DICTIONARY_FIELDS.find((known): known is DictionaryField => known === field);
    if (!name) return clicks.column(field);
    return mapped(clicks.column(name), (number) => to[name].numberOf(from[name].textOf(number)));
  });
}

function mapped<V>({ values, indexes }: ValueColumn<V>, numberOf: (value: V) => number): ValueColumn {
  return { values: values.map(numberOf), indexes };
}
