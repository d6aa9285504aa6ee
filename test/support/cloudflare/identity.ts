/** The token's owner, the account's plan and its name under workers.dev, in the stand-in for Cloudflare's API. */
import { CloudflareError } from "./api-request.ts";
import type { Account } from "./account.ts";
import { Page } from "./api-request.ts";
import type { Routes } from "./api-server.ts";

const SUBDOMAIN = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * @param accounts  of the person
 * @param account  that the token may change
 * @param takenSubdomains  that other accounts have
 */
export function identityRoutes(
  accounts: () => readonly Account[],
  account: Account,
  takenSubdomains: Set<string>,
): Routes {
  const known = () => accounts().map(({ id, name }) => ({ id, name, type: "standard" }));
  return {
    "GET /user": () => ({ id: "7c5dae5552338874e5053f2534d2767a", email: "user@example.com" }),
    "GET /user/tokens/verify": () => ({ id: "ed17574386854bf78a67040be0a770b0", status: "active" }),
    "GET /accounts": (request) => new Page(request, known()),
    "GET /accounts/:account": () => known().find(({ id }) => id === account.id),
    "GET /memberships": (request) =>
      new Page(
        request,
        known().map((one) => ({
          id: `m${one.id.slice(1)}`,
          status: "accepted",
          account: one,
          roles: ["Administrator"],
        })),
      ),
    "GET /accounts/:account/subscriptions": () =>
      account.plan === "free"
        ? []
        : [{ id: "s", state: "Paid", rate_plan: { id: "workers_paid", public_name: "Workers Paid" } }],
    "GET /accounts/:account/workers/subdomain": () => {
      if (account.subdomain === null) throw new CloudflareError(404, 10007, "You do not have a workers.dev subdomain");
      return { subdomain: account.subdomain };
    },
    "PUT /accounts/:account/workers/subdomain": (request) => {
      const { subdomain } = request.json<{ subdomain?: unknown }>();
      if (typeof subdomain !== "string" || !SUBDOMAIN.test(subdomain))
        throw new CloudflareError(400, 10033, "Subdomain is invalid");
      if (takenSubdomains.has(subdomain)) throw new CloudflareError(409, 10031, "Subdomain is unavailable");
      if (account.subdomain !== null) throw new CloudflareError(409, 10036, "The account already has a subdomain");
      account.subdomain = subdomain;
      return { subdomain };
    },
  };
}
