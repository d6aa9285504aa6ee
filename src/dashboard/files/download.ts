/** Saves files in the browser. */

/** Saves a file that was created in the browser. */
export function downloadFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  followDownload(url, name);
  // The browser has read the content before the next task.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}

/** @param name  of the file; "" to use the response's */
export function followDownload(url: string, name: string): void {
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
}

/** Props of a link that saves a file. Browsers ignore `download` for other origins, and open those addresses. */
export function downloadProps(url: string, name: string) {
  const isSameOrigin = new URL(url, location.href).origin === location.origin;
  return { href: url, ...(isSameOrigin ? { download: name } : { target: "_blank", rel: "noreferrer" }) };
}
