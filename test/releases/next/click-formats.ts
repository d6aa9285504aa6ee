/** A possible format of batches in the next release: with one more field, which every visitor has. */
import { BATCH_FORMAT as FORMAT, CLICK_FIELDS as FIELDS } from "../../../src/core/clicks/encoding/click-formats.ts";

export const BATCH_FORMAT = FORMAT + 1;

export const CLICK_FIELDS = [...FIELDS, "source"] as const;
