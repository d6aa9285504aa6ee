/** What devices, systems and browsers visitors are told apart by. Apart from the parser, which the dashboard need not load. */

export const DEVICES = ["mobile", "tablet", "desktop", "other"] as const;
export type Device = (typeof DEVICES)[number];

export const OSES = ["ios", "android", "windows", "macos", "linux", "chromeos", "other"] as const;
export type Os = (typeof OSES)[number];

export const BROWSERS = ["chrome", "safari", "firefox", "edge", "samsung", "opera", "other"] as const;
export type Browser = (typeof BROWSERS)[number];
