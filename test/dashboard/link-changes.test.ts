/** The form that edits a link sends only edited fields, and clears emptied ones. */
import { describe, expect, test } from "vitest";

import { type Link, UpdateLink } from "../../src/core/contract/links.ts";
import { problemsOf } from "../../src/core/contract/zod-problems.ts";
import {
  copiedLinkForm,
  type EditLinkValues,
  linkErrors,
  newLinkForm,
  passwordProblem,
  replaceDestinations,
  toCreateLink,
  toEditLinkValues,
  toLinkChanges,
} from "../../src/dashboard/pages/links/link-form.ts";

const PLAIN: Link = {
  id: "lnk_01kajm2t4g8q5v7w9x3y6z1a2b",
  slug: "spring",
  domain: "short.example.com",
  short_url: "https://short.example.com/spring",
  url: "https://example.com/",
  routing: [],
  expires_at: null,
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-01T00:00:00.000Z",
};
const FULL: Link = {
  ...PLAIN,
  title: "Spring",
  tags: ["print", "Berlin"],
  starts_at: "2026-03-01T08:00:00.123Z",
  expires_at: "2026-06-01T08:00:00.456Z",
  fallback_url: "https://example.com/soon",
  forward_query: true,
  redirect_status: 307,
  social: { title: "Card", image: "https://example.com/card.png" },
};

const changes = (link: Link, edited: Partial<EditLinkValues>) =>
  toLinkChanges(link, { ...toEditLinkValues(link), ...edited });

describe("a duplicate", () => {
  test("has everything but the address, and is neither closed nor hidden", () => {
    const link: Link = { ...FULL, paused: true, archived: true, aliases: [], expires_at: "2999-06-01T08:00:00.000Z" };
    const form = copiedLinkForm(link, ["go.example.com", PLAIN.domain]);
    expect(form).toMatchObject({ slug: "", domain: PLAIN.domain, aliases: [] });
    const { starts_at: _past, aliases: _aliases, redirect_status, ...values } = FULL;
    const { url, title, tags, fallback_url, forward_query, social } = values;
    expect(toCreateLink(form)).toEqual({
      url,
      title,
      tags,
      fallback_url,
      forward_query,
      social,
      redirect_status,
      domain: PLAIN.domain,
      expires_at: link.expires_at,
    });
  });

  test("is on the default domain if that of the link is not active, and open if the link has ended", () => {
    expect(copiedLinkForm(FULL, ["go.example.com"])).toMatchObject({ domain: "", expires_at: "" });
  });
});

describe("find and replace in destinations", () => {
  const ALL = { rules: true, fallback: true };
  const link = {
    url: "https://old.example/a?next=https://old.example/b",
    routing: [
      { if: { country: "DE" }, to: "https://old.example/de" },
      { if: { country: "FR" }, to: "https://other.example/fr" },
    ],
    fallback_url: "https://old.example/over",
  };
  const replaced = (find: string, replacement: string, parts = ALL) =>
    replaceDestinations(link, find, replacement, parts);

  test("changes every occurrence, and only the members that contain the text", () => {
    expect(replaced("old.example", "$&.new.example").changes).toEqual({
      url: "https://$&.new.example/a?next=https://$&.new.example/b",
      routing: [
        { if: { country: "DE" }, to: "https://$&.new.example/de" },
        { if: { country: "FR" }, to: "https://other.example/fr" },
      ],
      fallback_url: "https://$&.new.example/over",
    });
    expect(replaced("/over", "/past").changes).toEqual({ fallback_url: "https://old.example/past" });
    expect(replaced("/de", "/at").changes).toEqual({
      routing: [{ if: { country: "DE" }, to: "https://old.example/at" }, link.routing[1]],
    });
    expect(replaced("old.example", "new.example", { rules: false, fallback: false }).changes).toEqual({
      url: "https://new.example/a?next=https://new.example/b",
    });
  });

  test("lists each change, and says which results are not URLs", () => {
    expect(replaced("https://old.example/", "x:").texts).toEqual([
      { before: link.url, after: "x:a?next=x:b", isUrl: false },
      { before: "https://old.example/de", after: "x:de", isUrl: false },
      { before: "https://old.example/over", after: "x:over", isUrl: false },
    ]);
    expect(replaced("/fr", "/be").texts.map(({ isUrl }) => isUrl)).toEqual([true]);
  });

  test.each([
    ["", "x"],
    ["nowhere", "x"],
    ["OLD.example", "x"],
    ["old", "old"],
  ])("changes nothing: %j to %j", (find, replacement) => {
    expect(replaced(find, replacement)).toEqual({ changes: null, texts: [] });
  });
});

describe("4, 12 editing a link", () => {
  test.each([
    ["a plain link", PLAIN],
    ["a link with every member", FULL],
  ])("%s that is not edited sends nothing", (_, link) => {
    expect(changes(link, {})).toEqual({});
    expect(changes(link, { url: ` ${link.url} ` })).toEqual({});
  });

  test.each<[Partial<EditLinkValues>, Record<string, unknown>]>([
    [{ url: "example.com/new" }, { url: "https://example.com/new" }],
    [{ title: " Summer " }, { title: "Summer" }],
    [{ title: " " }, { title: null }],
    [{ tags: ["Berlin", "print"] }, { tags: ["Berlin", "print"] }],
    [{ tags: [] }, { tags: null }],
    [{ starts_at: "" }, { starts_at: null }],
    [{ expires_at: "" }, { expires_at: null }],
    [{ fallback_url: "example.com/closed" }, { fallback_url: "https://example.com/closed" }],
    [{ fallback_url: "" }, { fallback_url: null }],
    [{ forward_query: false }, { forward_query: false }],
    [{ redirect_status: "301" }, { redirect_status: 301 }],
    [{ redirect_status: "302" }, { redirect_status: null }],
    [
      { social: { title: " Other ", description: "Text", image: "example.com/a.png" } },
      { social: { title: "Other", description: "Text", image: "https://example.com/a.png" } },
    ],
    [{ social: { title: " ", description: "", image: "" } }, { social: null }],
  ])("%j sends only %j", (edited, sent) => {
    expect(changes(FULL, edited)).toEqual(sent);
    expect(UpdateLink.safeParse(sent).success).toBe(true);
  });

  const PROTECTED: Link = { ...PLAIN, password_protected: true };

  test.each<[Link, Partial<EditLinkValues>, Record<string, unknown>]>([
    [PLAIN, { password_protected: true, password: "secret" }, { password: "secret" }],
    [PLAIN, { password: "typed, then switched off" }, {}],
    [PROTECTED, {}, {}],
    [PROTECTED, { password: "another" }, { password: "another" }],
    [PROTECTED, { password_protected: false }, { password: null }],
    [PROTECTED, { password_protected: false, password: "typed" }, { password: null }],
  ])("17 a password of %j is set, kept, changed or removed: %j sends %j", (link, edited, sent) => {
    expect(JSON.parse(JSON.stringify(changes(link, edited)))).toEqual(sent);
  });

  test("17 only a link that has a password needs none to be typed", () => {
    const values = { password_protected: true, password: "" };
    expect([passwordProblem(values), passwordProblem(values, PLAIN)]).toEqual(["Enter a password", "Enter a password"]);
    expect(passwordProblem(values, PROTECTED)).toBeNull();
    expect(passwordProblem({ ...values, password: "x" })).toBeNull();
    const sent = toCreateLink({ ...newLinkForm("example.com"), password_protected: true, password: "secret" });
    expect(sent).toEqual({ url: "https://example.com", password: "secret" });
  });

  test("API errors are shown at their inputs, in the form's words", () => {
    const sent = {
      url: "nowhere",
      title: "x".repeat(201),
      tags: ["a", "A"],
      starts_at: "soon",
      fallback_url: "ftp://example.com",
      social: { title: "x".repeat(201), image: "http://example.com/a.png" },
      password: "short",
    };
    const { error } = UpdateLink.safeParse(sent);
    expect(error && linkErrors(problemsOf(error))).toEqual({
      url: "Enter a web address, such as https://example.com/page.",
      title: "Use 1 to 200 characters.",
      tags: "Remove the duplicate tag. Upper and lower case count as the same.",
      starts_at: "Choose a date and a time.",
      fallback_url: "The address must start with http:// or https://.",
      "social.title": "Use 1 to 200 characters.",
      "social.image": "The address must start with https://.",
      password: "Use 6 to 128 characters.",
    });
  });
});
