/** Uploads the image of a link's preview. */
import type { Context } from "hono";

import { Link } from "../../core/contract/links.ts";
import { cdnUrl } from "../../core/deployment/settings.ts";
import { ApiError, validationFailed } from "../../core/errors.ts";
import { type ImageHeader, readImageHeader } from "../../core/images/image-headers.ts";
import { SOCIAL_IMAGE_MAX_BYTES, SOCIAL_IMAGE_SIDE_MAX_PX } from "../../core/limits.ts";
import { requireNotTransferred } from "../../store/domains/domain-holders.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import { readLink, RevisionMismatchError, updateLink } from "../../store/links/links.ts";
import { storeSocialImage } from "../../store/social-images.ts";
import { type ApiEnv, createHandlers, respondJson } from "../context.ts";
import { access } from "../middleware/access.ts";
import { noQuery } from "../middleware/input.ts";
import { readBoundedBytes } from "../middleware/request-body.ts";
import type { RouteDoc } from "../openapi/route-doc.ts";
import { expectedRevisions, loadLink } from "./load-link.ts";
import { linkResponse } from "./wire.ts";

const putSocialImageDoc: RouteDoc = {
  id: "uploadSocialImage",
  tag: "Links",
  summary: "Upload a link's preview image",
  description: `The body is a PNG, JPEG or WebP image of at most ${SOCIAL_IMAGE_MAX_BYTES / 1024 ** 2} MiB and ${SOCIAL_IMAGE_SIDE_MAX_PX} × ${SOCIAL_IMAGE_SIDE_MAX_PX} pixels. Its type is determined from its bytes. The image gets an immutable URL, which becomes \`social.image\` of the link. Images that none of your links uses are deleted within a day.`,
  file: "PNG, JPEG or WebP image.",
  ok: { status: 200, description: "The updated link.", schema: Link, headers: ["ETag"] },
  requestHeaders: ["If-Match"],
  errors: [
    "payload_too_large",
    "unsupported_media_type",
    "validation_failed",
    "quota_exceeded",
    "precondition_failed",
    "domain_transferred",
  ],
};

export const uploadSocialImageRoute = createHandlers(
  access("links:write", putSocialImageDoc, "qr"),
  loadLink,
  noQuery,
  async (c) => {
    const { caller, hosts, link } = c.var;
    const expected = expectedRevisions(c);
    if (expected && !expected.includes(link.revision)) throw new RevisionMismatchError(link.revision);
    await requireNotTransferred(c.env, hosts, link);
    const bytes = await readBoundedBytes(c.req.raw, SOCIAL_IMAGE_MAX_BYTES);
    const { format } = requireImage(bytes);
    const name = await storeSocialImage(c.env, caller, link.id, format, bytes);
    const image = `${cdnUrl(c.env, hosts).replace(/\/$/, "")}/${name}`;
    const updated = await setImage(c, link, image, expected === null ? TRIES_MAX : 1);
    return respondJson(c, linkResponse(updated, hosts, 200));
  },
);

/** @throws ApiError unsupported_media_type, validation_failed */
function requireImage(bytes: Uint8Array): ImageHeader {
  const header = readImageHeader(bytes);
  if (!header) throw new ApiError("unsupported_media_type", "The body must be a PNG, JPEG or WebP image.");
  const { width, height } = header;
  if (Math.max(width, height) <= SOCIAL_IMAGE_SIDE_MAX_PX) return header;
  const most = `${SOCIAL_IMAGE_SIDE_MAX_PX} × ${SOCIAL_IMAGE_SIDE_MAX_PX}`;
  const message = `the image must have at most ${most} pixels, got ${width} × ${height}`;
  throw validationFailed([{ path: "image", code: "too_big", message }]);
}

/** Attempts of an upload without `If-Match` while others change the link. */
const TRIES_MAX = 5;

/** Keeps the rest of the card, which a concurrent request may change. @throws RevisionMismatchError */
async function setImage(
  { env, executionCtx, var: { caller } }: Context<ApiEnv>,
  link: LinkRecord,
  image: string,
  triesMax: number,
): Promise<LinkRecord> {
  for (let now = link, tries = 1; ; now = await readLink(env, caller, link.id), tries++) {
    try {
      return await updateLink(env, executionCtx, caller, link.id, { social: { ...now.social, image } }, [now.revision]);
    } catch (error) {
      if (!(error instanceof RevisionMismatchError) || tries >= triesMax) throw error;
    }
  }
}
