import { describe, expect, test } from "vitest";

import type { WellKnown } from "../../src/core/domains/well-known-files.ts";
import {
  appLinksErrors,
  type AppLinksForm,
  appLinksFormOf,
  filesOf,
  inOtherView,
} from "../../src/dashboard/pages/settings/app-links.ts";

const PRINT = "14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5";
const EMPTY: AppLinksForm = appLinksFormOf({});
const FILLED: AppLinksForm = {
  ...EMPTY,
  teamId: "ABCDE12345",
  bundleIds: ["com.example.app", "com.example.other-app"],
  paths: ["/app/*", "/help"],
  packageName: "com.example.app_2",
  fingerprints: [PRINT],
};
const APPLE = {
  applinks: {
    details: [
      {
        appIDs: ["ABCDE12345.com.example.app", "ABCDE12345.com.example.other-app"],
        components: [{ "/": "/app/*" }, { "/": "/help" }],
      },
    ],
  },
};
const ANDROID = [
  {
    relation: ["delegate_permission/common.handle_all_urls"],
    target: { namespace: "android_app", package_name: "com.example.app_2", sha256_cert_fingerprints: [PRINT] },
  },
];
const FILES: WellKnown = { "apple-app-site-association": APPLE, "assetlinks.json": ANDROID };

test("a filled form is these files, and these files are this form", () => {
  expect(appLinksErrors(FILLED)).toEqual({});
  expect(filesOf(FILLED)).toEqual(FILES);
  expect(appLinksFormOf(FILES)).toMatchObject({
    ...FILLED,
    apple: JSON.stringify(APPLE, null, 2),
    android: JSON.stringify(ANDROID, null, 2),
  });
  expect(filesOf({ ...FILLED, bundleIds: [] })).toEqual({ "assetlinks.json": ANDROID });
  expect(filesOf({ ...FILLED, packageName: "" })).toEqual({ "apple-app-site-association": APPLE });
  expect(filesOf(EMPTY)).toBeNull();
});

test("without paths, apps open all links", () => {
  const form = { ...FILLED, paths: [] };
  expect(appLinksErrors(form)).toEqual({});
  expect(filesOf(form)).toMatchObject({
    "apple-app-site-association": { applinks: { details: [{ components: [{ "/": "/*" }] }] } },
  });
});

describe("a form with errors", () => {
  test.each<[keyof AppLinksForm, unknown]>([
    ["teamId", "ABCDE1234"],
    ["teamId", "abcde12345"],
    ["teamId", ""],
    ["bundleIds", []],
    ["bundleIds", ["com.example.app", "com"]],
    ["bundleIds", ["com.example.*"]],
    ["bundleIds", ["com..app"]],
    ["paths", ["app/*"]],
    ["packageName", "example"],
    ["packageName", "com.2example"],
    ["packageName", ""],
    ["fingerprints", []],
    ["fingerprints", [PRINT.slice(3)]],
    ["fingerprints", [PRINT.replaceAll(":", "")]],
    ["fingerprints", [`${PRINT}:00`]],
  ])("%s: %j", (field, value) => {
    expect(Object.keys(appLinksErrors({ ...FILLED, [field]: value }))).toEqual([field]);
  });

  test.each(["{", "[]", "null", "1", "{} {}"])("apple-app-site-association: %s", (apple) => {
    expect(appLinksErrors({ ...EMPTY, view: "json", apple, android: "[]" })).toEqual({ apple: "Enter a JSON object" });
  });

  test.each(["{}", "null", '"a"'])("assetlinks.json: %s", (android) => {
    expect(appLinksErrors({ ...EMPTY, view: "json", android })).toEqual({ android: "Enter a JSON array" });
  });
});

describe("files that say more than the form", () => {
  const detail = APPLE.applinks.details[0];
  test.each<WellKnown>([
    { "apple-app-site-association": { ...APPLE, webcredentials: { apps: ["ABCDE12345.com.example.app"] } } },
    { "apple-app-site-association": { applinks: { details: [detail, detail] } } },
    {
      "apple-app-site-association": {
        applinks: { details: [{ ...detail, components: [{ "/": "/a", exclude: true }] }] },
      },
    },
    {
      "apple-app-site-association": {
        applinks: { details: [{ ...detail, appIDs: ["ABCDE12345.com.a", "FGHIJ12345.com.a"] }] },
      },
    },
    { "apple-app-site-association": { applinks: null } },
    { "apple-app-site-association": { applinks: { details: [null] } } },
    { "apple-app-site-association": { applinks: { details: [{ appIDs: [1], components: [null, 1] }] } } },
    { "apple-app-site-association": {} },
    { "assetlinks.json": [] },
    { "assetlinks.json": [null] },
    { "assetlinks.json": [...ANDROID, ...ANDROID] },
    { "assetlinks.json": [{ ...ANDROID[0], relation: ["delegate_permission/common.get_login_creds"] }] },
  ])("are shown as JSON, and unchanged: %j", (files) => {
    const form = appLinksFormOf(files);
    expect([form.view, form.teamId, form.packageName]).toEqual(["json", "", ""]);
    expect(filesOf(form)).toEqual(files);
    expect(inOtherView(form)).toBeNull();
  });
});

test("both views show the same files", () => {
  const json = inOtherView(FILLED);
  expect(json).toMatchObject({ view: "json", apple: JSON.stringify(APPLE, null, 2) });
  const { apple, android, ...fields } = FILLED;
  expect([apple, android]).toEqual(["", ""]);
  expect(json && inOtherView(json)).toMatchObject(fields);
  expect(json && inOtherView({ ...json, apple: "" })).toMatchObject({
    teamId: "",
    bundleIds: [],
    packageName: "com.example.app_2",
  });
  expect(json && inOtherView({ ...json, apple: "{" })).toBeNull();
});
