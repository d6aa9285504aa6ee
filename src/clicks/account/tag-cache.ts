/** The tags that links have now, kept until the counter of their changes grows. */
import type { AccountReference } from "../../core/clicks/account-object-rpc.ts";
import { readLinkTags } from "../../store/links/account-statistics.ts";

export class TagCache {
  readonly #env: Env;
  /** `link_counts.tag_changes` when the tags were read; null before. */
  #changes: number | null = null;
  #tags: ReadonlyMap<string, readonly string[]> = new Map();

  constructor(env: Env) {
    this.#env = env;
  }

  /** @param changes  `link_counts.tag_changes`; null where no tags are needed */
  async tagsOf(account: AccountReference, changes: number | null): Promise<(linkId: string) => readonly string[]> {
    if (changes !== null && changes !== this.#changes) {
      this.#tags = tagsByLink(await readLinkTags(this.#env, account));
      this.#changes = changes;
    }
    const tags = this.#tags;
    return (linkId) => tags.get(linkId) ?? [];
  }
}

/** Links with the same tags share them. */
function tagsByLink(rows: readonly { linkId: string; tag: string }[]): ReadonlyMap<string, readonly string[]> {
  const sets = new Map<string, readonly string[]>([["", []]]);
  const byLink = new Map<string, readonly string[]>();
  for (const { linkId, tag } of rows) {
    const tags = [...(byLink.get(linkId) ?? []), tag];
    const name = JSON.stringify(tags);
    const known = sets.get(name) ?? tags;
    sets.set(name, known);
    byLink.set(linkId, known);
  }
  return byLink;
}
