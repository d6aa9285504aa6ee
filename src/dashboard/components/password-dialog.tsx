/** A dialog for a change that requires the account's password. Without one, the sign-in must be recent. */
import { Checkbox, Text, TextInput, type TextInputProps } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { ApiError, hasCode } from "../api/api-error.ts";
import { authClient, unwrapAuth } from "../api/auth.ts";
import { setSignInReason } from "../api/client.ts";
import { useAbortableMutation } from "../api/mutations.ts";
import { CurrentPasswordInput } from "../pages/auth/sign-in-parts.tsx";
import { authTexts as texts } from "../texts/auth.ts";
import { buttonTexts } from "../texts/shell.ts";
import { Form, FormButtons, FormModal } from "./form.tsx";
import { useFormDraft } from "./use-draft.ts";

interface PasswordDialogProps<T> {
  title: string;
  submit: string;
  /** Whether the change deletes or removes something. */
  isRemoval?: boolean;
  children?: ReactNode;
  /** A text that the change needs; `missing` is shown if it is empty. */
  field?: TextInputProps & { label: string; missing: string };
  /** Keeps the text, which must not be a secret, as the draft of this form. */
  draftForm?: string;
  /** Label of a checkbox that must be checked, and what is shown otherwise. */
  confirmation?: { label: string; missing: string };
  send: (body: { password?: string }, value: string, init: { init: { signal: AbortSignal } }) => Promise<T>;
  onDone: (result: T, password: string) => void;
  onClose: () => void;
}

export function PasswordDialog<T>({
  field,
  draftForm = "",
  confirmation,
  send,
  onDone,
  onClose,
  children,
  ...dialog
}: PasswordDialogProps<T>) {
  const hasPassword = useHasPassword() !== false;
  const form = useForm({
    initialValues: { value: "", password: "", understood: false },
    validate: {
      value: (value) => (value.trim() || !field ? null : field.missing),
      password: (value) => (value || !hasPassword ? null : texts.passwordMissing),
      understood: (value) => (value || !confirmation ? null : confirmation.missing),
    },
  });
  // Without a draft, nothing counts as typed.
  const initial = draftForm === "" ? form.values : form.getInitialValues();
  const draft = useFormDraft(form, { form: draftForm, initial, secret: ["password", "understood"] });
  const change = useAbortableMutation({
    mutationFn: ({ value, password }: typeof form.values, signal) =>
      send(hasPassword ? { password } : {}, value.trim(), { init: { signal } }),
    onSuccess: (result, { password }) => {
      draft.done();
      onDone(result, password);
    },
    onError: (error) => {
      if (!(error instanceof ApiError)) return;
      const [problem] = Object.values(error.fieldErrors());
      if (!hasPassword && hasCode(error, "invalid_password")) setSignInReason("old");
      else if (hasCode(error, "invalid_password")) form.setFieldError("password", texts.passwordWrong);
      else if (field && problem) form.setFieldError("value", problem);
    },
  });
  const isShownAtField = field && change.error instanceof ApiError && change.error.problems.length > 0;
  const error = isShownAtField || hasCode(change.error, "invalid_password") ? null : change.error;
  const { missing: _, ...input } = field ?? { label: "", missing: "" };
  return (
    <FormModal onClose={onClose} title={dialog.title}>
      <Form form={form} onSubmit={change.mutate} error={error} draft={draft}>
        {typeof children === "string" ? <Text size="sm">{children}</Text> : children}
        {field && <TextInput required data-autofocus {...input} {...form.getInputProps("value")} />}
        {hasPassword && (
          <CurrentPasswordInput label={texts.password} data-autofocus={!field} {...form.getInputProps("password")} />
        )}
        {confirmation && (
          <Checkbox label={confirmation.label} {...form.getInputProps("understood", { type: "checkbox" })} />
        )}
        <FormButtons
          {...(dialog.isRemoval && { cancel: buttonTexts.keep, color: "red.9" })}
          submit={dialog.submit}
          isPending={change.isPending}
        />
      </Form>
    </FormModal>
  );
}

/** The account's ways to sign in, except passkeys. */
export function useIdentities() {
  return useQuery({ queryKey: ["identities"], queryFn: () => unwrapAuth(authClient.listAccounts()) });
}

/** Undefined until it is known. */
export function useHasPassword(): boolean | undefined {
  return useIdentities().data?.some(({ providerId }) => providerId === "credential");
}
