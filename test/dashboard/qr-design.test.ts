/** API errors about a QR code's design, in the words of its form. */
import { describe, expect, test } from "vitest";

import { ApiError } from "../../src/dashboard/api/api-error.ts";
import { logoMessage, qrFieldErrors, qrFormError } from "../../src/dashboard/pages/link/qr/qr-design.ts";

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
