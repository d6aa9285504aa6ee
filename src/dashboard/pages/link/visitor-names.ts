/** Names of devices, operating systems, browsers and sources of visits by core's codes. Pure. */
import type { Browser, Device, Os } from "../../../core/visitors/fact-values.ts";
import type { Visitor } from "../../../core/visitors/visitor.ts";

const DEVICE_NAMES: Record<Device, string> = { mobile: "Mobile", tablet: "Tablet", desktop: "Desktop", other: "Other" };

const OS_NAMES: Record<Os, string> = {
  ios: "iOS",
  android: "Android",
  windows: "Windows",
  macos: "macOS",
  linux: "Linux",
  chromeos: "ChromeOS",
  other: "Other",
};

const BROWSER_NAMES: Record<Browser, string> = {
  chrome: "Chrome",
  safari: "Safari",
  firefox: "Firefox",
  edge: "Edge",
  samsung: "Samsung Internet",
  opera: "Opera",
  other: "Other",
};

const SOURCE_NAMES: Record<Visitor["source"], string> = { link: "Link", qr: "QR code" };

export const deviceName = nameLookup(DEVICE_NAMES);
export const osName = nameLookup(OS_NAMES);
export const browserName = nameLookup(BROWSER_NAMES);
export const sourceName = nameLookup(SOURCE_NAMES);

export const DEVICE_OPTIONS = toOptions(DEVICE_NAMES);
export const OS_OPTIONS = toOptions(OS_NAMES);
export const BROWSER_OPTIONS = toOptions(BROWSER_NAMES);
export const SOURCE_OPTIONS = toOptions(SOURCE_NAMES);

function nameLookup(names: Record<string, string>): (key: string) => string {
  return (key) => names[key] ?? key;
}

function toOptions(names: Record<string, string>) {
  return Object.entries(names).map(([value, label]) => ({ value, label }));
}
