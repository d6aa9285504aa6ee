/**
 * Routes that only the dashboard calls, in addition to `/v1`: account, API keys, saved views, UTM templates, slug
 * availability, notes about a link or about all links.
 */
import type { Context, MiddlewareHandler } from "hono";

import {
  type AccountInfo,
  type AccountNoteList,
  type AccountSecurity,
  ChangeEmail,
  type CreatedKey,
  CreateKey,
  type DashboardConfig,
  EnableTotp,
  type KeyList,
  LinkNoteIn,
  type LinkNoteList,
  Reauthenticate,
  type RecoveryCodes,
  SavedView,
  type SavedViewList,
  SavedViewName,
  type SlugCheck,
  UtmTemplateIn,
  type UtmTemplateList,
} from "../../core/contract/dashboard.ts";
import { missingParts } from "../../core/deployment/deployment-problems.ts";
import { ApiError, validationFailed } from "../../core/errors.ts";
import { linkHost } from "../../core/hosts.ts";
import { ALL_LINKS } from "../../core/identifiers.ts";
import { lookalikeProblem, slugProblem } from "../../core/links/slug-rules.ts";
import { timestamp } from "../../core/time.ts";
import { changeEmail } from "../../store/accounts/accounts.ts";
import { issueKey, keyInfoOf, listKeys, revokeKey } from "../../store/accounts/api-keys.ts";
import { closeAccount } from "../../store/accounts/closed-accounts.ts";
import {
  changeUtmTemplate,
  createUtmTemplate,
  deleteSavedView,
  deleteUtmTemplate,
  listSavedViews,
  listUtmTemplates,
  saveView,
} from "../../store/accounts/views-and-templates.ts";
import { configuredProviders } from "../../store/auth/oauth-providers.ts";
import { reauthenticate } from "../../store/auth/sessions.ts";
import { enableTotp, readTotp, removeTotp, replaceRecoveryCodes } from "../../store/auth/totp.ts";
import { imageBucket } from "../../store/images/images.ts";
import { changeNote, createNote, deleteNote, listAccountNotes, listNotes } from "../../store/link-notes.ts";
import { isSlugTaken } from "../../store/links/link-creation.ts";
import { wakeMaintenance } from "../../store/maintenance-client.ts";
import { seemsToHaveAccounts } from "../../store/operators/deployment-state.ts";
import { type ApiEnv, createHandlers, respondJson } from "../context.ts";
import { loadLink } from "../links/load-link.ts";
import { access } from "../middleware/access.ts";
import { body, noQuery, pathParam, query } from "../middleware/input.ts";

/** Requested before sign-in. */
export const getConfigRoute = createHandlers(async (c) => {
  const { shortDomains } = c.var.hosts;
  const config: DashboardConfig = {
    signups: c.env.SIGNUPS === "open" ? "open" : "closed",
    providers: configuredProviders(c.env).map(({ name }) => name),
    passkeys: true,
    has_accounts: await seemsToHaveAccounts(c.env),
    short_domains: { live: linkHost(shortDomains.live), test: linkHost(shortDomains.test) },
  };
  return respondJson(c, { status: 200, body: config });
});

export const getAccountRoute = createHandlers(access(null), noQuery, (c) => {
  const { isOperator, createdAt, id, email, name, plan } = c.var.account;
  const account: AccountInfo = { id, email, name, plan, is_operator: isOperator, created_at: timestamp(createdAt) };
  if (isOperator) account.missing_parts = missingParts(c.var.hosts, imageBucket(c.env) !== undefined);
  return respondJson(c, { status: 200, body: account });
});

/** A whole list, which is short. */
function respondList<List extends { data: unknown[] }>(c: Context<ApiEnv>, data: List["data"]) {
  return respondJson(c, { status: 200, body: { data } as List });
}

/** @throws ApiError invalid_password or rate_limited */
export async function requirePassword(c: Context<ApiEnv>, password: string | undefined): Promise<void> {
  if (!(await reauthenticate(c.env, c.var.account, password))) throw new ApiError("invalid_password");
}

/** No mail is sent, so the new address is not verified, as at sign-up. */
export const changeEmailRoute = createHandlers(access(null), body(ChangeEmail), async (c) => {
  const { email, password } = c.req.valid("json");
  await requirePassword(c, password);
  if (!(await changeEmail(c.env, c.var.account.id, email))) {
    throw invalidField("email", "An account with this email address already exists.");
  }
  return c.body(null, 204);
});

export const getSecurityRoute = createHandlers(access(null), noQuery, async (c) => {
  const security: AccountSecurity = { totp: await readTotp(c.env, c.var.account.id) };
  return respondJson(c, { status: 200, body: security });
});

export const enableTotpRoute = createHandlers(access(null), body(EnableTotp), async (c) => {
  const { password, ...app } = c.req.valid("json");
  await requirePassword(c, password);
  const codes = await enableTotp(c.env, c.var.account.id, app, Date.now());
  if (!codes) throw invalidField("code", "The code is wrong, or the account already has an app.");
  return respondCodes(c, codes);
});

export const replaceCodesRoute = createHandlers(access(null), body(Reauthenticate), async (c) => {
  await requirePassword(c, c.req.valid("json").password);
  const codes = await replaceRecoveryCodes(c.env, c.var.account.id);
  if (!codes) throw new ApiError("not_found", "The account has no authenticator app.");
  return respondCodes(c, codes);
});

function respondCodes(c: Context<ApiEnv>, recovery_codes: string[]) {
  return respondJson(c, { status: 201, body: { recovery_codes } satisfies RecoveryCodes });
}

export const disableTotpRoute = createHandlers(access(null), body(Reauthenticate), async (c) => {
  await requirePassword(c, c.req.valid("json").password);
  await removeTotp(c.env, c.var.account.id);
  return c.body(null, 204);
});

function invalidField(path: string, message: string): ApiError {
  return validationFailed([{ path, code: "invalid_value", message }]);
}

export const deleteAccountRoute = createHandlers(access(null), body(Reauthenticate), async (c) => {
  const { account } = c.var;
  await requirePassword(c, c.req.valid("json").password);
  await closeAccount(c.env, account.id);
  c.executionCtx.waitUntil(wakeMaintenance(c.env, Date.now()));
  return c.body(null, 204);
});

/** The same in both modes. */
export const listSavedViewsRoute = createHandlers(access(null), noQuery, async (c) => {
  return respondList<SavedViewList>(c, await listSavedViews(c.env, c.var.account.id));
});

export const saveViewRoute = createHandlers(access(null), body(SavedView), async (c) => {
  const view = c.req.valid("json");
  await saveView(c.env, c.var.account.id, view);
  return respondJson(c, { status: 200, body: view });
});

export const deleteSavedViewRoute = createHandlers(access(null), query(SavedViewName), async (c) => {
  const isDeleted = await deleteSavedView(c.env, c.var.account.id, c.req.valid("query").name);
  if (!isDeleted) throw new ApiError("not_found", "This saved view does not exist.");
  return c.body(null, 204);
});

/** The same in both modes. */
export const listTemplatesRoute = createHandlers(access(null), noQuery, async (c) => {
  return respondList<UtmTemplateList>(c, await listUtmTemplates(c.env, c.var.account.id));
});

export const createTemplateRoute = createHandlers(access(null), body(UtmTemplateIn), async (c) => {
  const template = await createUtmTemplate(c.env, c.var.account.id, c.req.valid("json"));
  return respondJson(c, { status: 201, body: template });
});

export const changeTemplateRoute = createHandlers(access(null), body(UtmTemplateIn), async (c) => {
  const template = await changeUtmTemplate(c.env, c.var.account.id, pathParam(c, "id"), c.req.valid("json"));
  if (!template) throw unknownTemplate();
  return respondJson(c, { status: 200, body: template });
});

export const deleteTemplateRoute = createHandlers(access(null), noQuery, async (c) => {
  if (!(await deleteUtmTemplate(c.env, c.var.account.id, pathParam(c, "id")))) throw unknownTemplate();
  return c.body(null, 204);
});

function unknownTemplate(): ApiError {
  return new ApiError("not_found", "This UTM template does not exist.");
}

export const listKeysRoute = createHandlers(access(null), noQuery, async (c) => {
  return respondList<KeyList>(c, (await listKeys(c.env, c.var.account.id)).map(keyInfoOf));
});

export const createKeyRoute = createHandlers(access(null), body(CreateKey), async (c) => {
  const { text, record } = await issueKey(c.env, c.var.account.id, c.req.valid("json"));
  // The only response that contains the key itself.
  const created: CreatedKey = { ...keyInfoOf(record), key: text };
  return respondJson(c, { status: 201, body: created });
});

export const revokeKeyRoute = createHandlers(access(null), noQuery, async (c) => {
  if (!(await revokeKey(c.env, pathParam(c, "id"), c.var.account.id))) throw new ApiError("key_not_found");
  return c.body(null, 204);
});

export const checkSlugRoute = createHandlers(access(null), noQuery, async (c) => {
  const { hosts, caller } = c.var;
  const slug = pathParam(c, "slug");
  const fault = slugProblem(slug) ?? lookalikeProblem(slug);
  const taken = fault === null && (await isSlugTaken(c.env, caller, hosts.shortDomains[caller.mode], slug));
  const check: SlugCheck = { slug, available: fault === null && !taken, reason: fault ?? (taken ? "is taken" : null) };
  return respondJson(c, { status: 200, body: check });
});

/** Afterwards, the `id` of the path is a link of the caller, or `ALL_LINKS`. */
const loadSubject: MiddlewareHandler<ApiEnv> = (c, next) =>
  pathParam(c, "id") === ALL_LINKS ? next() : loadLink(c, next);

const UNKNOWN_NOTE = "This note does not exist.";

export const listNotesRoute = createHandlers(access("links:read"), loadSubject, noQuery, async (c) => {
  return respondList<LinkNoteList>(c, await listNotes(c.env, c.var.caller, pathParam(c, "id")));
});

export const listAccountNotesRoute = createHandlers(access("links:read"), noQuery, async (c) => {
  return respondList<AccountNoteList>(c, await listAccountNotes(c.env, c.var.caller));
});

export const createNoteRoute = createHandlers(access("links:write"), loadSubject, body(LinkNoteIn), async (c) => {
  const note = await createNote(c.env, c.var.caller, pathParam(c, "id"), c.req.valid("json"));
  return respondJson(c, { status: 201, body: note });
});

export const changeNoteRoute = createHandlers(access("links:write"), loadSubject, body(LinkNoteIn), async (c) => {
  const note = { id: pathParam(c, "note"), ...c.req.valid("json") };
  if (!(await changeNote(c.env, c.var.caller, pathParam(c, "id"), note))) throw new ApiError("not_found", UNKNOWN_NOTE);
  return c.body(null, 204);
});

export const deleteNoteRoute = createHandlers(access("links:write"), loadSubject, noQuery, async (c) => {
  const isDeleted = await deleteNote(c.env, c.var.caller, pathParam(c, "id"), pathParam(c, "note"));
  if (!isDeleted) throw new ApiError("not_found", UNKNOWN_NOTE);
  return c.body(null, 204);
});
