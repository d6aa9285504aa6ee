/** Sends a request and shows its response: status, headers, and the body as it arrives. */
const SHOWN_HEADERS = ["etag", "location", "link", "retry-after", "idempotent-replayed", "x-request-id"];
/** A stream goes on until it is stopped; older text gives way. */
const SHOWN_MAX_CHARS = 20_000;

/** Never throws: what goes wrong is shown. */
export async function showResponse(output: HTMLElement, url: string, init: RequestInit): Promise<void> {
  const head = document.createElement("p");
  const body = document.createElement("pre");
  head.textContent = "Sending …";
  output.replaceChildren(head);
  try {
    const response = await fetch(url, { ...init, cache: "no-store" });
    head.textContent = `${response.status} ${response.statusText}`;
    head.className = response.ok ? "ok" : "failed";
    const headers = SHOWN_HEADERS.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [`${name}: ${value}`];
    });
    const code = document.createElement("code");
    body.append(code);
    output.append(body);
    let text = headers.length > 0 ? `${headers.join("\n")}\n\n` : "";
    code.textContent = text;
    const isJson = /\bjson\b/.test(response.headers.get("Content-Type") ?? "");
    if (isJson) code.textContent = text + JSON.stringify(await response.json(), null, 2);
    else {
      for await (const piece of textsOf(response)) {
        text = (text + piece).slice(-SHOWN_MAX_CHARS);
        code.textContent = text;
      }
    }
  } catch (error) {
    const isStopped = error instanceof DOMException && error.name === "AbortError";
    if (!isStopped) head.className = "failed";
    head.textContent = isStopped ? "Stopped" : "The service cannot be reached. Check your connection and try again.";
  }
}

async function* textsOf({ body }: Response): AsyncGenerator<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done) return;
    yield value ?? "";
  }
}
