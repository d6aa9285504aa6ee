/**
 * Routing rules: an ordered list of conditions, each with a destination. The schema of each condition is in
 * `core/links/conditions.ts`; unreachable rules are found by `core/links/link-validation.ts`.
 */
import * as z from "zod";

import { RULES_MAX } from "../limits.ts";
import { CONDITIONS, type ConditionKey, type SchemaFunctions } from "../links/conditions.ts";
import type { RuleCondition } from "../links/routing.ts";
import { Destination } from "./primitives.ts";

const schemaFunctions: SchemaFunctions = {
  array: z.array,
  enum: z.enum,
  literal: z.literal,
  number: z.number,
  record: z.record,
  strictObject: z.strictObject,
  string: z.string,
  union: z.union,
};

const conditionShape = Object.fromEntries(
  Object.entries(CONDITIONS).map(([key, { schema, doc }]) => [
    key,
    schema(schemaFunctions).optional().meta({ description: doc }),
  ]),
) as Record<ConditionKey, z.ZodOptional<z.ZodType>>;

/**
 * Zod drops unknown keys before refinements run. Without `when`, a condition with only unknown keys would also be
 * reported as empty.
 */
const NOT_EMPTY = { error: "must not be empty", when: ({ issues }: { issues: unknown[] }) => issues.length === 0 };

const PlainCondition = z
  .strictObject(conditionShape)
  .refine((value) => Object.keys(value).length > 0, NOT_EMPTY)
  .meta({ id: "PlainCondition", minProperties: 1, description: "Same as `Condition`, without `not`." });

export const Condition = z
  .strictObject({
    ...conditionShape,
    not: PlainCondition.optional().meta({
      description: "Matches if not all of these conditions match. Cannot contain another `not`.",
    }),
  })
  .refine((value) => Object.keys(value).length > 0, NOT_EMPTY)
  .meta({
    id: "Condition",
    minProperties: 1,
    description:
      "All conditions must match. A value can be a list, any item of which can match. An unknown fact matches no condition.",
    examples: [{ country: ["DE", "AT"], device: "mobile" }],
  }) as unknown as z.ZodType<RuleCondition>;

export const RoutingRule = z.strictObject({ if: Condition, to: Destination }).meta({
  id: "RoutingRule",
  description: "Destination of visitors who match the conditions.",
  examples: [{ if: { country: "DE" }, to: "https://example.com/de" }],
});

export const Routing = z
  .array(RoutingRule)
  .max(RULES_MAX, `must have at most ${RULES_MAX} rules`)
  .meta({ description: "Rules in order. The first match wins. Requires the Premium plan unless empty." });
