/** The shape of every error response. The codes are in `core/errors.ts`. */
import * as z from "zod";

import { ERRORS } from "../errors.ts";

const ProblemSchema = z.strictObject({
  path: z.string().meta({ description: "Dotted path of the field, such as `routing.2.if.country`." }),
  code: z.string().meta({ description: "Machine-readable code, such as `required` or `unknown_field`." }),
  message: z.string().meta({ description: "Human-readable description of the problem." }),
});

export const ErrorDetail = z
  .strictObject({
    code: z.enum(Object.keys(ERRORS)).meta({
      description: "Machine-readable error code. New codes may be added.",
      "x-extensible-enum": Object.keys(ERRORS),
    }),
    message: z.string().meta({ description: "Human-readable description of the problem and of its fix." }),
    param: z.string().optional().meta({ description: "The field, parameter, header or scope that caused the error." }),
    errors: z.array(ProblemSchema).optional().meta({ description: "All problems that were found." }),
  })
  .meta({
    id: "ErrorDetail",
    description: "Why a link in a bulk request was rejected.",
    examples: [{ code: "slug_taken", message: "The slug spring is already taken on localhost:8787.", param: "slug" }],
  });

export const ErrorBody = z
  .strictObject({
    error: z.strictObject({
      ...ErrorDetail.shape,
      request_id: z
        .string()
        .meta({ description: "Same as the header `X-Request-Id`. Include it when you report a problem." }),
      doc_url: z.string().meta({ description: "URL of the documentation of this code." }),
    }),
  })
  .meta({
    id: "Error",
    description: "The body of every error response.",
    examples: [
      {
        error: {
          code: "validation_failed",
          message: "url is required (and 1 more, see errors)",
          param: "url",
          errors: [
            { path: "url", code: "required", message: "url is required" },
            { path: "colour", code: "unknown_field", message: "colour is unknown" },
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
    type: z.string().meta({ description: "Same as `doc_url`. Identifies the kind of problem." }),
    title: z.string().meta({ description: "Meaning of the code, which is always the same." }),
    status: z.int().meta({ description: "HTTP status of the response." }),
    ...ErrorBody.shape.error.shape,
  })
  .meta({
    id: "Problem",
    description: "The same error as `application/problem+json` (RFC 9457), if `Accept` prefers it.",
  });

export type ProblemBody = z.infer<typeof ProblemBody>;
