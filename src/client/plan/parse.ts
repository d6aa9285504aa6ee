/** Parses `links.yaml` into links with their first lines, or into all problems with their positions. Pure. */
import type { Problem } from "../../core/errors.ts";
import { TAGS_MAX } from "../../core/limits.ts";
import { CONDITION_NAMES, nearestName, problemsOf } from "../../core/contract/zod-problems.ts";
import { unreachableRuleProblems } from "../../core/links/unreachable-rules.ts";
import { openingTimesProblems } from "../../core/links/opening-times.ts";
import { FileLink, LinksFile } from "./links-file.ts";
import { withManagedTag } from "./members.ts";
import { parseYaml, type TextProblem, type YamlText } from "./yaml-text.ts";

export interface ParsedFile {
  file: LinksFile;
  /** The line on which each link begins. */
  lines: number[];
}

export function parseLinksFile(text: string): ParsedFile | { problems: TextProblem[] } {
  const yaml = parseYaml(text);
  if ("problems" in yaml) return yaml;
  const read = LinksFile.safeParse(yaml.value);
  if (!read.success) return { problems: problemsOf(read.error).map((problem) => placed(problem, yaml)) };
  const { data: file } = read;
  const problems = file.links.flatMap((link, i) => linkProblems(link, file.managed_by, `links.${i}.`));
  if (problems.length > 0) return { problems: problems.map((problem) => placed(problem, yaml)) };
  return { file, lines: file.links.map((_, i) => yaml.positionOf(`links.${i}`).line) };
}

/** Rewords messages of the API for a file, and adds the fix. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^The body must be of type object, .*/, "The file must have a list called links"],
  [/^The body /, "The file "],
  [/must be of type string, not (?:number|boolean)$/, "must be a string: put it in quotes"],
  [/must be of type array, not \w+$/, "must be a list: [a, b], or one line that begins with - for each item"],
];

function placed({ path, code, message }: Problem, yaml: YamlText): TextProblem {
  const position = yaml.positionOf(path);
  if (code === "unknown_field") {
    const parts = path.split(".");
    const near = nearestName(parts.pop() ?? "", namesIn(parts));
    return { message: `${path} is not a member${near ? `: did you mean ${near}?` : ""}`, ...position };
  }
  return { message: WORDS.reduce((text, [api, file]) => text.replace(api, file), message), ...position };
}

/** Finds problems that the schema cannot detect. */
function linkProblems(link: FileLink, managedBy: string | undefined, prefix: string): Problem[] {
  const { startsAt, expiresAt } = { startsAt: epochMs(link.starts_at), expiresAt: epochMs(link.expires_at) };
  const rules = (link.routing ?? []).map((rule, index) => ({ index, if: rule.if }));
  return [
    ...openingTimesProblems({ startsAt, expiresAt }, null),
    ...unreachableRuleProblems(rules),
    ...tagProblems(link, managedBy),
  ].map(({ path, code, message }) => ({ path: prefix + path, code, message: prefix + message }));
}

function tagProblems({ tags }: FileLink, managedBy: string | undefined): Problem[] {
  if (withManagedTag(tags ?? [], managedBy).length <= TAGS_MAX) return [];
  const message = `tags must have at most ${TAGS_MAX - 1} tags in addition to managed_by`;
  return [{ path: "tags", code: "too_big", message }];
}

function epochMs(time: string | null | undefined): number | null {
  return time ? Date.parse(time) : null;
}

const SOCIAL_NAMES = ["title", "description", "image"];
const RULE_NAMES = ["if", "to"];
const ALIAS_NAMES = ["slug", "domain"];
const TIME_NAMES = ["tz", "days", "from", "to"];

/** @param parent  path of an unknown member's parent, e.g. `links.3.routing.0.if` */
function namesIn(parent: readonly string[]): readonly string[] {
  if (parent.length === 0) return Object.keys(LinksFile.shape);
  if (parent.length === 2) return Object.keys(FileLink.shape);
  if (parent.length === 3) return SOCIAL_NAMES;
  if (parent.length === 4) return parent[2] === "aliases" ? ALIAS_NAMES : RULE_NAMES;
  return parent.at(-1) === "time" ? TIME_NAMES : CONDITION_NAMES;
}
