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
