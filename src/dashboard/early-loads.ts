/**
 * Loads responses of the API and the code of the page from the entry script, while the application is still
 * downloading. The application uses them instead of loading them again.
 */
import type { Mode } from "../core/account.ts";

export const API_PATH = "/dashboard/api";

/** An older response is not used: the page may have been restored much later. */
const MAX_AGE_MS = 30_000;

interface EarlyRequest {
  sentAt: number;
  mode: Mode;
  response: Promise<Response>;
  /** Whether it has arrived, with a 2xx. */
  isAnswered: boolean;
}

const earlyRequests = new Map<string, EarlyRequest>();

/** @param path  below `API_PATH`, with its query */
export function requestEarly(path: string, mode: Mode): Promise<Response> {
  const url = API_PATH + path;
  const response = fetch(url, { headers: { "Hoplink-Mode": mode } }).then(withReadBody);
  const request: EarlyRequest = { sentAt: performance.now(), mode, response, isAnswered: false };
  earlyRequests.set(url, request);
  response.then(
    ({ ok }) => (request.isAnswered = ok),
    // The client that uses the response handles its failure; an unused one must not be reported.
    () => {},
  );
  return response;
}

/** Whether a successful response to an early request is here, and not yet used. */
export function isAnsweredEarly(path: string): boolean {
  return earlyRequests.get(API_PATH + path)?.isAnswered ?? false;
}

/** Of the session until now: the next one must not see them, such as a 401. */
export function forgetEarlyResponses(): void {
  earlyRequests.clear();
}

/**
 * Whether browsers request the path exactly as written. Ids come from untrusted addresses: `..` in one leads to any
 * path of the host.
 */
function isPlainPath(url: string): boolean {
  return new URL(url, "https://here").pathname === url.replace(/[?#].*$/s, "");
}

/** The client's replacement for `fetch`. */
export async function fetchOrTakeEarly(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const url = String(input);
  if (!isPlainPath(url)) return new Response(null, { status: 404 });
  const early = earlyRequests.get(url);
  if (!early || (init.method ?? "GET") !== "GET") return fetch(input, init);
  earlyRequests.delete(url);
  const isFresh = performance.now() - early.sentAt < MAX_AGE_MS;
  const isSameMode = new Headers(init.headers).get("Hoplink-Mode") === early.mode;
  // If the early request failed in transit, it is sent again.
  return isFresh && isSameMode ? early.response.catch(() => fetch(input, init)) : fetch(input, init);
}

/** An unread body keeps its connection open, and a part that is left before it is shown never uses its response. */
async function withReadBody(response: Response): Promise<Response> {
  return new Response(await response.arrayBuffer(), response);
}

/**
 * Parts whose code the entry script loaded before React ran. `React.lazy` shows its fallback even for loaded code, and
 * React then keeps that fallback for some 300 ms; a part found here is rendered immediately.
 */
export const earlyParts = new Map<string, unknown>();

/**
 * Loads the code of a part. A failure is ignored, because the part loads its code again when it is rendered.
 * @param styles  what it waits for; requested first, because the part's own styles override them
 */
export function loadEarly(
  name: string,
  load: () => Promise<{ default: unknown }>,
  styles: () => Promise<unknown>,
): Promise<void> {
  return Promise.all([styles(), load()]).then(
    ([, part]) => void earlyParts.set(name, part.default),
    () => {},
  );
}

/** The mode last chosen in this browser, which the entry script reads before React runs. */
export const MODE_STORAGE_KEY = "hoplink-mode";

export function parseMode(text: string | null | undefined): Mode {
  return text === "test" ? "test" : "live";
}

export function storedMode(): Mode {
  return parseMode(localStorage.getItem(MODE_STORAGE_KEY));
}
