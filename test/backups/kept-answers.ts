/** What an installation answered when its backup was kept. */
export const ANSWERS = "answers.json";

/** Who has the links. */
export const HOLDER = { email: "holder@example.com", password: "correct horse battery" };
export const SUSPENDED = "suspended@example.com";

export interface KeptAnswers {
  /** Its id. */
  account: string;
  /** By path. */
  api: Record<string, Record<string, unknown>>;
  /** By URL. */
  visits: Record<string, { status: number; location: string | null }>;
}
