/** The error of a form as a whole; errors with fields are shown at their fields instead. */
import { Alert } from "@mantine/core";

import { ApiError, errorMessage } from "../api/api-error.ts";

export function FormError({ error }: { error: unknown }) {
  const isShownAtFields = error instanceof ApiError && error.problems.length > 0;
  if (!error || isShownAtFields) return null;
  return (
    <Alert color="red" variant="light" role="alert">
      {errorMessage(error)}
    </Alert>
  );
}
