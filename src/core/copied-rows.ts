/** Compares rows with their copies in another database. Pure. */

export interface CopiedRow {
  accountId: string;
  /** JSON of everything that is copied, its key included. */
  content: string;
}

/** The accounts with rows that one side lacks, or has otherwise. */
export function differingAccounts(home: readonly CopiedRow[], copies: readonly CopiedRow[]): Set<string> {
  const [atHome, copied] = [home, copies].map((rows) => new Set(rows.map(({ content }) => content)));
  const missing = home.filter(({ content }) => !copied?.has(content));
  const surplus = copies.filter(({ content }) => !atHome?.has(content));
  return new Set([...missing, ...surplus].map(({ accountId }) => accountId));
}
