/** Requests of the overview to the dashboard's API, when it opens with a link in the account: a path for each call. */

const RANGE = { timezone: "Europe/Berlin", from: new Date(Date.now() - 30 * 86_400_000).toISOString() };

export function overviewCalls(linkId: string): string[] {
  const all = (grouping: string, more = "") => `/stats?group_by=${grouping}&include_bots=false${more}`;
  return [
    "/account",
    "/keys",
    "/links?limit=100&archived=any",
    // While no click is counted.
    "/links?limit=20&archived=any",
    "/domains?limit=100",
    all("country", "&interval=day"),
    ...["country", "link", "referrer", "device", "utm_source"].map((grouping) => all(grouping)),
    all("device", "&interval=day&include=uniques"),
    "/clicks/latest",
    "/links/all/notes",
    "/events/stream?include_bots=false&origin=all",
    `/links/${linkId}/stats?group_by=device&interval=day`,
  ];
}

/** The call with the parameters for the viewer's time range and time zone. */
export function withRange(path: string): string {
  return path.includes("/stats?") ? `${path}&${new URLSearchParams(RANGE)}` : path;
}

export function withoutRange(path: string): string {
  return path.replaceAll(/&(?:timezone|from)=[^&]*/g, "");
}
