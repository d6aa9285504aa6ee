/**
 * Clicks column by column: those of a batch, of a stored block, or of several of them joined. The logs of links and of
 * accounts have the same columns; a column that a log lacks is "not known" for every click. Pure.
 */
import { CLICK_FIELDS } from "./click-formats.ts";
import { UNKNOWN_SPLIT } from "../../visitors/split.ts";
import { UNKNOWN_VISITOR } from "../../visitors/visitor-hashes.ts";
import { mapFacts, type StoredField, type VisitFact } from "../facts.ts";

/**
 * Fields of an account's log whose values are texts of the account itself, of which there may be many: each text is stored
 * once and has a number (0: none). `code` is the QR code that was scanned.
 */
export const DICTIONARY_FIELDS = ["link", "rule", "destination", "code"] as const;
export type DictionaryField = (typeof DICTIONARY_FIELDS)[number];

export const NUMBER_FIELDS = [...DICTIONARY_FIELDS, "revision"] as const;
export type NumberField = (typeof NUMBER_FIELDS)[number];

/** `route` and `qr` are those of a link's log, for which an account's has numbers; `domain` is that of an account's. */
export type TextField = "class" | "query" | "domain" | StoredField;
export type ColumnField = TextField | NumberField;

export const TEXT_FIELDS: readonly TextField[] = [
  ...CLICK_FIELDS.map((field) => (field === "rule" ? "route" : field)),
  "domain",
];

const FACT_FIELDS: readonly VisitFact[] = Object.values(mapFacts((fact) => fact));

/** The fields by which clicks are counted. */
export type CountedField = Exclude<ColumnField, "class" | "query">;

/** Those of an account's log. Stored tallies are numbered by their place: only ever add at the end. */
export const ACCOUNT_FIELDS = [...NUMBER_FIELDS, "domain", ...FACT_FIELDS] as const satisfies readonly CountedField[];

export function isNumberField(field: ColumnField): field is NumberField {
  return (NUMBER_FIELDS as readonly ColumnField[]).includes(field);
}

/** Values of some clicks: `values[indexes[i]]` is the i-th click's; no indexes when all clicks share one value. */
export interface ValueColumn<V = string | number> {
  values: V[];
  indexes: ArrayLike<number> | null;
}

export type ValueOf<F extends ColumnField> = F extends NumberField ? number : string;

/**
 * Numbers of each click beside its time, with what stands for "not known". `delay`: ms from the visit to its time, where
 * that was raised (click-batch.ts). `position`: in the log of its link, from 0. `split` and `visitor`: core/visitors.
 */
export const CLICK_NUMBERS = { delay: 0, position: 0, split: UNKNOWN_SPLIT, visitor: UNKNOWN_VISITOR } as const;
export type ClickNumber = keyof typeof CLICK_NUMBERS;

export interface ClickColumns {
  readonly count: number;
  /** Epoch ms. */
  times: () => ArrayLike<number>;
  /** Null when none is known, as of what the log does not keep. */
  numbers: (name: ClickNumber) => ArrayLike<number> | null;
  column: <F extends ColumnField>(field: F) => ValueColumn<ValueOf<F>>;
}

const UNKNOWN_TEXT: ValueColumn<string> = { values: [""], indexes: null };
const UNKNOWN_NUMBER: ValueColumn<number> = { values: [0], indexes: null };

/** The column of a field that is not known for any click. */
export function unknownColumn(field: ColumnField): ValueColumn {
  return isNumberField(field) ? UNKNOWN_NUMBER : UNKNOWN_TEXT;
}

/** Columns that are decoded or joined when they are first read. */
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
    if (!column) this.#columns.set(field, (column = this.readColumn(field)));
    return column as ValueColumn<ValueOf<F>>;
  }

  protected abstract readTimes(): ArrayLike<number>;
  protected abstract readNumbers(name: ClickNumber): ArrayLike<number> | null;
  protected abstract readColumn(field: ColumnField): ValueColumn;
}
