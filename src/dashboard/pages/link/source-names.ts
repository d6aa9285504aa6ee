/** How a visit came, as text: through the link or one of its QR codes. Pure. */
import type { Visitor } from "../../../core/visitors/visitor.ts";

const SOURCE_NAMES: Record<Visitor["source"], string> = { link: "Link", qr: "QR code" };

export const SOURCE_OPTIONS = Object.entries(SOURCE_NAMES).map(([value, label]) => ({ value, label }));

export function sourceName(source: string): string {
  return (SOURCE_NAMES as Record<string, string>)[source] ?? source;
}
