/** The domain of a path `/domains/:id`, for handlers that may trust that it is the caller's. */
import type { MiddlewareHandler } from "hono";

import { DomainId } from "../../core/contract/domains.ts";
import { readDomain } from "../../store/domains/domains.ts";
import type { ApiEnv } from "../context.ts";
import { pathParam } from "../middleware/input.ts";
import { documented } from "../openapi/route-doc.ts";

/** Runs before body and query are checked: an unknown domain answers 404 whatever else is wrong. */
export const loadDomain: MiddlewareHandler<ApiEnv> = documented(
  async (c, next) => {
    c.set("domain", await readDomain(c.env, c.var.caller, pathParam(c, "id")));
    await next();
  },
  { params: { id: DomainId }, errors: ["domain_not_found"] },
);
