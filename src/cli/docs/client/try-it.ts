/**
 * "Try it": sends an operation's request from the page with the reader's own key, and shows the response as it arrives.
 * The key goes to the service that serves the page.
 */

/** Of all forms of the page, and stored nowhere: it would be found there after signing out. */
let lastKey = "";

const SHOWN_HEADERS = ["etag", "location", "link", "retry-after", "idempotent-replayed", "x-request-id"];
/** A stream goes on until it is stopped; older text gives way. */
const SHOWN_MAX_CHARS = 20_000;

/** @param details  with the form, as `reference.ts` makes it */
export function startTryIt(details: HTMLDetailsElement): void {
  const form = details.querySelector("form");
  const key = form?.querySelector<HTMLInputElement>("[name=key]");
  const [send, stop] = form?.querySelectorAll("button") ?? [];
  const output = form?.querySelector<HTMLElement>(".response");
  if (!form || !key || !send || !stop || !output) return;
  // The reader may have typed one while this script was loading.
  key.value ||= lastKey;
  send.disabled = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (send.disabled) return;
    lastKey = key.value.trim();
    const controller = new AbortController();
    stop.addEventListener("click", () => controller.abort(), { once: true });
    [send.disabled, stop.hidden] = [true, false];
    await showResponse(output, requestOf(form, controller.signal));
    [send.disabled, stop.hidden] = [false, true];
  });
}

function requestOf(form: HTMLFormElement, signal: AbortSignal): Request {
  const { method = "GET", path = "", type } = form.dataset;
  const data = new FormData(form);
  const valueOf = (name: string) => String(data.get(name) ?? "").trim();
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(valueOf(`path.${name}`)));
  const url = new URL(filled, location.origin);
  const headers = new Headers({ Authorization: `Bearer ${valueOf("key")}` });
  for (const field of data.keys()) {
    const [, place, name = ""] = /^(query|header)\.(.+)$/.exec(field) ?? [];
    if (valueOf(field) === "") continue;
    if (place === "query") url.searchParams.set(name, valueOf(field));
    if (place === "header") headers.set(name, valueOf(field));
  }
  if (type) headers.set("Content-Type", type);
  const body = type ? valueOf("body") : null;
  // The key alone says who is asking: a session of the dashboard has no part in it.
  return new Request(url, { method, headers, body, signal, cache: "no-store", credentials: "omit" });
}

/** Never throws: what goes wrong is shown. */
async function showResponse(output: HTMLElement, request: Request): Promise<void> {
  const head = Object.assign(document.createElement("p"), { textContent: "Sending …" });
  output.replaceChildren(head);
  try {
    const response = await fetch(request);
    head.textContent = `${response.status} ${response.statusText}`;
    head.className = response.ok ? "ok" : "failed";
    const code = document.createElement("code");
    const block = document.createElement("pre");
    block.append(code);
    output.append(block);
    const headers = SHOWN_HEADERS.filter((name) => response.headers.has(name));
    let text =
      headers.map((name) => `${name}: ${response.headers.get(name)}\n`).join("") + (headers.length > 0 ? "\n" : "");
    code.textContent = text;
    if (/\bjson\b/.test(response.headers.get("Content-Type") ?? "")) {
      code.textContent += JSON.stringify(await response.json(), null, 2);
    } else {
      for await (const piece of textsOf(response)) code.textContent = text = (text + piece).slice(-SHOWN_MAX_CHARS);
    }
  } catch {
    const isStopped = request.signal.aborted;
    if (!isStopped) head.className = "failed";
    head.textContent = isStopped ? "Stopped" : "The service cannot be reached. Check your connection and try again.";
  }
}

async function* textsOf({ body }: Response): AsyncGenerator<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done = true, value = "" } = (await reader?.read()) ?? {};
    if (done) return;
    yield value;
  }
}
