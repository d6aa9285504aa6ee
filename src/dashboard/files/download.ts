/** Saves files in the browser. */

/** Saves a file that was made in the browser. */
export function downloadFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  followDownload(url, name);
  // The browser has taken the content by the next task.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}

/** @param name  of the file; "" for that of the response */
export function followDownload(url: string, name: string): void {
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
}

/** For a link that saves a file. Browsers ignore `download` for addresses of another origin, and open those. */
export function downloadProps(url: string, name: string) {
  const isSameOrigin = new URL(url, location.href).origin === location.origin;
  return { href: url, ...(isSameOrigin ? { download: name } : { target: "_blank", rel: "noreferrer" }) };
}
