/**
 * "Try it": sends an operation's request from the page with the reader's own key. The form is made of the OpenAPI
 * document when it is opened. The key stays in this tab (`sessionStorage`) and goes to the service that serves the page.
 */
import { readStored, store } from "./sample-tabs.ts";
import { type Field, fieldsOf, type OpenApi, type Operation, requestOf } from "./try-request.ts";
import { showResponse } from "./try-response.ts";

const KEY_STORAGE = "docs-key";

let loading: Promise<OpenApi> | null = null;

export function addTryIt(): void {
  for (const article of document.querySelectorAll<HTMLElement>("article[data-operation]")) {
    const [method = "", path = ""] = article.dataset["operation"]?.split(" ") ?? [];
    const details = document.createElement("details");
    details.className = "try-it";
    details.append(Object.assign(document.createElement("summary"), { textContent: "Try it" }));
    details.addEventListener("toggle", () => void open(details, method, path), { once: true });
    article.querySelector(".samples")?.after(details);
  }
}

async function open(details: HTMLDetailsElement, method: string, path: string): Promise<void> {
  const status = element("p", { role: "status", textContent: "Loading …" });
  details.append(status);
  try {
    loading ??= loadDocument();
    const operation = (await loading).paths[path]?.[method];
    if (!operation) throw new Error(`${method} ${path} is not documented`);
    status.replaceWith(formOf(operation, await loading, method, path));
  } catch {
    loading = null;
    status.textContent = "The form could not be loaded. Close and open it to try again.";
    details.addEventListener(
      "toggle",
      () => {
        details.addEventListener("toggle", () => void open(details, method, path), { once: true });
        status.remove();
      },
      { once: true },
    );
  }
}

async function loadDocument(): Promise<OpenApi> {
  const response = await fetch("/openapi.json");
  if (!response.ok) throw new Error(`The document answers ${response.status}`);
  return response.json();
}

function formOf(operation: Operation, all: OpenApi, method: string, path: string): HTMLFormElement {
  const form = document.createElement("form");
  const key = inputFor({ name: "Key", place: "key", example: "", isRequired: true, isLong: false });
  const keyInput = key.querySelector("input");
  if (keyInput) {
    keyInput.type = "password";
    keyInput.placeholder = "svc_test_…";
    keyInput.value = readStored("sessionStorage", KEY_STORAGE) ?? "";
  }
  const send = element("button", { type: "submit", textContent: "Send" });
  const stop = element("button", { type: "button", textContent: "Stop", hidden: true });
  const output = element("div", { className: "response", role: "status" });
  form.append(
    key,
    ...fieldsOf(operation, all).map(inputFor),
    element("p", { textContent: noteFor(method) }),
    send,
    stop,
    output,
  );
  let controller: AbortController | null = null;
  stop.addEventListener("click", () => controller?.abort());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (controller) return;
    controller = new AbortController();
    store("sessionStorage", KEY_STORAGE, valueOf(form, "Key").trim());
    stop.hidden = false;
    send.disabled = true;
    const { url, init } = requestOf(operation, all, { method, path, valueOf: (name) => valueOf(form, name) });
    void showResponse(output, url, { ...init, signal: controller.signal }).finally(() => {
      controller = null;
      stop.hidden = true;
      send.disabled = false;
    });
  });
  return form;
}

function noteFor(method: string): string {
  return method === "get"
    ? "The request goes to this service from your browser."
    : "The request is real: it changes what the key's account has. A test key keeps live links out of it.";
}

function inputFor({ name, example, isRequired, isLong }: Field): HTMLElement {
  const label = document.createElement("label");
  const caption = element("span", { textContent: isRequired ? name : `${name} (optional)` });
  const input = document.createElement(isLong ? "textarea" : "input");
  Object.assign(input, { name, value: example, required: isRequired, spellcheck: false, autocomplete: "off" });
  if (input instanceof HTMLTextAreaElement) input.rows = Math.min(example.split("\n").length, 20);
  label.append(caption, input);
  return label;
}

function valueOf(form: HTMLFormElement, name: string): string {
  const input = form.elements.namedItem(name);
  return input instanceof HTMLInputElement || input instanceof HTMLTextAreaElement ? input.value : "";
}

function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  members: Partial<HTMLElementTagNameMap[K]>,
): HTMLElementTagNameMap[K] {
  return Object.assign(document.createElement(tag), members);
}
