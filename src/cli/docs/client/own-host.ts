/** Shows samples with the host that serves this page, so that they can be pasted and run. */
import { withOwnHost } from "../../../core/deployment/sample-host.ts";

export function showOwnHost(): void {
  for (const code of document.querySelectorAll("pre code")) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const value = text.nodeValue ?? "";
      const own = withOwnHost(value, location.origin);
      if (own !== value) text.nodeValue = own;
    }
  }
}
