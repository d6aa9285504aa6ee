/** Saves a file that was made in the browser. */

export function downloadFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const anchor = Object.assign(document.createElement("a"), { href: address, download: name });
  anchor.click();
  URL.revokeObjectURL(address);
}
