/**
 * The only client of the server: the API's routes, authenticated by the session and typed by the routes themselves, with
 * the cache and the retries of all queries. A 401 to any request means that the session has ended.
 */
import {
  type InvalidateQueryFilters,
  MutationCache,
  type Query,
  QueryCache,
  QueryClient,
  queryOptions,
  useQuery,
} from "@tanstack/react-query";
import { type ClientResponse, hc } from "hono/client";
import { useSyncExternalStore } from "react";
import { navigate } from "wouter/use-browser-location";

import type { Mode } from "../../core/account.ts";
import type { DashboardApi } from "../../api/urls.ts";
import { API_PATH, fetchOrTakeEarly } from "../early-loads.ts";
import { useMode } from "../mode.ts";
import { isSignedOutPath } from "../signed-out-paths.ts";
import { ApiError, isRetryable, networkError, okResponse, readBody, retryDelayMs } from "./api-error.ts";

/** Each sends one mode. For requests whose response is the same in both modes, use either. */
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

export const ACCOUNT_QUERY_KEY = ["account"];

const STALE_MS = 15_000;
const RETRIES_MAX = 3;
const RETRY_MIN_MS = 1_000;
/** Longest wait before an automatic retry. If the API requests a longer one, users see the error and can retry. */
const RETRY_MAX_MS = 10_000;
/** A per-minute limit admits the next request within a minute; a per-day limit is only reported. */
const LIMITED_MAX_MS = 60_000;
const REPEATS_MAX = 5;

class FreshQueryClient extends QueryClient {
  /** Also restarts first requests in flight: they may have been read before the change, but would count as current. */
  override async invalidateQueries(filters: InvalidateQueryFilters = {}): Promise<void> {
    const { refetchType, predicate = () => true } = filters;
    if (refetchType !== "none") {
      await this.cancelQueries({
        ...filters,
        predicate: (query) => query.state.data === undefined && predicate(query),
      });
    }
    return super.invalidateQueries(filters);
  }
}

export const queryClient: QueryClient = new FreshQueryClient({
  queryCache: new QueryCache({ onError: noticeSessionEnd, onSettled: repeatLimitedRead }),
  mutationCache: new MutationCache({ onError: noticeSessionEnd }),
  defaultOptions: {
    // Requests never wait for a connection: a delayed one would be sent long after its dialog was closed.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      refetchOnReconnect: "always",
      staleTime: STALE_MS,
      retry: (failures, error) => failures < RETRIES_MAX && isWorthWaiting(error),
      retryDelay: (failures, error) => retryDelayMs(error) ?? RETRY_MIN_MS * 2 ** failures,
    },
  },
});

/** Whether an automatic retry may help. Code that cannot be loaded, for example, causes an error other than `ApiError`. */
function isWorthWaiting(error: unknown): boolean {
  return (!(error instanceof ApiError) || isRetryable(error)) && (retryDelayMs(error) ?? 0) <= RETRY_MAX_MS;
}

const repeatedErrors = new WeakSet<Error>();

/** Whether the read that failed is sent again without the user. */
export function isRepeated(error: unknown): boolean {
  return error instanceof Error && repeatedErrors.has(error);
}

/**
 * Sends a read that exceeded a rate limit again while it is shown, after the time that the API requests. Each wait is
 * longer than the last, since all rows of a list wait for the same limit.
 */
function repeatLimitedRead(_: unknown, error: Error | null, { queryKey, state }: Query<unknown, unknown>): void {
  const waitMs = retryDelayMs(error) ?? Infinity;
  const isLimited = error instanceof ApiError && error.status === 429 && waitMs <= LIMITED_MAX_MS;
  if (!isLimited || state.errorUpdateCount > REPEATS_MAX) return;
  repeatedErrors.add(error);
  const isFailed = (query: Query) => query.state.error === error;
  const failed = { queryKey, exact: true, type: "active", predicate: isFailed } as const;
  setTimeout(() => void queryClient.refetchQueries(failed), waitMs * state.errorUpdateCount);
}

/** If an account is loaded, forms may be half filled, so a dialog asks to sign in again (shell.tsx). */
function noticeSessionEnd(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 401 || isSignedOutPath(dashboardPath())) return;
  if (queryClient.getQueryData(ACCOUNT_QUERY_KEY)) setSignInReason("ended");
  else redirectToSignIn();
}

function dashboardPath(): string {
  return location.pathname.replace(/^\/dashboard/, "");
}

/** Sign-in returns to this page. If a session has ended, the sign-in page says so. */
function redirectToSignIn(): void {
  const here = dashboardPath() + location.search;
  const search = new URLSearchParams();
  if (here !== "" && here !== "/") search.set("next", here);
  if (forgetSession()) search.set("ended", "true");
  navigate(`/dashboard/sign-in${search.size > 0 ? `?${search}` : ""}`);
}

/** The session state that a page cannot read from its cookie. */

/** Why a dialog asks to sign in again: a 401 shows that the session ended; some requests need a new session. */
export type SignInReason = "ended" | "old";

let reason: SignInReason | null = null;
const listeners = new Set<() => void>();

export function setSignInReason(now: SignInReason | null): void {
  reason = now;
  for (const notify of listeners) notify();
}

export function useSignInReason(): SignInReason | null {
  return useSyncExternalStore(subscribe, () => reason);
}

function subscribe(notify: () => void): () => void {
  listeners.add(notify);
  return () => listeners.delete(notify);
}

/** Set while this browser is signed in, so that the sign-in page can say that the session has ended. */
const STORAGE_KEY = "hoplink-signed-in";

export function rememberSession(): void {
  try {
    localStorage.setItem(STORAGE_KEY, "true");
  } catch {
    // Storage is full: sign-in will not show the reason.
  }
}

/** @returns whether there was a session to forget */
export function forgetSession(): boolean {
  const wasSignedIn = localStorage.getItem(STORAGE_KEY) !== null;
  localStorage.removeItem(STORAGE_KEY);
  return wasSignedIn;
}

/**
 * Whether this page belongs to the deployed release: compares the name of the script in the dashboard's page, which
 * changes with every change of the dashboard.
 */

const RELEASE_CHECK_INTERVAL_MS = 15 * 60_000;
const RELEASE_CHECK_PAUSE_MS = 60_000;

const releaseQuery = queryOptions({
  queryKey: ["release"],
  queryFn: async () => {
    const response = await fetch("/dashboard/", { cache: "no-cache" });
    const page = await response.text();
    if (!response.ok) throw networkError();
    return entryScript(new DOMParser().parseFromString(page, "text/html"));
  },
  retry: false,
  staleTime: RELEASE_CHECK_PAUSE_MS,
  refetchInterval: RELEASE_CHECK_INTERVAL_MS,
  refetchOnMount: "always",
});

/** `isReachable`: the server has just responded. */
export function useRelease(): { isOutdated: boolean; isReachable: boolean } {
  const { data, isSuccess, isFetching } = useQuery(releaseQuery);
  return {
    isOutdated: isSuccess && data !== "" && data !== entryScript(document),
    isReachable: isSuccess && !isFetching,
  };
}

/** The path of the page's own script; empty if there is none. */
function entryScript(page: Document): string {
  return page.querySelector('script[type="module"][src]')?.getAttribute("src") ?? "";
}
