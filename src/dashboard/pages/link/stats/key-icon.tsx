/**
 * A flag, or the icon of a device, system or browser, beside its name. The name says the same, so it is hidden from
 * screen readers.
 */
import { lazy, type ReactElement, Suspense } from "react";

import type { AccountGrouping } from "../../../../core/clicks/counting/groupings.ts";
import { COUNTRY_CODES } from "../../../../core/visitors/fact-values.ts";
import { icon } from "../../../icons.tsx";
import classes from "./key-icon.module.css";

/** Replaced after a failure to load, because `React.lazy` remembers a failure permanently. */
let Flag = lazyFlag();

/** A missing flag must not replace the statistics with an error. */
function lazyFlag() {
  return lazy(async () => {
    try {
      return await import("./flag.tsx");
    } catch {
      Flag = lazyFlag();
      return { default: () => null };
    }
  });
}

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
  if (!COUNTRY_CODES.has(code)) return <span className={classes.icon}>{other}</span>;
  return (
    <span className={classes.flag} aria-hidden>
      <Suspense fallback={null}>
        <Flag code={code} />
      </Suspense>
    </span>
  );
}
