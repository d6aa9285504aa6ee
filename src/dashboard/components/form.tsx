/** What the forms share: the error of a form as a whole, and the buttons of one in a dialog. */
import { Alert, Button, type ButtonProps, Group, type GroupProps } from "@mantine/core";

import { ApiError, errorMessage } from "../api/api-error.ts";
import { formTexts } from "../texts/shell.ts";

/** Shows nothing for errors with fields, which are shown at their fields instead. */
export function FormError({ error }: { error: unknown }) {
  const isShownAtFields = error instanceof ApiError && error.problems.length > 0;
  if (!error || isShownAtFields) return null;
  return (
    <Alert color="red" variant="light" role="alert">
      {errorMessage(error)}
    </Alert>
  );
}

interface FormButtonsProps extends Pick<ButtonProps, "color">, Pick<GroupProps, "className"> {
  onCancel: () => void;
  cancel?: string;
  submit: string;
  isPending: boolean;
}

export function FormButtons({
  onCancel,
  cancel = formTexts.cancel,
  submit,
  isPending,
  color,
  ...group
}: FormButtonsProps) {
  return (
    <Group justify="flex-end" {...group}>
      <Button variant="default" onClick={onCancel}>
        {cancel}
      </Button>
      <Button type="submit" loading={isPending} {...(color ? { color } : {})}>
        {submit}
      </Button>
    </Group>
  );
}
