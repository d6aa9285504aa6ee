/** Formats of clicks as the next release might have them: with one field more, which every visitor has. */
import { CLICK_FIELDS as FIELDS, CLICK_FORMATS as KNOWN } from "../../../src/core/clicks/click-formats.ts";

export const CLICK_FIELDS = [...FIELDS, "source"] as const;

export const CLICK_FORMATS = [...KNOWN, CLICK_FIELDS];
