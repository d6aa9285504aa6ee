import type { Scope } from "../../../core/account.ts";
/** What each scope of an API key allows. */

export const SCOPE_DESCRIPTIONS: Record<Scope, string> = {
  "links:read": "List and read links",
  "links:write": "Create, change and delete links",
  "stats:read": "Read statistics and clicks",
  "qr:read": "Read QR codes",
  "qr:write": "Create QR codes",
  "events:read": "Listen to the live stream",
  "domains:read": "Read domains",
  "domains:write": "Add and remove domains",
};

export const SCOPES = Object.keys(SCOPE_DESCRIPTIONS) as Scope[];
