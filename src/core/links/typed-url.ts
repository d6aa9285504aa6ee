/**
 * Completes a destination as typed: `example.com/x` means `https://example.com/x`. Pure. Nothing is validated here, and
 * a text with its own scheme, such as `javascript:`, stays as it is: the API validates it.
 */

const LABEL = String.raw`[\p{L}\p{N}_][\p{L}\p{M}\p{N}_\-\u200c\u200d]*`;
const NAME_WITH_DOT = String.raw`${LABEL}(?:\.${LABEL})+\.?`;
/** The last label must not be a number unless all four are: `1.5` is not a host. */
const HOST_LIKE = new RegExp(
  String.raw`^(?:(?!(?:[\w-]+\.)+\d+(?:[:/?#]|$))${NAME_WITH_DOT}|\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?(?:[/?#]|$)`,
  "u",
);

/** @returns the text without surrounding spaces, prefixed with `https://` if it begins like a host */
export function completeUrl(typed: string): string {
  const text = typed.trim();
  const withoutSlashes = text.startsWith("//") ? text.slice(2) : text;
  return HOST_LIKE.test(withoutSlashes) ? `https://${withoutSlashes}` : text;
}
