/** What the API refused of a link's changes, by input, in the words of the form. Pure. */
import type { Problem } from "../../../core/errors.ts";
import { TAG_MAX_CHARS, TITLE_MAX_CHARS } from "../../../core/limits.ts";
import { editLinkTexts as texts } from "../../texts.ts";
import { ruleMessage } from "./rules/rule-messages.ts";

export function editLinkErrors(problems: readonly Problem[]): Record<string, string> {
  return Object.fromEntries(problems.map((problem) => [fieldOf(problem), messageOf(problem)]));
}

/** `tags.2` is a problem of the input for tags. */
function fieldOf({ path }: Problem): string {
  return path.split(".")[0] ?? path;
}

function messageOf(problem: Problem): string {
  const { path, code, message } = problem;
  if (code === "wrong_order") return texts.opensAfterEnd;
  switch (fieldOf(problem)) {
    case "title":
      return texts.titleError(TITLE_MAX_CHARS);
    case "tags":
      return message.includes(" again") ? texts.tagTwice : texts.tagsError(TAG_MAX_CHARS);
    default:
      return ruleMessage(message.startsWith(`${path} `) ? message.slice(path.length + 1) : message);
  }
}
