/** The tags that links have now, kept until the counter of their changes grows. */
import type { AccountReference } from "../../core/clicks/protocol/account-object-rpc.ts";
import { readLinkTags } from "../../store/links/account-statistics.ts";

type TagsByLink = ReadonlyMap<string, readonly string[]>;

export class TagCache {
  readonly #env: Env;
  /** `link_counts.tag_changes` when the tags were read; null before. */
  #changes: number | null = null;
  #tags: TagsByLink = new Map();
  /** One question reads them for all: rows of a large account fill much of the object's memory. */
  #reading: Promise<void> | null = null;

  constructor(env: Env) {
    this.#env = env;
  }

  /** @param changes  `link_counts.tag_changes`; null where no tags are needed */
  async tagsOf(account: AccountReference, changes: number | null): Promise<(linkId: string) => readonly string[]> {
    if (changes !== null && changes !== this.#changes) await this.#refresh(account, changes);
    const tags = this.#tags;
    return (linkId) => tags.get(linkId) ?? [];
  }

  async #refresh(account: AccountReference, changes: number): Promise<void> {
    // It began before this question came, so that it may lack the last change.
    await this.#reading?.catch(() => undefined);
    if (changes === this.#changes) return;
    await (this.#reading ??= this.#read(account, changes).finally(() => (this.#reading = null)));
  }

  async #read(account: AccountReference, changes: number): Promise<void> {
    this.#tags = tagsByLink(await readLinkTags(this.#env, account));
    this.#changes = changes;
  }
}

/** Each tag is one text in memory, however many links have it. */
function tagsByLink(rows: readonly { linkId: string; tag: string }[]): TagsByLink {
  const texts = new Map<string, string>();
  const byLink = new Map<string, string[]>();
  for (const { linkId, tag } of rows) {
    const text = texts.get(tag) ?? tag;
    texts.set(text, text);
    const tags = byLink.get(linkId);
    if (tags) tags.push(text);
    else byLink.set(linkId, [text]);
  }
  return byLink;
}
