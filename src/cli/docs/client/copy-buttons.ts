/** Adds a copy button to each block of code. */
const NOTICE_MS = 2_000;

export function addCopyButtons(): void {
  // Browsers offer the clipboard only on pages loaded over HTTPS or from localhost.
  if (!("clipboard" in navigator)) return;
  for (const block of document.querySelectorAll("pre")) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Copy" });
    button.addEventListener("click", async () => {
      const isCopied = await navigator.clipboard.writeText(block.querySelector("code")?.textContent ?? "").then(
        () => true,
        () => false,
      );
      button.textContent = isCopied ? "Copied" : "Not allowed";
      setTimeout(() => (button.textContent = "Copy"), NOTICE_MS);
    });
    block.append(button);
  }
}
