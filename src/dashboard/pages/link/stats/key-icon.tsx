/** A flag, or the sign of a device, system or browser, beside its name. The name says the same, so it is hidden from screen readers. */
import { type ComponentType, lazy, Suspense } from "react";

import type { AccountGrouping } from "../../../../core/clicks/counting/groupings.ts";
import { COUNTRY_CODES } from "../../../../core/visitors/fact-values.ts";
import {
  IconBrandAndroid,
  IconBrandApple,
  IconBrandChrome,
  IconBrandEdge,
  IconBrandFirefox,
  IconBrandOpera,
  IconBrandSafari,
  IconBrandUbuntu,
  IconBrandWindows,
  IconDeviceDesktop,
  IconDeviceMobile,
  IconDeviceTablet,
  IconQrcode,
  type IconProps,
  IconWorld,
} from "../../../icons.tsx";
import classes from "./key-icon.module.css";

/** Replaced by one that loads again when loading failed: `React.lazy` remembers a failure for ever. */
let Flag = lazyFlag();

/** A name without its flag is no reason to show an error in place of the statistics. */
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

type Icons = Record<string, ComponentType<IconProps>>;

const DEVICE_ICONS: Icons = { mobile: IconDeviceMobile, tablet: IconDeviceTablet, desktop: IconDeviceDesktop };

const OS_ICONS: Icons = {
  ios: IconBrandApple,
  macos: IconBrandApple,
  android: IconBrandAndroid,
  windows: IconBrandWindows,
  linux: IconBrandUbuntu,
  chromeos: IconBrandChrome,
};

const BROWSER_ICONS: Icons = {
  chrome: IconBrandChrome,
  safari: IconBrandSafari,
  firefox: IconBrandFirefox,
  edge: IconBrandEdge,
  samsung: IconDeviceMobile,
  opera: IconBrandOpera,
};

const SOURCE_ICONS: Icons = { qr: IconQrcode };

const ICONS: Partial<Record<AccountGrouping, Icons>> = {
  device: DEVICE_ICONS,
  os: OS_ICONS,
  browser: BROWSER_ICONS,
  source: SOURCE_ICONS,
};

export function KeyIcon({ grouping, bucketKey }: { grouping: AccountGrouping; bucketKey: string }) {
  if (grouping === "country" || grouping === "region") return <CountryFlag code={bucketKey.slice(0, 2)} />;
  const icons = ICONS[grouping];
  if (!icons) return null;
  const Icon = icons[bucketKey] ?? IconWorld;
  return <Icon size={16} className={classes.icon} aria-hidden />;
}

export function CountryFlag({ code }: { code: string }) {
  if (!COUNTRY_CODES.has(code)) return <IconWorld size={16} className={classes.icon} aria-hidden />;
  return (
    <span className={classes.flag} aria-hidden>
      <Suspense fallback={null}>
        <Flag code={code} />
      </Suspense>
    </span>
  );
}
