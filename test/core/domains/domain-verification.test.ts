import { describe, expect, test } from "vitest";

import {
  canonicalDnsName,
  cnameChain,
  type CnameLookup,
  type DnsAnswer,
  type DnsRecord,
  type DomainStatus,
  type Finding,
  judgeCname,
  judgeTxt,
  lookupFailure,
  nextDomainStatus,
  NOT_CHECKED,
  type RecordStatus,
  VERIFIED_ELSEWHERE,
} from "../../../src/core/domains/domain-verification.ts";

describe("10 the states of a domain", () => {
  test.each<[DomainStatus, RecordStatus[], DomainStatus]>([
    ["pending", ["active", "active"], "active"],
    ["pending", ["active", "missing"], "pending"],
    ["pending", ["failed", "failed"], "pending"],
    ["pending", ["active", "unknown"], "pending"],
    ["active", ["active", "active"], "active"],
    ["active", ["active", "missing"], "misconfigured"],
    ["active", ["failed", "active"], "misconfigured"],
    ["active", ["unknown", "active"], "active"],
    ["active", ["unknown", "unknown"], "active"],
    ["active", ["unknown", "missing"], "misconfigured"],
    ["active", ["active", "active", "pending"], "active"],
    ["active", ["active", "active", "failed"], "misconfigured"],
    ["misconfigured", ["active", "active"], "active"],
    ["misconfigured", ["active", "unknown"], "misconfigured"],
    ["misconfigured", ["active", "active", "pending"], "misconfigured"],
    ["misconfigured", ["missing", "missing"], "misconfigured"],
  ])("%s, with records that are %j, becomes %s", (before, [cname, txt, certificate], after) => {
    const finding = (status: RecordStatus = "active") => ({ status, reason: null });
    const findings = { cname: finding(cname), txt: finding(txt) };
    expect(nextDomainStatus(before, certificate ? { ...findings, certificate: finding(certificate) } : findings)).toBe(
      after,
    );
  });
});

describe("10 chains of CNAME records", () => {
  const cname = (name: string, data: string): DnsRecord => ({ type: "CNAME", name, data });

  test.each<[DnsRecord[], string[]]>([
    [[], ["a.example"]],
    [[cname("A.Example.", "B.example.")], ["a.example", "b.example"]],
    [
      [cname("b.example", "c.example"), cname("a.example", "b.example")],
      ["a.example", "b.example", "c.example"],
    ],
    [[cname("a.example", "a.example")], ["a.example", "a.example"]],
    [[cname("x.example", "b.example")], ["a.example"]],
    [[{ type: "A", name: "a.example", data: "192.0.2.1" }], ["a.example"]],
  ])("%j", (records, chain) => {
    expect(cnameChain("a.example", records)).toEqual(chain);
  });
});

const SILENT: DnsAnswer = { kind: "silent", why: "it is silent" };
const NXDOMAIN: DnsAnswer = { kind: "answer", rcode: "NXDOMAIN", records: [] };
const SERVFAIL: DnsAnswer = { kind: "answer", rcode: "SERVFAIL", records: [] };
const NOTHING: DnsAnswer = { kind: "answer", rcode: "NOERROR", records: [] };

function answer(...records: DnsRecord[]): DnsAnswer {
  return { kind: "answer", rcode: "NOERROR", records };
}

function records(type: DnsRecord["type"], ...data: string[]): DnsAnswer {
  return answer(...data.map((text) => ({ type, name: "a.example", data: text })));
}

describe("10 the TXT record", () => {
  const NAME = "_hoplink-verify.a.example";
  const TOKEN = "hoplink=AbC";
  const quoted = `${NAME} has the value within quotation marks or spaces, which is accepted.`;
  const otherCase = `${NAME} has the value in different upper and lower case. It must match exactly.`;
  const otherText = `${NAME} has the value with other text around it. The record must contain only the value.`;

  test.each<[string, DnsAnswer, Finding]>([
    ["the value", records("TXT", TOKEN), { status: "active", reason: null }],
    ["the value among others", records("TXT", "spf", TOKEN, "x"), { status: "active", reason: null }],
    ["the value next to a quoted one", records("TXT", `"${TOKEN}"`, TOKEN), { status: "active", reason: null }],
    ["within quotation marks", records("TXT", `"${TOKEN}"`), { status: "active", reason: quoted }],
    ["within spaces, among others", records("TXT", "spf", `  ${TOKEN} `), { status: "active", reason: quoted }],
    ["within both", records("TXT", ` " ${TOKEN} " `), { status: "active", reason: quoted }],
    [
      "in several strings with quotation marks each",
      records("TXT", '"hoplink"   "=AbC"'),
      { status: "active", reason: quoted },
    ],
    ["a quotation mark before", records("TXT", `"${TOKEN}`), { status: "failed", reason: otherText }],
    ["a quotation mark after", records("TXT", `${TOKEN}"`), { status: "failed", reason: otherText }],
    ["quotation marks within text", records("TXT", `x"${TOKEN}"`), { status: "failed", reason: otherText }],
    ["quotation marks before text", records("TXT", `"${TOKEN}"x`), { status: "failed", reason: otherText }],
    ["in another case", records("TXT", "spf", "HOPLINK=abc"), { status: "failed", reason: otherCase }],
    ["in another case and quotation marks", records("TXT", '"hoplink=abc"'), { status: "failed", reason: otherCase }],
    ["with text around it", records("TXT", "spf", `v=${TOKEN};`), { status: "failed", reason: otherText }],
    ["another value", records("TXT", "spf"), { status: "failed", reason: `${NAME} has another value: "spf".` }],
    [
      "other values",
      records("TXT", "a", 'b"'),
      { status: "failed", reason: `${NAME} has 2 TXT records, none with the value: "a", "b\\"".` },
    ],
    [
      "five other values",
      records("TXT", "1", "2", "3", "4", "5"),
      { status: "failed", reason: `${NAME} has 5 TXT records, none with the value: "1", "2", "3", "4", "5".` },
    ],
    [
      "more than five",
      records("TXT", "1", "2", "3", "4", "5", "6", "7"),
      {
        status: "failed",
        reason: `${NAME} has 7 TXT records, none with the value: "1", "2", "3", "4", "5" and 2 more.`,
      },
    ],
    [
      "80 characters",
      records("TXT", "x".repeat(80)),
      { status: "failed", reason: `${NAME} has another value: "${"x".repeat(80)}".` },
    ],
    [
      "81 characters",
      records("TXT", "x".repeat(81)),
      { status: "failed", reason: `${NAME} has another value: "${"x".repeat(80)}…".` },
    ],
    ["no name", NXDOMAIN, { status: "missing", reason: `${NAME} does not exist in DNS (NXDOMAIN).` }],
    ["no record", NOTHING, { status: "missing", reason: `${NAME} exists but has no TXT record.` }],
    [
      "records of other types",
      records("A", TOKEN),
      { status: "missing", reason: `${NAME} exists but has no TXT record.` },
    ],
    [
      "no response",
      SILENT,
      { status: "unknown", reason: `${NAME} could not be looked up, because it is silent. It will be retried.` },
    ],
    [
      "an error of the name servers",
      SERVFAIL,
      {
        status: "unknown",
        reason: `${NAME} could not be looked up, because its name servers fail (SERVFAIL). It will be retried.`,
      },
    ],
  ])("%s", (_name, found, finding) => {
    expect(judgeTxt(NAME, TOKEN, found)).toEqual(finding);
  });
});

describe("10 the route to the target", () => {
  const ROUTE: CnameLookup = {
    domain: "a.example",
    target: "t.example",
    apex: false,
    chain: ["a.example"],
    chainFailure: null,
    cname: NOTHING,
    addresses: [NOTHING, NOTHING],
    targetAddresses: [records("A", "192.0.2.1", "192.0.2.2"), records("AAAA", "2001:db8::1")],
  };
  const proxied = "Set a CNAME to t.example, and switch off any proxy in front of it.";
  const flattened = "An apex name cannot have a CNAME: use an ALIAS, an ANAME or CNAME flattening to t.example";

  test.each<[string, Partial<CnameLookup>, Finding]>([
    ["a CNAME", { chain: ["a.example", "t.example"] }, { status: "active", reason: null }],
    [
      "a CNAME through other names",
      { chain: ["a.example", "b.example", "c.example", "t.example", "cdn.example"] },
      { status: "active", reason: "a.example leads here through b.example, c.example." },
    ],
    [
      "a CNAME that leads here, and cannot be followed further",
      { chain: ["a.example", "t.example"], chainFailure: "it is silent" },
      { status: "active", reason: null },
    ],
    [
      "a CNAME to elsewhere",
      { chain: ["a.example", "b.example"] },
      { status: "failed", reason: "a.example leads to b.example, not to t.example." },
    ],
    [
      "a chain to elsewhere, whatever the addresses",
      { chain: ["a.example", "b.example", "c.example"], addresses: [records("A", "192.0.2.1")] },
      { status: "failed", reason: "a.example leads to b.example, c.example, not to t.example." },
    ],
    [
      "a chain that is interrupted",
      { chain: ["a.example", "b.example", "c.example"], chainFailure: "it is silent" },
      { status: "unknown", reason: "c.example could not be looked up, because it is silent. It will be retried." },
    ],
    [
      "a circle",
      { chain: ["a.example", "b.example", "c.example", "b.example"] },
      {
        status: "failed",
        reason: "The CNAME records of a.example form a loop: a.example → b.example → c.example → b.example.",
      },
    ],
    [
      "a name that points to itself",
      { chain: ["a.example", "a.example"] },
      { status: "failed", reason: "The CNAME records of a.example form a loop: a.example → a.example." },
    ],
    ["no name", { cname: NXDOMAIN }, { status: "missing", reason: "a.example does not exist in DNS (NXDOMAIN)." }],
    [
      "no name, and no response for the addresses",
      { cname: NXDOMAIN, addresses: [SILENT] },
      { status: "missing", reason: "a.example does not exist in DNS (NXDOMAIN)." },
    ],
    ["no record", {}, { status: "missing", reason: "a.example exists but has no CNAME record and no address." }],
    [
      "no record at an apex",
      { apex: true },
      {
        status: "missing",
        reason: `a.example exists but has no CNAME record and no address. ${flattened}, or a sub-domain.`,
      },
    ],
    [
      "no response for an address",
      { addresses: [NOTHING, SILENT] },
      { status: "unknown", reason: "a.example could not be looked up, because it is silent. It will be retried." },
    ],
    [
      "an error of the name servers",
      { cname: SERVFAIL },
      {
        status: "unknown",
        reason: "a.example could not be looked up, because its name servers fail (SERVFAIL). It will be retried.",
      },
    ],
    [
      "no response for the CNAME",
      { cname: SILENT },
      { status: "unknown", reason: "a.example could not be looked up, because it is silent. It will be retried." },
    ],
    [
      "addresses, and a target that could not be looked up",
      { addresses: [records("A", "192.0.2.1")], targetAddresses: [SILENT] },
      { status: "unknown", reason: "t.example could not be looked up, because it is silent. It will be retried." },
    ],
    [
      "all of the target's addresses",
      { addresses: [records("A", "192.0.2.1", "192.0.2.2"), records("AAAA", "2001:DB8:0::1")] },
      { status: "active", reason: "a.example has no CNAME, but the addresses of t.example." },
    ],
    [
      "some of the target's addresses, while the name of the rest does not exist",
      { cname: NXDOMAIN, addresses: [records("A", "192.0.2.2"), NXDOMAIN] },
      { status: "active", reason: "a.example has no CNAME, but the addresses of t.example." },
    ],
    [
      "the target's addresses, though one of the target could not be looked up",
      { addresses: [records("A", "192.0.2.1")], targetAddresses: [records("A", "192.0.2.1"), SILENT] },
      { status: "active", reason: "a.example has no CNAME, but the addresses of t.example." },
    ],
    [
      "a foreign address besides the target's",
      { addresses: [records("A", "192.0.2.1", "198.51.100.7")] },
      {
        status: "failed",
        reason: `a.example has no CNAME, and addresses that do not belong to this service: 198.51.100.7. ${proxied}`,
      },
    ],
    [
      "foreign addresses at an apex",
      { apex: true, addresses: [records("A", "198.51.100.7"), records("AAAA", "2001:db8::7")] },
      {
        status: "failed",
        reason: `a.example has no CNAME, and addresses that do not belong to this service: 198.51.100.7, [2001:db8::7]. ${flattened}.`,
      },
    ],
    [
      "an invalid address",
      { addresses: [records("AAAA", "nonsense")] },
      {
        status: "failed",
        reason: `a.example has no CNAME, and addresses that do not belong to this service: nonsense. ${proxied}`,
      },
    ],
    [
      "a target that does not exist",
      { addresses: [records("A", "198.51.100.7")], targetAddresses: [NXDOMAIN] },
      {
        status: "failed",
        reason: `a.example has no CNAME, and addresses that do not belong to this service: 198.51.100.7. ${proxied}`,
      },
    ],
    [
      "records besides the addresses",
      {
        addresses: [answer({ type: "TXT", name: "a.example", data: "x" }, { type: "A", name: "a", data: "192.0.2.1" })],
      },
      { status: "active", reason: "a.example has no CNAME, but the addresses of t.example." },
    ],
  ])("%s", (_name, route, finding) => {
    expect(judgeCname({ ...ROUTE, ...route })).toEqual(finding);
  });
});

test("10 findings without an answer", () => {
  expect(NOT_CHECKED).toEqual({ status: "pending", reason: "Not checked yet." });
  expect(VERIFIED_ELSEWHERE).toEqual({ status: "failed", reason: expect.stringContaining("by another account") });
});

test.each<[DnsAnswer, string | null]>([
  [NOTHING, null],
  [NXDOMAIN, null],
  [SILENT, "it is silent"],
  [{ ...SERVFAIL, rcode: "REFUSED" }, "its name servers fail (REFUSED)"],
])("lookup failure of %j: %s", (found, trouble) => {
  expect(lookupFailure(found)).toBe(trouble);
});

test.each([
  ["Go.Example.", "go.example"],
  ["go.example", "go.example"],
  ["go.example..", "go.example."],
])("%s in DNS is %s", (name, canonicalName) => {
  expect(canonicalDnsName(name)).toBe(canonicalName);
});
