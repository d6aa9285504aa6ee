/** Backtest of a link: routing rules in the request, and in the response what they would have done with past clicks. */
import * as z from "zod";

import { BACKTEST_SAMPLES_MAX } from "../backtest/backtest.ts";
import { BUCKETS_MAX } from "../clicks/counting/groupings.ts";
import { BACKTEST_DAYS, figure } from "../limits.ts";
import { Routing } from "./link-members.ts";
import { Destination, TimestampIn, TimestampOut } from "./primitives.ts";

export const BacktestLink = z
  .strictObject({
    url: Destination.optional().meta({
      description: "Destination if no rule matches. Defaults to the link's `url`.",
    }),
    routing: Routing.meta({
      description: "Rules to test, on any plan. They are validated like a change of the link, but not stored.",
    }),
    from: TimestampIn.optional().meta({
      description: `Start of the range, inclusive. Defaults to ${BACKTEST_DAYS} days before \`to\`.`,
    }),
    to: TimestampIn.optional().meta({ description: "End of the range, exclusive. Defaults to now." }),
    include_bots: z
      .boolean()
      .optional()
      .meta({ description: "Whether to include declared bots and prefetches.", examples: [false] }),
  })
  .meta({
    id: "BacktestLink",
    examples: [{ routing: [{ if: { country: ["DE", "AT"] }, to: "https://example.com/de" }] }],
  });

export type BacktestLink = z.infer<typeof BacktestLink>;

const RuleChange = z.strictObject({
  rule: z.string().meta({ description: "Canonical text of the rule, as in statistics, or `default`." }),
  before: z.int().meta({ description: "Clicks that the rule decided." }),
  after: z.int().meta({ description: "Clicks that the rule would have decided." }),
});

const MovedClick = z.strictObject({
  seq: z.int().meta({ description: "Sequence number of the click in the log." }),
  before: z.string().meta({ description: "Original destination." }),
  after: z.string().meta({ description: "Destination with the tested rules." }),
});

export const Backtest = z
  .strictObject({
    clicks: z.int().meta({ description: "Clicks in the range, which is the sum of all `before`." }),
    moved: z.int().meta({ description: "Clicks that would have gone to another destination." }),
    undecided: z.int().meta({
      description: "Clicks whose rule the log cannot determine. They are not included in any `after` or in `moved`.",
    }),
    rules: z.array(RuleChange).meta({
      description: `The rules that were sent, in order, then \`default\`, then other rules that decided clicks, most clicks first. At most ${figure(BUCKETS_MAX)} of the other rules are listed. The rest are added up as \`other\`.`,
    }),
    samples: z
      .array(MovedClick)
      .meta({ description: `Up to ${BACKTEST_SAMPLES_MAX} moved clicks, spread over the range.` }),
    from: TimestampOut,
    to: TimestampOut,
  })
  .meta({
    id: "Backtest",
    examples: [
      {
        clicks: 1240,
        moved: 310,
        undecided: 0,
        rules: [
          { rule: "country=AT,DE", before: 0, after: 310 },
          { rule: "default", before: 1240, after: 930 },
        ],
        samples: [{ seq: 118, before: "https://example.com/", after: "https://example.com/de" }],
        from: "2026-10-22T09:00:00.000Z",
        to: "2026-11-21T09:00:00.000Z",
      },
    ],
  });

export type Backtest = z.infer<typeof Backtest>;
