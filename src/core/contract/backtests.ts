/** Backtest of a link: routing rules in the request, and in the response what they would have done with past clicks. */
import { z } from "zod";

import { BACKTEST_SAMPLES_MAX } from "../backtest/backtest.ts";
import { BUCKETS_MAX } from "../clicks/counting/groupings.ts";
import { BACKTEST_DAYS, figure } from "../limits.ts";
import { Destination, TimestampIn, TimestampOut } from "./primitives.ts";
import { Routing } from "./routing-rules.ts";

export const BacktestLink = z
  .strictObject({
    url: Destination.optional().meta({
      description: "Where visitors go who match none of these rules; the link's `url` when omitted.",
    }),
    routing: Routing.meta({
      description: "The rules to try, on every plan. They are validated as in a change of the link, and not stored.",
    }),
    from: TimestampIn.optional().meta({
      description: `First instant of the clicks; ${BACKTEST_DAYS} days before \`to\` when omitted.`,
    }),
    to: TimestampIn.optional().meta({ description: "First instant that is not part of them; now when omitted." }),
    include_bots: z
      .boolean()
      .optional()
      .meta({ description: "Adds declared bots and prefetches to people.", examples: [false] }),
  })
  .meta({
    id: "BacktestLink",
    examples: [{ routing: [{ if: { country: ["DE", "AT"] }, to: "https://example.com/de" }] }],
  });

export type BacktestLink = z.infer<typeof BacktestLink>;

const RuleChange = z.strictObject({
  rule: z.string().meta({ description: "Canonical text, as statistics have it, or `default`." }),
  before: z.int().meta({ description: "Clicks that it decided." }),
  after: z.int().meta({ description: "Clicks that it would have decided." }),
});

const MovedClick = z.strictObject({
  seq: z.int().meta({ description: "Number of the click in the log." }),
  before: z.string().meta({ description: "Where it went." }),
  after: z.string().meta({ description: "Where it would have gone." }),
});

export const Backtest = z
  .strictObject({
    clicks: z.int().meta({ description: "Clicks in the range: the sum of all `before`." }),
    moved: z.int().meta({ description: "Clicks that would have gone to another destination." }),
    undecided: z.int().meta({
      description: "Clicks of which the log does not tell the rule: they are in no `after`, and not `moved`.",
    }),
    rules: z.array(RuleChange).meta({
      description: `The rules that were sent, in their order; \`default\`; then others that decided, most clicks first. Of these, ${figure(BUCKETS_MAX)} at most, the rest as \`other\`.`,
    }),
    samples: z
      .array(MovedClick)
      .meta({ description: `Up to ${BACKTEST_SAMPLES_MAX} of the moved clicks, spread over the range.` }),
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
