import { describe, expect, test } from "vitest";

import { hostsOf, hostsOfLink } from "../../../../src/core/deployment/settings.ts";
import { factKey, mapFacts } from "../../../../src/core/clicks/facts.ts";
import type { ListedClick } from "../../../../src/core/clicks/protocol/link-object-rpc.ts";
import type { LinkSnapshot } from "../../../../src/core/links/link-snapshot.ts";
import { clickEvent, wireClick } from "../../../../src/core/clicks/protocol/wire-click.ts";

const HOSTS = hostsOf(
  {
    BASE_URL: "https://api.hop.example",
    SHORT_DOMAIN: "hop.example",
    TEST_SHORT_DOMAIN: "test.hop.example",
  },
  "",
);

const KNOWN: ListedClick = {
  ...mapFacts(() => ""),
  position: 41,
  at: Date.parse("2026-11-21T09:00:00.000Z"),
  class: "human",
  revision: 3,
  country: "DE",
  continent: "EU",
  region: "DE-BE",
  city: "Berlin",
  device: "mobile",
  os: "ios",
  browser: "safari",
  language: "de-DE",
  referrer: "t.co",
  utm_source: "newsletter",
  utm_medium: "email",
  utm_campaign: "spring",
  utm_term: "shoes",
  utm_content: "banner",
  qr: "qr_1",
  rule: "rule:2",
  destination: "https://example.com/a",
};

const UNKNOWN: ListedClick = {
  ...KNOWN,
  ...mapFacts(() => ""),
  qr: "",
};

describe("a click on the wire", () => {
  test("has its known facts", () => {
    expect(wireClick(KNOWN)).toEqual({
      ...mapFacts((fact) => factKey(fact, "")),
      seq: 42,
      occurred_at: "2026-11-21T09:00:00.000Z",
      class: "human",
      revision: 3,
      country: "DE",
      continent: "EU",
      region: "DE-BE",
      city: "Berlin",
      device: "mobile",
      os: "ios",
      browser: "safari",
      language: "de-DE",
      referrer: "t.co",
      utm_source: "newsletter",
      utm_medium: "email",
      utm_campaign: "spring",
      utm_term: "shoes",
      utm_content: "banner",
      rule: "rule:2",
      destination: "https://example.com/a",
      source: "qr",
      qr_id: "qr_1",
      imported: false,
    });
  });

  test("marks other facts as unknown, with the keys of the statistics", () => {
    expect(wireClick(UNKNOWN)).toMatchObject({
      country: "unknown",
      continent: "unknown",
      region: "unknown",
      city: "unknown",
      device: "unknown",
      os: "unknown",
      browser: "unknown",
      language: "unknown",
      referrer: "direct",
      utm_source: "none",
      utm_medium: "none",
      utm_campaign: "none",
      utm_term: "none",
      utm_content: "none",
      source: "link",
      qr_id: null,
    });
  });
});

describe("a click as an event", () => {
  const link = { id: "lnk_01kajm2t4g8q5v7w9x3y6z1a2b", slug: "spring", domain: "go.ann.example" } as LinkSnapshot;

  test("is named after the link and the click's place in its log", () => {
    expect(clickEvent(link, KNOWN, HOSTS)).toEqual({
      id: "evt_01kajm2t4g8q5v7w9x3y6z1a2b0000001a",
      type: "click",
      occurred_at: "2026-11-21T09:00:00.000Z",
      link_id: "lnk_01kajm2t4g8q5v7w9x3y6z1a2b",
      slug: "spring",
      domain: "go.ann.example",
      short_url: "https://go.ann.example/spring",
      destination: "https://example.com/a",
      rule: "rule:2",
      country: "DE",
      device: "mobile",
      referrer: "t.co",
      source: "qr",
      qr_id: "qr_1",
    });
    const testLink = { ...link, domain: "hop.acme.workers.dev/t" };
    expect(clickEvent(testLink, KNOWN, hostsOfLink({}, testLink.domain))).toMatchObject({
      domain: "hop.acme.workers.dev",
      short_url: "https://hop.acme.workers.dev/t/spring",
    });
    expect(clickEvent(link, { ...UNKNOWN, position: 2 ** 40 - 2 }, HOSTS)).toMatchObject({
      id: "evt_01kajm2t4g8q5v7w9x3y6z1a2bzzzzzzzz",
      referrer: "direct",
      source: "link",
      qr_id: null,
    });
  });
});
