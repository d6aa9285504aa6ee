import { InvalidArgumentError } from "@commander-js/extra-typings";

/** Reads an option that is a whole number. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(
      most === Number.MAX_SAFE_INTEGER ? `It must be a whole number from ${least}.` : `It must be ${least} to ${most}.`,
    );
  };
}
