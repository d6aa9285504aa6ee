/** The complete error responses that many routes share, as `errorOf` returns them. */

export const MISSING_API_KEY = {
  status: 401,
  code: "missing_api_key",
  message: "The Authorization: Bearer <key> header is missing or malformed.",
};

export const INVALID_API_KEY = {
  status: 401,
  code: "invalid_api_key",
  message: "The API key is malformed, unknown or revoked.",
};

export const MISSING_SESSION = {
  status: 401,
  code: "missing_session",
  message: "You are not signed in, or your session has ended. Sign in again.",
};

export function httpsRequired(base: string) {
  const message = `The request was sent over plain HTTP. Use ${base}, and replace any key that it contained.`;
  return { status: 403, code: "https_required", message };
}

export const INVALID_ORIGIN = {
  status: 403,
  code: "invalid_origin",
  message: "The request comes from another origin. Send it from http://localhost:8787.",
};

export const INVALID_PASSWORD = {
  status: 403,
  code: "invalid_password",
  message: "The account's password is missing or wrong. If the account has none, sign in again first. Dashboard only.",
};

export const ACCOUNT_SUSPENDED = {
  status: 403,
  code: "account_suspended",
  message: "This account is suspended.",
};

export const KEY_NOT_FOUND = {
  status: 404,
  code: "key_not_found",
  message: "No such API key in this account, or it was revoked.",
};

export const ROUTE_NOT_FOUND = {
  status: 404,
  code: "not_found",
  message: "This route does not exist. Check the path.",
};

export const IMPORT_NOT_FOUND = {
  status: 404,
  code: "import_not_found",
  message: "No such import in this account and mode, or it was undone.",
};

export const LINK_NOT_FOUND = {
  status: 404,
  code: "link_not_found",
  message: "No such link in this account and mode.",
};

export const QR_NOT_FOUND = {
  status: 404,
  code: "qr_not_found",
  message: "No such QR code in this account and mode.",
};

export const DOMAIN_NOT_FOUND = {
  status: 404,
  code: "domain_not_found",
  message: "No such domain in this account and mode.",
};

/** @param why  "is verified by another account or in the other mode" or "is already one of your domains" */
export function domainTaken(domain: string, why: string) {
  return { status: 409, code: "domain_taken", message: `The domain ${domain} ${why}.`, param: "domain" };
}

export function domainTransferred(domain: string) {
  const message = `${domain} now belongs to another account. Links on it can only be read and deleted.`;
  return { status: 409, code: "domain_transferred", message };
}

export function domainHasLinks(domain: string) {
  return {
    status: 409,
    code: "domain_has_links",
    param: "case_sensitive",
    message: `You have created links on ${domain}, so case_sensitive can no longer change. Deleted links count too.`,
  };
}

export function domainInUse(domain: string) {
  return { status: 409, code: "domain_in_use", message: `${domain} still has links. Delete them first.` };
}

export const LINK_NOT_API_CREATED = {
  status: 422,
  code: "link_not_api_created",
  message: "This link was created in the dashboard. QR codes require a link created through the API.",
  param: "link_id",
};

export const PLAN_UPGRADE_REQUIRED = {
  status: 403,
  code: "plan_upgrade_required",
  message: "Routing rules require the Premium plan. Nothing was applied.",
};

export const RATE_LIMITED = {
  status: 429,
  code: "rate_limited",
  message: "This key has sent too many requests within a minute.",
};

export const TOO_MANY_STREAMS = {
  status: 429,
  code: "too_many_streams",
  message: "This key or its account has reached the plan's limit of open streams. Close one first.",
};

export const INVALID_JSON = { status: 400, code: "invalid_json", message: "The body is not valid JSON." };

export const UNSUPPORTED_MEDIA_TYPE = {
  status: 415,
  code: "unsupported_media_type",
  message: "The body must be JSON. Send it with Content-Type: application/json.",
};

export const PAYLOAD_TOO_LARGE = {
  status: 413,
  code: "payload_too_large",
  message: "The body is too large. Send at most 262144 bytes.",
};

export function insufficientScope(scope: string) {
  return { status: 403, code: "insufficient_scope", message: `The API key lacks the scope ${scope}.`, param: scope };
}

/** @param ratio  as reported: cut off after three decimals */
export function contrastTooLow(ratio: string) {
  const message = `fg and bg must have a contrast of at least 4.5:1, got ${ratio}:1`;
  return {
    status: 422,
    code: "contrast_too_low",
    message,
    param: "fg",
    errors: [{ path: "fg", code: "contrast_too_low", message }],
  };
}

export function sizeTooSmall({
  least,
  margin,
  ecc,
  size,
}: {
  least: number;
  margin: number;
  ecc: string;
  size: number;
}) {
  const message = `size must be at least ${least} pixels for this link with margin ${margin} and ecc ${ecc}, got ${size}`;
  return {
    status: 422,
    code: "size_too_small",
    message,
    param: "size",
    errors: [{ path: "size", code: "size_too_small", message }],
  };
}

export function slugTaken(slug: string, domain = "localhost:8787") {
  return { status: 409, code: "slug_taken", message: `The slug ${slug} is already taken on ${domain}.`, param: "slug" };
}

export function preconditionFailed(etag: string) {
  return {
    status: 412,
    code: "precondition_failed",
    message: `If-Match does not match the current ETag, which is ${etag}.`,
    param: "If-Match",
  };
}

/** For one link in a bulk request. */
export function revisionChanged(current: number) {
  return {
    status: 412,
    code: "precondition_failed",
    message: `revision does not match the link's current revision, which is ${current}.`,
    param: "revision",
  };
}

/** The same error as an item of a bulk answer, which has no separate status. */
export function asBulkError<T extends { status: number }>(refusal: T): { error: Omit<T, "status"> } {
  const { status, ...error } = refusal;
  void status;
  return { error };
}

/** Each problem as path, code and the text of the message after the path. */
export function validationFailed(...problems: [path: string, code: string, words: string][]) {
  const errors = problems.map(([path, code, words]) => ({
    path,
    code,
    message: `${path || "The body"} ${words}`,
  }));
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more, see errors)` : "";
  return {
    status: 422,
    code: "validation_failed",
    message: `${first?.message}${more}`,
    ...(first?.path ? { param: first.path } : {}),
    errors,
  };
}

export function quotaExceeded(message: string) {
  return { status: 422, code: "quota_exceeded", message };
}
