/** The API's errors for a link, by input, in the words of the forms. Pure. */
import type { Problem } from "../../../core/errors.ts";
import {
  LINK_PASSWORD_MAX_CHARS,
  LINK_PASSWORD_MIN_CHARS,
  SOCIAL_DESCRIPTION_MAX_CHARS,
  SOCIAL_TITLE_MAX_CHARS,
  TAG_MAX_CHARS,
  TITLE_MAX_CHARS,
} from "../../../core/limits.ts";
import { linkErrorTexts as texts, passwordTexts } from "../../texts/link-form.ts";
import { ruleMessage } from "../link/rules/rule-problems.ts";

/** The first message of each input. */
export function linkErrors(problems: readonly Problem[]): Record<string, string> {
  return Object.fromEntries(problems.toReversed().map((problem) => [fieldOf(problem), messageOf(problem)]));
}

/** `tags.2` belongs to the input for tags. Each text of the card and each part of an alias has its own input. */
function fieldOf({ path }: Problem): string {
  if (path.startsWith("social.")) return path;
  if (/^aliases\.\d+/.test(path))
    return path.endsWith(".domain") ? path : path.replace(/^(aliases\.\d+).*$/, "$1.slug");
  return path.split(".")[0] ?? path;
}

function messageOf(problem: Problem): string {
  const { path, code, message } = problem;
  const withoutPath = message.startsWith(`${path} `) ? message.slice(path.length + 1) : message;
  if (code === "wrong_order") return texts.opensAfterEnd;
  if (code === "slug_taken") return texts.slugTaken;
  switch (fieldOf(problem)) {
    case "title":
      return texts.titleError(TITLE_MAX_CHARS);
    case "social.title":
      return texts.titleError(SOCIAL_TITLE_MAX_CHARS);
    case "social.description":
      return texts.titleError(SOCIAL_DESCRIPTION_MAX_CHARS);
    case "tags":
      return message.includes(" again") ? texts.tagTwice : texts.tagsError(TAG_MAX_CHARS);
    case "password":
      return passwordTexts.error(LINK_PASSWORD_MIN_CHARS, LINK_PASSWORD_MAX_CHARS);
    case "slug":
      return texts.slug(withoutPath);
    default:
      return ruleMessage(withoutPath);
  }
}
