/**
 * The form of a domain's app links, and the files that it stands for. The form describes one team's apps on Apple's
 * systems, which open the same paths, and one Android app. Files that say more are edited as JSON.
 */
import { WELL_KNOWN_FILES, type WellKnown } from "../../../core/domains/well-known-files.ts";
import { appLinkTexts as texts } from "../../texts/settings.ts";

const [APPLE, ANDROID] = WELL_KNOWN_FILES;

const NO_TEXTS: string[] = [];
const NO_APPS = { teamId: "", bundleIds: NO_TEXTS, paths: NO_TEXTS, packageName: "", fingerprints: NO_TEXTS };

/** `apple` and `android`: JSON texts of the files. */
export type AppLinksForm = typeof NO_APPS & { view: "form" | "json"; apple: string; android: string };

const FORMATS = {
  teamId: /^[A-Z0-9]{10}$/,
  bundleIds: /^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/,
  paths: /^\//,
  packageName: /^[A-Za-z]\w*(?:\.[A-Za-z]\w*)+$/,
  fingerprints: /^[0-9A-F]{2}(?::[0-9A-F]{2}){31}$/,
} as const;

export type AppField = keyof typeof FORMATS;

/** The fields of each file. Only paths may be left out. */
export const APP_FIELDS: readonly { file: "apple" | "android"; fields: readonly AppField[] }[] = [
  { file: "apple", fields: ["teamId", "bundleIds", "paths"] },
  { file: "android", fields: ["packageName", "fingerprints"] },
];

const APP_RELATION = "delegate_permission/common.handle_all_urls";

/** Files that the form cannot show exactly are shown as JSON. */
export function appLinksFormOf(files: WellKnown): AppLinksForm {
  const text = (name: (typeof WELL_KNOWN_FILES)[number]) => (files[name] ? JSON.stringify(files[name], null, 2) : "");
  const form = { ...NO_APPS, ...appsOf(files), view: "form" as const, apple: text(APPLE), android: text(ANDROID) };
  const isExact = JSON.stringify(filesOfApps(form)) === JSON.stringify(ordered(files));
  return isExact && Object.keys(appLinksErrors(form)).length === 0 ? form : { ...form, ...NO_APPS, view: "json" };
}

/** The files of a form without errors; null if there are none. */
export function filesOf(form: AppLinksForm): WellKnown | null {
  const files =
    form.view === "form"
      ? filesOfApps(form)
      : ordered({ [APPLE]: parsed(form.apple), [ANDROID]: parsed(form.android) });
  return Object.keys(files).length === 0 ? null : files;
}

/** The form in its other view; null if the JSON says more than the form, or has errors. */
export function inOtherView(form: AppLinksForm): AppLinksForm | null {
  if (form.view === "form") {
    const { apple, android } = appLinksFormOf(filesOfApps(form));
    return { ...form, apple, android, view: "json" };
  }
  if (Object.keys(appLinksErrors(form)).length > 0) return null;
  const other = appLinksFormOf(filesOf(form) ?? {});
  return other.view === "form" ? other : null;
}

/** Messages by field. */
export function appLinksErrors(form: AppLinksForm): Partial<Record<keyof AppLinksForm, string>> {
  if (form.view === "form") {
    const used = APP_FIELDS.filter(({ fields }) => fields.some((field) => form[field].length > 0));
    const wrong = used.flatMap(({ fields }) => fields.filter((field) => isWrong(form, field)));
    return Object.fromEntries(wrong.map((field) => [field, texts.errors[field]]));
  }
  const [apple, android] = [parsed(form.apple), parsed(form.android)];
  return {
    ...(apple === undefined || (apple instanceof Object && !Array.isArray(apple)) ? {} : { apple: texts.errors.apple }),
    ...(android === undefined || Array.isArray(android) ? {} : { android: texts.errors.android }),
  };
}

function isWrong(form: AppLinksForm, field: AppField): boolean {
  const values = [form[field]].flat();
  return (values.length === 0 && field !== "paths") || values.some((value) => !FORMATS[field].test(value));
}

function filesOfApps({ teamId, bundleIds, paths, packageName, fingerprints }: AppLinksForm): WellKnown {
  const appIDs = bundleIds.map((id) => `${teamId}.${id}`);
  const components = (paths.length === 0 ? ["/*"] : paths).map((path) => ({ "/": path }));
  const target = { namespace: "android_app", package_name: packageName, sha256_cert_fingerprints: fingerprints };
  return {
    ...(bundleIds.length > 0 ? { [APPLE]: { applinks: { details: [{ appIDs, components }] } } } : {}),
    ...(packageName === "" ? {} : { [ANDROID]: [{ relation: [APP_RELATION], target }] }),
  };
}

/** The members that the form shows, if a file of any shape has them. */
interface ShownFiles {
  [APPLE]?: { applinks?: { details?: { appIDs?: unknown; components?: ({ "/"?: unknown } | null)[] }[] } };
  [ANDROID]?: { target?: { package_name?: unknown; sha256_cert_fingerprints?: unknown } }[];
}

function appsOf(files: WellKnown): Partial<AppLinksForm> {
  const { [APPLE]: apple, [ANDROID]: android } = files as ShownFiles;
  const app = apple?.applinks?.details?.[0];
  const ids = textsIn(app?.appIDs);
  const [teamId = ""] = ids[0]?.split(".") ?? [];
  const target = android?.[0]?.target;
  return {
    teamId,
    bundleIds: ids.map((id) => id.slice(teamId.length + 1)),
    paths: textsIn([app?.components ?? []].flat().map((component) => component?.["/"])),
    packageName: textsIn([target?.package_name])[0] ?? "",
    fingerprints: textsIn(target?.sha256_cert_fingerprints),
  };
}

function textsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
}

function ordered(files: { readonly [Name in keyof WellKnown]: unknown }): WellKnown {
  return Object.fromEntries(WELL_KNOWN_FILES.filter((name) => files[name]).map((name) => [name, files[name]]));
}

/** @returns undefined for a blank text, null for one that is not JSON */
function parsed(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
