/** The shape of every error response. The codes are in `core/errors.ts`. */
import { z } from "zod";

import { ERRORS } from "../errors.ts";

const ProblemSchema = z.strictObject({
  path: z.string().meta({ description: "Dotted path of the field, as `routing.2.if.country`." }),
  code: z.string().meta({ description: "What is wrong with it, for programs: `required`, `unknown_field` …" }),
  message: z.string().meta({ description: "What is wrong with it, for people." }),
});

export const ErrorDetail = z
  .strictObject({
    code: z.enum(Object.keys(ERRORS)).meta({
      description: "What went wrong, for programs. New codes may be added.",
      "x-extensible-enum": Object.keys(ERRORS),
    }),
    message: z.string().meta({ description: "What was wrong and what is allowed, for people." }),
    param: z.string().optional().meta({ description: "The field, parameter, header or scope at fault." }),
    errors: z.array(ProblemSchema).optional().meta({ description: "Every problem found." }),
  })
  .meta({
    id: "ErrorDetail",
    description: "Why one link of a bulk request was refused.",
    examples: [{ code: "slug_taken", message: "The slug spring is taken on localhost:8787", param: "slug" }],
  });

export const ErrorBody = z
  .strictObject({
    error: z.strictObject({
      ...ErrorDetail.shape,
      request_id: z
        .string()
        .meta({ description: "The same as the header `X-Request-Id`. Quote it when you ask for help." }),
      doc_url: z.string().meta({ description: "Where this code is explained." }),
    }),
  })
  .meta({
    id: "Error",
    description: "The one shape of every error.",
    examples: [
      {
        error: {
          code: "validation_failed",
          message: "url is required (and 1 more, see errors)",
          param: "url",
          errors: [
            { path: "url", code: "required", message: "url is required" },
            { path: "colour", code: "unknown_field", message: "colour is not known here" },
          ],
          request_id: "req_01kajm2t4g8q5v7w9x3y6z1a2b",
          doc_url: "http://localhost:8787/docs/errors#validation_failed",
        },
      },
    ],
  });

export type ErrorBody = z.infer<typeof ErrorBody>;

export const ProblemBody = z
  .strictObject({
    type: z.string().meta({ description: "The same as `doc_url`: names the kind of problem." }),
    title: z.string().meta({ description: "What the code stands for, the same each time." }),
    status: z.int().meta({ description: "The status of the response." }),
    ...ErrorBody.shape.error.shape,
  })
  .meta({
    id: "Problem",
    description: "The same error as `application/problem+json` (RFC 9457), where `Accept` prefers it.",
  });

export type ProblemBody = z.infer<typeof ProblemBody>;
