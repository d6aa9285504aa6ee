/** The clicks of all links of an account and mode, in the order of time. */
import { z } from "zod";

import { Click, CLICK_EXAMPLE } from "./clicks.ts";

const ACCOUNT_CLICK_EXAMPLE = { link_id: "lnk_01k9tn8m2q4r6s8t0v2w4x6y8z", domain: "hop.example", ...CLICK_EXAMPLE };

export const AccountClick = z
  .strictObject({
    link_id: z.string(),
    domain: z.string(),
    ...Click.shape,
  })
  .meta({
    id: "AccountClick",
    description: "One visit of any link of the account, with the same words as the keys of the statistics.",
    examples: [ACCOUNT_CLICK_EXAMPLE],
  });

export type AccountClick = z.infer<typeof AccountClick>;
