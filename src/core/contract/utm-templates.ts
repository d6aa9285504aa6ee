/** UTM templates of an account. Only the dashboard uses them. */
import * as z from "zod";

import { UTM_QUERY_MAX_BYTES, UTM_TEMPLATE_NAME_MAX_CHARS, UTM_VALUE_MAX_CHARS } from "../limits.ts";
import { utmQuery } from "../links/utm-parameters.ts";
import { UTM_PARAMETERS, type UtmParameter } from "../visitors/utm.ts";
import { boundedText } from "./link-members.ts";

const Value = trimmedText(UTM_VALUE_MAX_CHARS).optional();

const Values = Object.fromEntries(UTM_PARAMETERS.map((name) => [name, Value])) as Record<UtmParameter, typeof Value>;

/** A new template, or everything about an existing one: parameters that are left out are removed. */
export const UtmTemplateIn = z
  .strictObject({ name: trimmedText(UTM_TEMPLATE_NAME_MAX_CHARS), ...Values })
  .refine((template) => UTM_PARAMETERS.some((parameter) => template[parameter] !== undefined), {
    path: ["utm_source"],
    error: "or another parameter must be given",
  })
  // Percent-encoded, a character has up to twelve bytes: the parameters must leave room for the destination itself.
  .refine((template) => utmQuery(template).length <= UTM_QUERY_MAX_BYTES, {
    path: ["utm_source"],
    error: `and the other parameters must have at most ${UTM_QUERY_MAX_BYTES} bytes when percent-encoded`,
  });
export type UtmTemplateIn = z.infer<typeof UtmTemplateIn>;

export const UtmTemplate = UtmTemplateIn.safeExtend({ id: z.string() });
export type UtmTemplate = z.infer<typeof UtmTemplate>;

export const UtmTemplateList = z.strictObject({ data: z.array(UtmTemplate) });
export type UtmTemplateList = z.infer<typeof UtmTemplateList>;

/** Statistics trim values, so two that differ only in white space around them could not be told apart. */
export function trimmedText(maxChars: number) {
  return z.string().trim().pipe(boundedText(maxChars));
}
