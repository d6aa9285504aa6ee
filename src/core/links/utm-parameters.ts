/**
 * Reads and writes the UTM parameters of a URL as it is being typed. Pure. The rest of the text is untouched, so that
 * other parameters stay byte for byte the same.
 */
import { UTM_PARAMETERS, type UtmParameter } from "../visitors/utm.ts";

/** @returns the value in the URL; empty if there is none */
export function utmValue(url: string, parameter: UtmParameter): string {
  const pair = split(url).pairs.find((one) => nameOf(one) === parameter);
  return pair === undefined ? "" : decode(pair.slice(pair.indexOf("=") + 1 || pair.length));
}

/** An empty value removes the parameter; an existing one keeps its place. */
export function withUtmValue(url: string, parameter: UtmParameter, value: string): string {
  const { base, pairs, fragment } = split(url.trim());
  const place = pairs.findIndex((pair) => nameOf(pair) === parameter);
  const others = pairs.filter((pair) => nameOf(pair) !== parameter);
  const written = value === "" ? [] : [`${parameter}=${encodeURIComponent(value.toWellFormed())}`];
  const query = others.toSpliced(place === -1 ? others.length : place, 0, ...written).join("&");
  return base + (query === "" ? "" : `?${query}`) + fragment;
}

/** The parameters of a template. Each has at least one character. */
export type UtmValues = { readonly [parameter in UtmParameter]?: string | undefined };

/** Writes the parameters that have a value. Those without one stay as they are in the URL. */
export function withUtmValues(url: string, values: UtmValues): string {
  return UTM_PARAMETERS.reduce((written, parameter) => {
    const value = values[parameter] ?? "";
    return value === "" ? written : withUtmValue(written, parameter, value);
  }, url);
}

/** The values as a query: `utm_source=news&utm_medium=email`. */
export function utmQuery(values: UtmValues): string {
  return withUtmValues("", values).slice(1);
}

function split(url: string): { base: string; pairs: string[]; fragment: string } {
  const [beforeFragment = "", ...fragments] = url.split("#");
  const [base = "", ...queries] = beforeFragment.split("?");
  const query = queries.join("?");
  return {
    base,
    pairs: query === "" ? [] : query.split("&"),
    fragment: fragments.length === 0 ? "" : `#${fragments.join("#")}`,
  };
}

function nameOf(pair: string): string {
  return decode(pair.split("=", 1)[0] ?? "");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
