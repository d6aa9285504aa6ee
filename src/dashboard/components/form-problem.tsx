/** Above a form: why it was not taken, unless that is said at its fields. */
import { Alert } from "@mantine/core";

import { ApiError, messageOf } from "../api/api-error.ts";

export function FormProblem({ error }: { error: unknown }) {
  const isAtField = error instanceof ApiError && error.problems.length > 0;
  if (!error || isAtField) return null;
  return (
    <Alert color="red" variant="light" role="alert">
      {messageOf(error)}
    </Alert>
  );
}
