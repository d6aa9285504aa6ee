/** API errors about a QR code's design, in the words of its form. */
import { describe, expect, test } from "vitest";

import { ApiError } from "../../src/dashboard/api/api-error.ts";
import {
  DEFAULT_DESIGN,
  logoMessage,
  newQrCode,
  qrFieldErrors,
  qrFormError,
  readBrand,
  rememberBrand,
} from "../../src/dashboard/pages/link/qr/qr-design.ts";

function refused(code: "contrast_too_low" | "size_too_small" | "validation_failed", param: string, message: string) {
  return new ApiError(422, { code, param, message });
}

describe("8 API errors, in the form's words", () => {
  test.each([
    [
      refused("contrast_too_low", "fg", "fg and bg must have a contrast of at least 4.5:1, got 4.4:1"),
      { colors: "These colors are too similar to scan. Make one darker or the other lighter." },
    ],
    [
      refused("validation_failed", "bg", "bg must be # and six hex digits, such as #1A2B3C"),
      { colors: "Enter a color as # and six hex digits, such as #1A2B3C." },
    ],
    [
      refused(
        "size_too_small",
        "size",
        "size must be at least 74 pixels for this link with margin 4 and ecc M, got 64",
      ),
      { size: "This code needs at least 74 pixels." },
    ],
    [
      refused("validation_failed", "logo", "logo must be a well-formed data URI"),
      { logo: "The file must be a PNG, JPEG or SVG image." },
    ],
  ])("%s", (error, messages) => {
    expect(qrFieldErrors(error)).toEqual(messages);
    expect(qrFormError(error)).toBeNull();
  });

  test("errors that concern no field are shown unchanged", () => {
    const error = new ApiError(0, { code: "network", message: "The server cannot be reached." });
    expect([qrFieldErrors(error), qrFormError(error)]).toEqual([{}, "The server cannot be reached."]);
    expect(qrFormError(null)).toBeNull();
  });

  test("errors about a logo name the file", () => {
    expect(logoMessage("logo cannot be drawn: the image is damaged or empty")).toBe(
      "The file cannot be drawn: the image is damaged or empty",
    );
  });
});

describe("8 the design that the browser remembers", () => {
  function storageOf(stored: string | null) {
    const items = new Map(stored === null ? [] : [["hoplink-qr-design:acc_1", stored]]);
    const getItem = (key: string) => items.get(key) ?? null;
    return { getItem, setItem: (key: string, value: string) => void items.set(key, value) } as Storage;
  }
  const logo = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><path d='M0 0h9v9z'/></svg>";

  test("has everything but the name, separately for each account", () => {
    const storage = storageOf(null);
    const design = { ...DEFAULT_DESIGN, fg: "#102A83", modules: "dot", logo, name: "Poster" } as const;
    rememberBrand(storage, "acc_1", design);
    expect(readBrand(storage, "acc_1")).toEqual({ ...design, name: "" });
    expect(readBrand(storage, "acc_2")).toEqual(DEFAULT_DESIGN);
  });

  test.each([
    ["not JSON", DEFAULT_DESIGN],
    ["null", DEFAULT_DESIGN],
    ["[]", DEFAULT_DESIGN],
    ['{"fg":"red","size":1e9,"modules":"star","corners":"circle"}', { ...DEFAULT_DESIGN, corners: "circle" }],
    [`{"logo":"data:image/svg+xml,<script/>","bg":"#FFF4D6"}`, { ...DEFAULT_DESIGN, bg: "#FFF4D6" }],
    [JSON.stringify({ logo: `data:image/png;base64,${"A".repeat(200_000)}` }), DEFAULT_DESIGN],
  ])("ignores what is damaged: %.60s", (stored, design) => {
    expect(readBrand(storageOf(stored), "acc_1")).toEqual(design);
  });

  test("storage that is full or disabled remembers nothing", () => {
    const refuse = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
    const storage = { getItem: refuse, setItem: refuse } as unknown as Storage;
    rememberBrand(storage, "acc_1", DEFAULT_DESIGN);
    expect(readBrand(storage, "acc_1")).toEqual(DEFAULT_DESIGN);
  });

  test("requests contain no shapes, which the API does not know", () => {
    const { name: _name, modules: _modules, corners: _corners, logo: _logo, ...sent } = DEFAULT_DESIGN;
    expect(newQrCode("lnk_1", { ...DEFAULT_DESIGN, modules: "dot" })).toEqual({ link_id: "lnk_1", ...sent });
  });
});
