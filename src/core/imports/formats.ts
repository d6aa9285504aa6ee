/** The export formats that can be imported. */
import { bitly } from "./bitly.ts";
import { dub } from "./dub.ts";
import { kutt, shlink, sink, yourls } from "./self-hosted.ts";
import { shortIo } from "./short-io.ts";
import { type ServiceFormat, FORMAT_NAMES, type FormatName } from "./source-link.ts";

export const FORMATS: Readonly<Record<FormatName, ServiceFormat>> = {
  dub,
  bitly,
  "short-io": shortIo,
  kutt,
  sink,
  shlink,
  yourls,
};

/** @param names  of a CSV header or a JSON entry, as `fieldName` writes them */
export function recognizedFormat(names: ReadonlySet<string>): FormatName | null {
  return FORMAT_NAMES.find((name) => FORMATS[name].recognizes(names)) ?? null;
}
