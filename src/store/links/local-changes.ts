/**
 * Changes of links that this isolate has written, for its own cache of links (edge/link-lookup.ts), which the store may
 * not import. Other isolates learn of them from the link's object.
 */
import type { LinkSnapshot } from "../../core/links/link-snapshot.ts";

type Listener = (link: LinkSnapshot) => void;

let listener: Listener = () => {};

export function onLocalChange(listen: Listener): void {
  listener = listen;
}

/** @param link  after the change */
export function announceLocalChange(link: LinkSnapshot): void {
  listener(link);
}
