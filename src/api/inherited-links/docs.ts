/** Inherited links in the API reference. */
import { InheritedLink, InheritedLinkPage } from "../../core/contract/inherited-links.ts";
import { Link } from "../../core/contract/links.ts";
import { routeDoc } from "../openapi/route-doc.ts";

export const listInheritedLinksDoc = routeDoc({
  id: "listInheritedLinks",
  tag: "Domains",
  summary: "List inherited links",
  description:
    "Links on the domain that its former holder made, by slug, deleted ones included. Your own are listed by `GET /v1/links?domain=`.",
  ok: { status: 200, description: "A page of links.", schema: InheritedLinkPage, headers: ["Link"] },
  errors: ["domain_not_verified"],
});

export const disableInheritedLinkDoc = routeDoc({
  id: "disableInheritedLink",
  tag: "Domains",
  summary: "Disable an inherited link",
  description: "Its short URL answers 410 everywhere within ten seconds. Its former holder cannot undo that.",
  ok: { status: 200, description: "The link as it is now.", schema: InheritedLink },
  errors: ["domain_not_verified", "link_not_found"],
});

export const takeOverLinkDoc = routeDoc({
  id: "takeOverLink",
  tag: "Domains",
  summary: "Take an inherited link over",
  description:
    "Ends the link and makes a new one of yours at the same address, which counts its clicks from zero. What the old one counted stays its owner's. Scans of QR codes that were printed for the old one count as clicks.",
  ok: { status: 201, description: "The new link.", schema: Link, headers: ["ETag", "Idempotent-Replayed"] },
  requestHeaders: ["Idempotency-Key"],
  errors: ["domain_not_verified", "link_not_found", "quota_exceeded", "idempotency_conflict"],
});
