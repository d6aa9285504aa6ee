/**
 * Clicks by column: of a batch, a stored block, or several of them joined. The logs of links and of accounts have the
 * same columns. A column that a log lacks is unknown for every click. Pure.
 */
import { CLICK_FIELDS } from "./click-formats.ts";
import { UNKNOWN_SPLIT } from "../../visitors/split.ts";
import { UNKNOWN_VISITOR } from "../../visitors/visitor-hashes.ts";
import { mapFacts, type StoredField, type VisitFact } from "../facts.ts";

/**
 * Fields of an account's log whose values are the account's own texts. There may be many, so each text is stored once
 * and has a number (0: none). `code` is the QR code that was scanned, `alias` the alias that was visited.
 */
export const DICTIONARY_FIELDS = ["link", "rule", "destination", "code", "alias"] as const;
export type DictionaryField = (typeof DICTIONARY_FIELDS)[number];

export const NUMBER_FIELDS = [...DICTIONARY_FIELDS, "revision"] as const;
/** `visited` is derived from `link` and `alias` (`visitedColumn`). */
export type NumberField = (typeof NUMBER_FIELDS)[number] | "visited";

/**
 * `route`, `qr` and `address` occur in a link's log; an account's log has numbers instead. `domain` occurs in an
 * account's log. `imported` is "true" for clicks that an import has added (clicks/joined-log.ts).
 */
export type TextField = "class" | "query" | "domain" | "imported" | StoredField;
export type ColumnField = TextField | NumberField;

export const TEXT_FIELDS: readonly TextField[] = [
  ...CLICK_FIELDS.map((field) => (field === "rule" ? "route" : field)),
  "domain",
];

const FACT_FIELDS: readonly VisitFact[] = Object.values(mapFacts((fact) => fact));

/** Fields by which clicks are counted. */
export type CountedField = Exclude<ColumnField, "class" | "query">;

/** Counted fields of an account's log. Stored tallies are numbered by their index here: only add fields at the end. */
export const ACCOUNT_FIELDS = [
  ...NUMBER_FIELDS,
  "domain",
  ...FACT_FIELDS,
  "imported",
] as const satisfies readonly CountedField[];

export function isNumberField(field: ColumnField): field is NumberField {
  return field === "visited" || (NUMBER_FIELDS as readonly ColumnField[]).includes(field);
}

/** Values of some clicks: `values[indexes[i]]` is the i-th click's value; no indexes if all clicks share one value. */
export interface ValueColumn<V = string | number> {
  values: V[];
  indexes: ArrayLike<number> | null;
}

export type ValueOf<F extends ColumnField> = F extends NumberField ? number : string;

/**
 * Numbers of each click besides its time, with the value that means unknown. `delay`: ms from the visit to the click's
 * time, if that was raised (click-batch.ts). `position`: position in the link's log, from 0. `split` and `visitor`:
 * core/visitors.
 */
export const CLICK_NUMBERS = { delay: 0, position: 0, split: UNKNOWN_SPLIT, visitor: UNKNOWN_VISITOR } as const;
export type ClickNumber = keyof typeof CLICK_NUMBERS;

export interface ClickColumns {
  readonly count: number;
  /** Epoch ms. */
  times: () => ArrayLike<number>;
  /** Null when none is known, for example because the log does not store them. */
  numbers: (name: ClickNumber) => ArrayLike<number> | null;
  column: <F extends ColumnField>(field: F) => ValueColumn<ValueOf<F>>;
}

const UNKNOWN_TEXT: ValueColumn<string> = { values: [""], indexes: null };
const UNKNOWN_NUMBER: ValueColumn<number> = { values: [0], indexes: null };

/** The column of a field that is unknown for every click. */
export function unknownColumn(field: ColumnField): ValueColumn {
  return isNumberField(field) ? UNKNOWN_NUMBER : UNKNOWN_TEXT;
}

/** Columns that are decoded or joined on first read. */
export abstract class LazyColumns implements ClickColumns {
  abstract readonly count: number;
  readonly #columns = new Map<ColumnField, ValueColumn>();
  readonly #numbers = new Map<ClickNumber, ArrayLike<number> | null>();
  #times: ArrayLike<number> | null = null;

  times(): ArrayLike<number> {
    return (this.#times ??= this.readTimes());
  }

  numbers(name: ClickNumber): ArrayLike<number> | null {
    let numbers = this.#numbers.get(name);
    if (numbers === undefined) this.#numbers.set(name, (numbers = this.readNumbers(name)));
    return numbers;
  }

  column<F extends ColumnField>(field: F): ValueColumn<ValueOf<F>> {
    let column = this.#columns.get(field);
    if (!column) {
      column = field === "visited" ? visitedColumn(this) : this.readColumn(field);
      this.#columns.set(field, column);
    }
    return column as ValueColumn<ValueOf<F>>;
  }

  protected abstract readTimes(): ArrayLike<number>;
  protected abstract readNumbers(name: ClickNumber): ArrayLike<number> | null;
  protected abstract readColumn(field: ColumnField): ValueColumn;
}

/**
 * The address of each click in an account's log, which stores nothing for clicks by a link's own slug: twice the number
 * of the link, or twice the number of the alias plus one.
 */
function visitedColumn(clicks: ClickColumns): ValueColumn<number> {
  const [links, aliases] = [clicks.column("link"), clicks.column("alias")];
  const indexByNumber = new Map<number, number>();
  const indexes = Uint16Array.from({ length: clicks.count }, (_, i) => {
    const alias = aliases.values[aliases.indexes?.[i] ?? 0] ?? 0;
    const number = alias > 0 ? 2 * alias + 1 : 2 * (links.values[links.indexes?.[i] ?? 0] ?? 0);
    const index = indexByNumber.get(number) ?? indexByNumber.size;
    if (index === indexByNumber.size) indexByNumber.set(number, index);
    return index;
  });
  return { values: [...indexByNumber.keys()], indexes };
}
