/**
 * The only client of the server: the API's routes, authenticated by the session and typed by the routes themselves.
 * Each client sends one mode.
 */
import { type ClientResponse, hc } from "hono/client";

import type { Mode } from "../../core/account.ts";
import type { DashboardApi } from "../../api/urls.ts";

import { useMode } from "../mode.ts";
import { okResponse, readBody } from "./api-error.ts";
import { API_PATH, fetchOrTakeEarly } from "../early-loads.ts";

/** For requests whose response is the same in both modes, use either client. */
export const apiClients = { live: createApiClient("live"), test: createApiClient("test") };

function createApiClient(mode: Mode) {
  return hc<DashboardApi>(API_PATH, { headers: { "Hoplink-Mode": mode }, fetch: fetchOrTakeEarly });
}

export type ApiClient = (typeof apiClients)[Mode];

/** The client of the current mode, and the mode as the first part of query keys. */
export function useApi(): { api: ApiClient; mode: Mode } {
  const { mode } = useMode();
  return { api: apiClients[mode], mode };
}

/**
 * The body of a 2xx response; undefined for a 204.
 * @throws ApiError for any other response, and if there is none
 */
export async function unwrap<T>(pending: Promise<ClientResponse<T>>): Promise<T> {
  const response = await okResponse(pending);
  return response.status === 204 ? (undefined as T) : readBody<T>(response);
}
