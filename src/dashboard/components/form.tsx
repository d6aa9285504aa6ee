/** Shared parts of forms: the frame with the form's error, errors at fields, and the buttons of a dialog. */
import { Alert, Button, type ButtonProps, Group, type GroupProps, Stack } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { ReactNode } from "react";

import { ApiError, errorMessage } from "../api/api-error.ts";
import { buttonTexts } from "../texts/shell.ts";
import { PlainButton } from "./buttons.tsx";

interface FormProps<V extends object> {
  form: UseFormReturnType<V>;
  onSubmit: (values: V) => void;
  /** The error of the last attempt. */
  error?: unknown;
  children: ReactNode;
}

export function Form<V extends object>({ form, onSubmit, error, children }: FormProps<V>) {
  return (
    <form onSubmit={form.onSubmit((values) => onSubmit(values))} noValidate>
      <Stack>
        <FormError error={error} />
        {children}
      </Stack>
    </form>
  );
}

/** Shows nothing for errors with fields, which the fields show instead. */
export function FormError({ error }: { error: unknown }) {
  const isShownAtFields = error instanceof ApiError && error.problems.length > 0;
  return error && !isShownAtFields ? <Alert color="red">{errorMessage(error)}</Alert> : null;
}

/** Shows the API's errors at the fields that they name. */
export function showAtFields(form: { setErrors: (errors: Record<string, string>) => void }): (error: unknown) => void {
  return (error) => {
    if (error instanceof ApiError) form.setErrors(error.fieldErrors());
  };
}

interface FormButtonsProps extends Pick<ButtonProps, "color" | "disabled">, Pick<GroupProps, "className"> {
  onCancel: () => void;
  cancel?: string;
  submit: string;
  isPending: boolean;
}

export function FormButtons({
  onCancel,
  cancel = buttonTexts.cancel,
  submit,
  isPending,
  className,
  ...button
}: FormButtonsProps) {
  return (
    <Group justify="flex-end" className={className ?? ""}>
      <PlainButton onClick={onCancel}>{cancel}</PlainButton>
      <Button type="submit" loading={isPending} {...button}>
        {submit}
      </Button>
    </Group>
  );
}
