/** The routes under `/v1`. The OpenAPI document is read off them. */
import { Hono } from "hono";

import type { Api } from "./context.ts";
import { domains } from "./domains.ts";
import { inheritedLinks } from "./inherited-links.ts";
import { links } from "./links.ts";
import { qr } from "./qr.ts";
import { stats } from "./stats.ts";
import { streams } from "./stream.ts";

export const v1 = new Hono<Api>()
  .route("/", links)
  .route("/", stats)
  .route("/", qr)
  .route("/", streams)
  .route("/", domains)
  .route("/", inheritedLinks);
