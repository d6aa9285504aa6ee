/** The routes under `/v1`. The OpenAPI document is read off them. */
import { Hono } from "hono";

import type { ApiEnv } from "./context.ts";
import { domainRoutes } from "./domains/routes.ts";
import { inheritedLinkRoutes } from "./inherited-links/routes.ts";
import { linkRoutes } from "./links/routes.ts";
import { qrRoutes } from "./qr/routes.ts";
import { statsRoutes } from "./stats/routes.ts";
import { eventRoutes } from "./streams/routes.ts";

export const v1Routes = new Hono<ApiEnv>()
  .route("/", linkRoutes)
  .route("/", statsRoutes)
  .route("/", qrRoutes)
  .route("/", eventRoutes)
  .route("/", domainRoutes)
  .route("/", inheritedLinkRoutes);
