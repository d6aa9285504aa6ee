import { expect, test } from "vitest";

import {
  changedMembers,
  FLAG_MEMBERS,
  isFlag,
  isUnset,
  LINK_MEMBER_NAMES,
  memberKind,
  REVISION_MEMBERS,
  SHOWN_MEMBERS,
  UNSET_CONTENT,
} from "../../../src/core/links/link-members.ts";

const FLAGS = ["forward_query", "forward_path", "noindex", "paused", "archived"];

test("each member has a kind, and other names have none", () => {
  const kinds = LINK_MEMBER_NAMES.filter((name) => !isFlag(name)).map((name) => `${name}: ${memberKind(name)}`);
  expect(kinds.join(", ")).toBe(
    "url: destination, routing: rules, expires_at: time, title: text, tags: tags, starts_at: time, fallback_url: url, " +
      "redirect_status: choice, password: secret, social: card, aliases: aliases",
  );
  for (const name of ["", "expiresAt", "password_protected", "constructor"]) expect(memberKind(name)).toBeUndefined();
  expect(FLAG_MEMBERS).toEqual(FLAGS);
  expect(isFlag("constructor")).toBe(false);
});

test("responses say only that there is a password, and the history has it not at all", () => {
  const shown = LINK_MEMBER_NAMES.map((name) => (name === "password" ? "password_protected" : name));
  expect(SHOWN_MEMBERS).toEqual(shown);
  expect(REVISION_MEMBERS).toEqual([...LINK_MEMBER_NAMES.filter((name) => name !== "password"), "disabled"]);
});

test("members that are not set, in records", () => {
  const nothing = { expiresAt: null, title: null, startsAt: null, fallbackUrl: null, redirectStatus: null };
  const flags = { forwardQuery: false, forwardPath: false, noindex: false, paused: false, archived: false };
  const others = { url: "", routing: [], tags: [], password: null, social: null, aliases: [] };
  expect(UNSET_CONTENT).toEqual({ ...nothing, ...flags, ...others });
});

test.each([
  ["title", [null, undefined], ["a", 302]],
  ["paused", [null, false], [true]],
  ["expires_at", [null], [0]],
  ["tags", [null, []], [["a"]]],
  ["social", [null, {}], [{ title: "a" }]],
  ["redirect_status", [null, undefined, 302], [301, "302"]],
])("%s is not set by %j, but by %j", (name, unset, set) => {
  expect(unset.map((value) => isUnset(name, value))).not.toContain(false);
  expect(set.map((value) => isUnset(name, value))).not.toContain(true);
});

test.each([
  [{ url: "a", tags: ["b"] }, { url: "a", tags: ["b"] }, []],
  [{ url: "a" }, { url: "b" }, ["url"]],
  [{ tags: ["a", "b"] }, { tags: ["b", "a"] }, ["tags"]],
  [{ tags: null }, {}, ["tags"]],
  [{ tags: [1], url: "a" }, { tags: [2], url: "b" }, ["url", "tags"]],
  [{ title: "a" }, { title: "b" }, []],
])("between %j and %j changes %j", (one, other, changed) => {
  expect(changedMembers<string>(["url", "tags"], one, other)).toEqual(changed);
});
