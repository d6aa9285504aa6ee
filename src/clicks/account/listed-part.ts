/** The clicks of a block of the account's log as the API lists them. */
import type { AccountColumns } from "../../core/clicks/account-block.ts";
import type { AccountField, DictionaryField } from "../../core/clicks/account-fields.ts";
import { classOf } from "../../core/clicks/click-batch.ts";
import type { ClickPlace } from "../../core/clicks/click-place.ts";
import { factKey, mapFacts } from "../../core/clicks/facts.ts";
import { OTHER_KEY } from "../../core/clicks/groupings.ts";
import type { AccountClick } from "../../core/contract/account-clicks.ts";
import { timestamp } from "../../core/timestamp.ts";
import type { Dictionaries } from "./generation.ts";

export class ListedPart {
  readonly #clicks: AccountColumns;
  readonly #dictionaries: Dictionaries;
  /** Texts that were looked up, by number. */
  readonly #texts: Record<DictionaryField, Map<number, string>> = {
    link: new Map(),
    rule: new Map(),
    destination: new Map(),
    qr: new Map(),
  };

  constructor(clicks: AccountColumns, dictionaries: Dictionaries) {
    this.#clicks = clicks;
    this.#dictionaries = dictionaries;
  }

  place(i: number): ClickPlace {
    const at = this.#clicks.times()[i] ?? 0;
    return { at, linkId: this.#text("link", i), seq: (this.#clicks.positions()[i] ?? 0) + 1 };
  }

  click(i: number): AccountClick {
    const { at, linkId, seq } = this.place(i);
    const qr = this.#text("qr", i);
    return {
      link_id: linkId,
      domain: this.#value("domain", i),
      seq,
      occurred_at: timestamp(at),
      class: classOf(this.#value("class", i)),
      revision: Number(this.#value("revision", i)),
      ...mapFacts((fact) => factKey(fact, this.#value(fact, i))),
      rule: this.#text("rule", i) || OTHER_KEY,
      destination: this.#text("destination", i) || OTHER_KEY,
      source: qr ? "qr" : "link",
      qr_id: qr || null,
    };
  }

  #value(field: AccountField, i: number): string {
    const { values, indexes } = this.#clicks.column(field);
    return String(values[indexes?.[i] ?? 0] ?? "");
  }

  #text(field: DictionaryField, i: number): string {
    const number = Number(this.#value(field, i));
    let text = this.#texts[field].get(number);
    if (text === undefined) {
      text = this.#dictionaries[field].textOf(number);
      this.#texts[field].set(number, text);
    }
    return text;
  }
}
