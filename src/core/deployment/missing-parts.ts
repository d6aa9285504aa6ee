/** Parts that a deployment serves without, but that its operators may want to add. Pure. */
import { hostnameOf, type Hosts } from "../hosts.ts";
import { isWorkersDev } from "./settings.ts";

export const OPTIONAL_PARTS = ["short_domain", "bucket"] as const;
export type OptionalPart = (typeof OPTIONAL_PARTS)[number];

export function missingParts({ shortDomains }: Pick<Hosts, "shortDomains">, hasBucket: boolean): OptionalPart[] {
  const isMissing = { short_domain: isWorkersDev(hostnameOf(shortDomains.live)), bucket: !hasBucket };
  return OPTIONAL_PARTS.filter((part) => isMissing[part]);
}
