/** The two forms of tests that interrupt: a short one in every run, a long one with `npm run test:faults`. */
const IS_LONG = process.env.FAULTS === "long";

export function shortOrLong<T>(short: T, long: T): T {
  return IS_LONG ? long : short;
}
