/**
 * Every URL of the service's own host: the API, the dashboard's API, the MCP server, QR images, pages. The OpenAPI
 * document is generated from `v1Routes`, and the dashboard's typed client is derived from `DashboardApi`.
 */
import { Hono } from "hono";

import { ApiError } from "../core/errors.ts";
import { SERVER_CARD_PATH } from "../core/http/well-known.ts";
import { type ApiEnv, createHandlers } from "./context.ts";
import * as dashboard from "./dashboard/account.ts";
import * as deployment from "./dashboard/deployment.ts";
import * as previews from "./dashboard/previews.ts";
import * as signIn from "./dashboard/sign-in.ts";
import * as shares from "./dashboard/shares.ts";
import * as domains from "./domains.ts";
import * as health from "./health.ts";
import { backtestLinkRoute, resolveLinkRoute } from "./links/dry-runs.ts";
import * as bulk from "./links/bulk.ts";
import * as clickImports from "./links/click-imports.ts";
import * as links from "./links/links.ts";
import * as revisions from "./links/revisions.ts";
import { uploadSocialImageRoute } from "./links/social-image.ts";
import * as mcp from "./mcp/endpoint.ts";
import { getMeRoute } from "./me.ts";
import { access } from "./middleware/access.ts";
import { methodsOf } from "./middleware/cors.ts";
import * as pages from "./pages.ts";
import * as qr from "./qr/qr-codes.ts";
import * as clicks from "./stats/clicks.ts";
import * as stats from "./stats/stats.ts";
import { streamEventsRoute } from "./streams/stream-events.ts";

/** The routes below `/v1`, in the order of the reference. */
export const v1Routes = new Hono<ApiEnv>()
  .post("/links", ...links.createLinkRoute)
  .post("/links/bulk", ...bulk.createLinksRoute)
  .post("/links/bulk-update", ...bulk.updateLinksRoute)
  .post("/links/bulk-delete", ...bulk.deleteLinksRoute)
  .get("/links", ...links.listLinksRoute)
  .get("/links/:id", ...links.getLinkRoute)
  .patch("/links/:id", ...links.updateLinkRoute)
  .delete("/links/:id", ...links.deleteLinkRoute)
  .get("/links/:id/revisions", ...revisions.listRevisionsRoute)
  .post("/links/:id/revisions/:revision/restore", ...revisions.restoreRevisionRoute)
  .post("/links/:id/resolve", ...resolveLinkRoute)
  .post("/links/:id/backtest", ...backtestLinkRoute)
  .put("/links/:id/social/image", ...uploadSocialImageRoute)
  .put("/imports/:id/links/:link_id", ...clickImports.importClicksRoute)
  .get("/imports/:id", ...clickImports.getImportRoute)
  .delete("/imports/:id", ...clickImports.undoImportRoute)
  .get("/links/:id/stats", ...stats.getLinkStatsRoute)
  .get("/links/:id/clicks", ...clicks.listClicksRoute)
  .get("/stats", ...stats.getAccountStatsRoute)
  .get("/clicks", ...clicks.listAccountClicksRoute)
  .get("/tags", ...links.listTagsRoute)
  .post("/qr", ...qr.createQrCodeRoute)
  .get("/qr", ...qr.listQrCodesRoute)
  .get("/qr/:id", ...qr.getQrCodeRoute)
  .patch("/qr/:id", ...qr.updateQrCodeRoute)
  .get("/events/stream", ...streamEventsRoute)
  .post("/domains", ...domains.createDomainRoute)
  .get("/domains", ...domains.listDomainsRoute)
  .get("/domains/:id", ...domains.getDomainRoute)
  .patch("/domains/:id", ...domains.updateDomainRoute)
  .delete("/domains/:id", ...domains.deleteDomainRoute)
  .get("/me", ...getMeRoute);

/** @internal */
export const dashboardRoutes = new Hono<ApiEnv>()
  .all("/auth/*", ...signIn.signInRoute)
  .get("/config", ...dashboard.getConfigRoute)
  .post("/setup", ...signIn.createFirstAccountRoute)
  .post("/setup/check", ...signIn.checkSetupTokenRoute)
  .post("/reset", ...signIn.performResetRoute)
  .post("/reset/check", ...signIn.checkResetRoute)
  .get("/account", ...dashboard.getAccountRoute)
  .delete("/account", ...dashboard.deleteAccountRoute)
  .put("/account/email", ...dashboard.changeEmailRoute)
  .get("/account/security", ...dashboard.getSecurityRoute)
  .put("/account/totp", ...dashboard.enableTotpRoute)
  .delete("/account/totp", ...dashboard.disableTotpRoute)
  .post("/account/totp/recovery-codes", ...dashboard.replaceCodesRoute)
  .get("/health", ...health.deepHealthRoute)
  .get("/deployment", ...deployment.getOverviewRoute)
  .get("/deployment/accounts", ...deployment.searchAccountsRoute)
  .patch("/deployment/accounts/:id", ...deployment.changeAccountRoute)
  .post("/deployment/accounts/:id/reset", ...deployment.createResetRoute)
  .patch("/deployment/links", ...deployment.disableLinkRoute)
  .get("/deployment/metrics", ...deployment.getMetricsRoute)
  .get("/keys", ...dashboard.listKeysRoute)
  .post("/keys", ...dashboard.createKeyRoute)
  .delete("/keys/:id", ...dashboard.revokeKeyRoute)
  .get("/utm-templates", ...dashboard.listTemplatesRoute)
  .post("/utm-templates", ...dashboard.createTemplateRoute)
  .put("/utm-templates/:id", ...dashboard.changeTemplateRoute)
  .delete("/utm-templates/:id", ...dashboard.deleteTemplateRoute)
  .get("/saved-views", ...dashboard.listSavedViewsRoute)
  .put("/saved-views", ...dashboard.saveViewRoute)
  .delete("/saved-views", ...dashboard.deleteSavedViewRoute)
  .get("/domains/:id/page", ...domains.getPageDesignRoute)
  .put("/domains/:id/page", ...domains.setPageDesignRoute)
  .get("/shares", ...shares.listSharesRoute)
  .post("/shares", ...shares.createShareRoute)
  .delete("/shares/:id", ...shares.revokeShareRoute)
  .get("/shared/:token", ...shares.sharedStatsRoute)
  .post("/links/hand-over", ...bulk.handOverLinksRoute)
  .get("/links/:id/origin", ...bulk.getLinkOriginRoute)
  .get("/clicks/latest", ...clicks.listLatestClicksRoute)
  .get("/slugs/:slug", ...dashboard.checkSlugRoute)
  .get("/downloads/:mode/links/:id/clicks/:format", ...clicks.downloadClicksRoute)
  .get("/favicons/:host", ...previews.getFaviconRoute)
  .post("/previews", ...previews.createPreviewRoute)
  .get("/previews/image", ...previews.getPreviewImageRoute)
  .get("/account/notes", ...dashboard.listAccountNotesRoute)
  .get("/links/:id/notes", ...dashboard.listNotesRoute)
  .post("/links/:id/notes", ...dashboard.createNoteRoute)
  .put("/links/:id/notes/:note", ...dashboard.changeNoteRoute)
  .delete("/links/:id/notes/:note", ...dashboard.deleteNoteRoute)
  // These replace the routes of /v1.
  .get("/links", ...links.findLinksRoute)
  .get("/links/:id/stats", ...stats.getDashboardLinkStatsRoute)
  .get("/stats", ...stats.getDashboardStatsRoute)
  .route("/", v1Routes);

export type DashboardApi = typeof dashboardRoutes;

/** These also respond while the deployment's settings are invalid. */
export const statusUrls = new Hono<ApiEnv>().get("/health", ...health.healthRoute).get("/ready", ...health.readyRoute);

export const urls = new Hono<ApiEnv>()
  .route("/v1", v1Routes)
  .all("/v1/*", ...unknownRoute("/v1", v1Routes))
  .route("/dashboard/api", dashboardRoutes)
  .all("/dashboard/api/*", ...unknownRoute("/dashboard/api", dashboardRoutes))
  .post("/mcp", ...mcp.mcpRoute(v1Routes))
  .all("/mcp", ...mcp.otherMcpMethods)
  .get(SERVER_CARD_PATH, ...mcp.serverCardRoute)
  .options(SERVER_CARD_PATH, ...mcp.serverCardPreflight)
  .get("/cdn/:name", ...qr.getQrImageRoute)
  .get("/", ...pages.homeRoute)
  .get("/robots.txt", ...pages.robotsRoute)
  .get("/favicon.ico", ...pages.faviconRoute)
  .get("/openapi.json", ...pages.openApiRoute)
  .get("/asyncapi.json", ...pages.asyncApiRoute)
  .get("/llms.txt", ...pages.llmsTextRoute)
  .get("/llms-full.txt", ...pages.llmsTextRoute)
  .get("/.well-known/api-catalog", ...pages.apiCatalogRoute)
  .get("/.well-known/security.txt", ...pages.securityTextRoute)
  .get("/docs", ...pages.docsRoute)
  .get("/docs/:guide{[a-z-]+\\.md}", ...pages.guideMarkdownRoute)
  .get("/docs/*", ...pages.docsPageRoute)
  .get("/share/:token", ...pages.sharedPageRoute)
  .get("/dashboard/assets/*", ...pages.dashboardAssetRoute)
  .get("/dashboard", ...pages.dashboardPageRoute)
  .get("/dashboard/*", ...pages.dashboardPageRoute);

/**
 * Distinguishes a wrong method from an unknown path: 405 with `Allow`, or 404. Both only after authentication.
 * @param prefix  where the routes are mounted
 */
function unknownRoute(prefix: string, app: Pick<Hono<ApiEnv>, "routes">) {
  const known = methodsOf(prefix, app);
  return createHandlers(access(null), (c) => {
    const methods = known.filter(({ matches }) => matches.test(c.req.path)).map(({ method }) => method);
    if (methods.length === 0) throw new ApiError("not_found", "This route does not exist. Check the path.");
    const allow = [...new Set(methods)].sort().join(", ");
    throw new ApiError("method_not_allowed", `This route supports only ${allow}.`, { headers: { Allow: allow } });
  });
}
