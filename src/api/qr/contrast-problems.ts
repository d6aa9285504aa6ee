/** The contrast of a code's colours, below which phones fail to read it. */
import { CreateQrCode } from "../../core/contract/qr-codes.ts";
import { ApiError, type Problem } from "../../core/errors.ts";
import { CONTRAST_MIN, contrastRatio } from "../../core/qr/contrast.ts";

type Colors = Pick<CreateQrCode, "fg" | "bg">;

/**
 * Adds the contrast to the problems of a body that has others. Alone it has an error code of its own, which
 * `requireContrast` throws.
 * @param fits  whether the body fits its schema
 */
export function contrastProblemsBesideOthers(sent: unknown, fits: boolean): Problem[] {
  if (typeof sent !== "object" || sent === null || fits) return [];
  const { fg, bg } = CreateQrCode.shape;
  const colors = {
    fg: fg.safeParse("fg" in sent ? sent.fg : undefined),
    bg: bg.safeParse("bg" in sent ? sent.bg : undefined),
  };
  return colors.fg.success && colors.bg.success ? contrastProblems({ fg: colors.fg.data, bg: colors.bg.data }) : [];
}

/** @throws ApiError contrast_too_low */
export function requireContrast(colors: Colors): void {
  const [problem] = contrastProblems(colors);
  if (!problem) return;
  throw new ApiError("contrast_too_low", problem.message, { param: problem.path, errors: [problem] });
}

function contrastProblems({ fg, bg }: Colors): Problem[] {
  const ratio = contrastRatio(fg, bg);
  if (ratio >= CONTRAST_MIN) return [];
  const message = `fg and bg must have a contrast of at least ${CONTRAST_MIN}:1, got ${roundedDown(ratio)}:1`;
  return [{ path: "fg", code: "contrast_too_low", message }];
}

/** Rounding to the nearest could show the minimum itself. */
function roundedDown(ratio: number): string {
  return (Math.floor(ratio * 1_000) / 1_000).toString();
}
