/** Visitors by the requests that they send. */
import { RequestVisitor, type VisitorRequest } from "../../src/core/visitors/visitor.ts";
import type { Scan } from "../../src/core/qr/token.ts";

interface SentVisit extends Partial<Omit<VisitorRequest, "headers"> & Scan> {
  headers?: Headers | Record<string, string> | [string, string][];
  linkId?: string;
}

/** The visitor of a plain request to one link, with these differences. */
export function requestVisitor(sent: SentVisit = {}): RequestVisitor {
  const { headers, geography = {}, now = 1_790_000_000_000, qr = null, search = "", linkId = "lnk_1" } = sent;
  return new RequestVisitor({ headers: new Headers(headers), geography, now }, { qr, search }, linkId);
}
