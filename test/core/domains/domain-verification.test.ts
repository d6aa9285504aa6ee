import { describe, expect, test } from "vitest";

import {
  cnameChain,
  type DnsRecord,
  type DomainStatus,
  judgeCname,
  nextDomainStatus,
  type RecordStatus,
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

  test("what cannot be asked is unknown, not missing", () => {
    const silent = { kind: "silent", why: "it is silent" } as const;
    const nothing = { kind: "answer", rcode: "NOERROR", records: [] } as const;
    const route = {
      domain: "a.example",
      target: "t.example",
      apex: false,
      chain: ["a.example"],
      chainFailure: null,
      targetAddresses: [],
    };
    const status = (cname: typeof silent | typeof nothing, a: typeof silent | typeof nothing) =>
      judgeCname({
        ...route,
        cname: cname.kind === "answer" ? { ...cname, records: [] } : cname,
        addresses: [a.kind === "answer" ? { ...a, records: [] } : a],
      }).status;
    expect([status(silent, nothing), status(nothing, silent), status(nothing, nothing)]).toEqual([
      "unknown",
      "unknown",
      "missing",
    ]);
  });

  test("addresses are not judged against a target that could not be asked", () => {
    const a: DnsRecord = { type: "A", name: "a.example", data: "192.0.2.1" };
    const finding = judgeCname({
      domain: "a.example",
      target: "t.example",
      apex: true,
      chain: ["a.example"],
      chainFailure: null,
      cname: { kind: "answer", rcode: "NOERROR", records: [] },
      addresses: [{ kind: "answer", rcode: "NOERROR", records: [a] }],
      targetAddresses: [{ kind: "silent", why: "it is silent" }],
    });
    expect(finding).toEqual({
      status: "unknown",
      reason: "t.example could not be looked up, because it is silent. It is tried again.",
    });
  });
});
