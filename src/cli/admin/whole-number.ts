/** Parses an option that is a whole number. */
import { InvalidArgumentError } from "@commander-js/extra-typings";

/** @returns a parser that throws InvalidArgumentError */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be ${min} to ${max}.`);
  };
}
