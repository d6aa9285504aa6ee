/**
 * A flag, or the icon of a device, system or browser, beside its name. The name says the same, so it is hidden from
 * screen readers.
 */
import { queryOptions, useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";

import type { AccountGrouping } from "../../../../core/clicks/counting/groupings.ts";
import { COUNTRY_CODES } from "../../../../core/visitors/fact-values.ts";
import { icon } from "../../../icons.tsx";
import classes from "./key-icon.module.css";

/** Flags are left out if they fail to load: the next one that appears loads them again. */
const flagsQuery = queryOptions({
  queryKey: ["flags"],
  queryFn: async () => (await import("./flag.ts")).flagUrls,
  retry: false,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
});

const other = icon("world", 16);

const ICONS: Partial<Record<AccountGrouping, Record<string, ReactElement>>> = {
  device: { mobile: icon("device-mobile", 16), tablet: icon("device-tablet", 16), desktop: icon("device-desktop", 16) },
  os: {
    ios: icon("brand-apple", 16),
    macos: icon("brand-apple", 16),
    android: icon("brand-android", 16),
    windows: icon("brand-windows", 16),
    linux: icon("brand-ubuntu", 16),
    chromeos: icon("brand-chrome", 16),
  },
  browser: {
    chrome: icon("brand-chrome", 16),
    safari: icon("brand-safari", 16),
    firefox: icon("brand-firefox", 16),
    edge: icon("brand-edge", 16),
    samsung: icon("device-mobile", 16),
    opera: icon("brand-opera", 16),
  },
  source: { qr: icon("qrcode", 16) },
};

export function KeyIcon({ grouping, bucketKey }: { grouping: AccountGrouping; bucketKey: string }) {
  if (grouping === "country" || grouping === "region") return <CountryFlag code={bucketKey.slice(0, 2)} />;
  const icons = ICONS[grouping];
  return icons && <span className={classes.icon}>{icons[bucketKey] ?? other}</span>;
}

export function CountryFlag({ code }: { code: string }) {
  const isCountry = COUNTRY_CODES.has(code);
  const { data: urls } = useQuery({ ...flagsQuery, enabled: isCountry });
  if (!isCountry) return <span className={classes.icon}>{other}</span>;
  const url = urls?.get(code);
  return (
    <span className={classes.flag} aria-hidden>
      {url && <img src={url} alt="" width={18} height={12} loading="lazy" decoding="async" />}
    </span>
  );
}
