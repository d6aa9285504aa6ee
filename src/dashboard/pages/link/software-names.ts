/** Devices, systems and browsers as people write them. Pure. */
import type { Browser, Device, Os } from "../../../core/visitors/user-agent.ts";

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

export const deviceName = named(DEVICE_NAMES);
export const osName = named(OS_NAMES);
export const browserName = named(BROWSER_NAMES);

export const DEVICE_CHOICES = choices(DEVICE_NAMES);
export const OS_CHOICES = choices(OS_NAMES);
export const BROWSER_CHOICES = choices(BROWSER_NAMES);

function named(names: Record<string, string>): (key: string) => string {
  return (key) => names[key] ?? key;
}

function choices(names: Record<string, string>) {
  return Object.entries(names).map(([value, label]) => ({ value, label }));
}
