/** Members of a link in a sentence. */
import type { RevisionMember } from "../../../../core/links/content-changes.ts";
import { historyTexts as texts } from "../../../texts/history.ts";

const LIST = new Intl.ListFormat("en-GB", { type: "conjunction" });

export function memberNames(members: readonly RevisionMember[]): string {
  return LIST.format(members.map((member) => texts.members[member]));
}
