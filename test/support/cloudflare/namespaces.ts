/** Namespaces of Workers KV in the stand-in for Cloudflare's API. */
import { CloudflareError } from "./api-request.ts";
import type { Account, Namespace } from "./account.ts";
import type { Routes } from "./api-server.ts";

export function namespaceRoutes(account: Account): Routes {
  return {
    "GET /accounts/:account/storage/kv/namespaces": ({ url }) => {
      const [page, perPage] = ["page", "per_page"].map((name) => Number(url.searchParams.get(name) || 1));
      if (!page || !perPage || perPage > 1_000) throw new CloudflareError(400, 10_011, "invalid page or per_page");
      const byTitle = account.namespaces.toSorted((a, b) => (a.title < b.title ? -1 : 1));
      return byTitle.slice((page - 1) * perPage, page * perPage).map(summary);
    },
    "POST /accounts/:account/storage/kv/namespaces": (request) => summary(create(account, request.json())),
    "DELETE /accounts/:account/storage/kv/namespaces/:namespace": (request) => {
      const found = account.namespaces.find(({ id }) => id === request.param("namespace"));
      if (!found) throw new CloudflareError(404, 10_013, "get namespace: 'namespace not found'");
      account.namespaces = account.namespaces.filter((other) => other !== found);
    },
  };
}

function create(account: Account, { title }: { title?: unknown }): Namespace {
  if (typeof title !== "string" || title === "" || title.length > 512)
    throw new CloudflareError(400, 10_015, "a namespace's title is required");
  if (account.namespaces.some((namespace) => namespace.title === title))
    throw new CloudflareError(400, 10_014, "a namespace with this account ID and title already exists");
  const namespace = { id: crypto.randomUUID().replaceAll("-", ""), title };
  account.namespaces.push(namespace);
  return namespace;
}

function summary({ id, title }: Namespace) {
  return { id, title, supports_url_encoding: true };
}
