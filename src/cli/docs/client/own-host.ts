/** Replaces the host of `npm run dev` in samples by the one that serves this page, so that they can be pasted and run. */
const SAMPLE_HOST = "localhost:8787";
const SAMPLE_ORIGIN = `http://${SAMPLE_HOST}`;

export function showOwnHost(): void {
  if (location.host === SAMPLE_HOST) return;
  for (const code of document.querySelectorAll("pre code")) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const value = text.nodeValue ?? "";
      if (!value.includes(SAMPLE_HOST)) continue;
      text.nodeValue = value.replaceAll(SAMPLE_ORIGIN, location.origin).replaceAll(SAMPLE_HOST, location.host);
    }
  }
}
