/** The routes under `/v1`. The OpenAPI document is read off them. */
import { Hono } from "hono";

import type { ApiEnv } from "./context.ts";
import { domainRoutes } from "./domains.ts";
import { inheritedLinkRoutes } from "./inherited-links.ts";
import { linkRoutes } from "./links.ts";
import { qrRoutes } from "./qr.ts";
import { statsRoutes } from "./stats.ts";
import { eventRoutes } from "./stream.ts";

export const v1Routes = new Hono<ApiEnv>()
  .route("/", linkRoutes)
  .route("/", statsRoutes)
  .route("/", qrRoutes)
  .route("/", eventRoutes)
  .route("/", domainRoutes)
  .route("/", inheritedLinkRoutes);
