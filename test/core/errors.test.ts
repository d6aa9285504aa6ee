import { describe, expect, test } from "vitest";

import { ApiError, validationFailed } from "../../src/core/errors.ts";

describe("an error response", () => {
  test("has its code's status, and the code's default message unless a specific one is given", () => {
    const error = new ApiError("link_not_found");
    expect(error).toMatchObject({
      status: 404,
      code: "link_not_found",
      message: "No such link in this account and mode.",
      details: {},
    });
    expect(error).toBeInstanceOf(Error);
    expect(new ApiError("rate_limited", "Too many keys.", { retryAfterSeconds: 7 })).toMatchObject({
      status: 429,
      message: "Too many keys.",
      details: { retryAfterSeconds: 7 },
    });
  });
});

describe("an invalid request", () => {
  const problem = (path: string) => ({ path, code: "required", message: `${path} is required` });

  test.each([
    [[], "The request is invalid", {}],
    [["url"], "url is required", { param: "url" }],
    [["url", "slug"], "url is required (and 1 more, see errors)", { param: "url" }],
    [["", "slug", "domain"], " is required (and 2 more, see errors)", {}],
  ])("with problems in %j", (paths, message, param) => {
    const error = validationFailed(paths.map(problem));
    expect(error).toMatchObject({ code: "validation_failed", status: 422, message });
    expect(error.details).toEqual({ ...param, errors: paths.map(problem) });
  });

  test("lists at most a hundred problems", () => {
    const problems = Array.from({ length: 101 }, (_, i) => problem(`links.${i}.url`));
    const { message, details } = validationFailed(problems);
    expect(message).toBe("links.0.url is required (and 100 more, see errors)");
    expect(details.errors).toEqual(problems.slice(0, 100));
  });
});
