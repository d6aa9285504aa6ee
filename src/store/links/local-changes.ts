/**
 * Link changes written by this isolate, for its own link cache (edge/link-lookup.ts), which the store may not import.
 * Other isolates receive them from the link's object.
 */
import type { LinkSnapshot } from "../../core/links/link-snapshot.ts";

type Listener = (link: LinkSnapshot) => void;

let listener: Listener = () => {};

export function onLocalChange(listen: Listener): void {
  listener = listen;
}

/** @param link  the link after the change */
export function announceLocalChange(link: LinkSnapshot): void {
  listener(link);
}
