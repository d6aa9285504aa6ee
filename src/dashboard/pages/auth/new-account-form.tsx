/** The form for a new account, at sign-up and for the first account. */
import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { type ReactNode, useState } from "react";
import { useLocation } from "wouter";

import { clearQueryCache } from "../../api/account.ts";
import { ApiError } from "../../api/api-error.ts";
import { useSingleMutation } from "../../api/mutations.ts";
import { SubmitButton } from "../../components/buttons.tsx";
import { type DraftAddress, knownMembers, readDraft, removeDraft, writeDraft } from "../../components/draft-storage.ts";
import { Form } from "../../components/form.tsx";
import { authTexts, signUpTexts as texts } from "../../texts/auth.ts";
import { EmailInput, NewPasswordInput, passwordError } from "./new-password.tsx";

/** In the tab's storage, because no sign-out removes it: the browser's next user must not see it. */
const DRAFT: DraftAddress = { accountId: "", mode: "live", form: "new-account" };

export interface NewAccount {
  name: string;
  email: string;
  password: string;
}

interface NewAccountFormProps {
  create: (account: NewAccount) => Promise<unknown>;
  /** Path below `/dashboard` to open with the account. */
  next: string;
  submit: string;
  /** Errors by field. */
  errorsOf?: (error: ApiError) => Record<string, string>;
  /** Shown above the fields. */
  children?: ReactNode;
}

export function NewAccountForm({ create, next, submit, errorsOf, children }: NewAccountFormProps) {
  const [, navigate] = useLocation();
  const [typed] = useState(() => knownMembers(readDraft(sessionStorage, DRAFT) ?? {}, { name: "", email: "" }));
  const form = useForm<NewAccount>({
    initialValues: { name: "", email: "", password: "", ...typed },
    onValuesChange: ({ name, email }) => void writeDraft(sessionStorage, DRAFT, { name, email, savedAt: Date.now() }),
    validate: {
      email: (value) => (value.trim() ? null : authTexts.emailMissing),
      password: passwordError,
    },
  });
  const creation = useSingleMutation({
    mutationFn: ({ name, email, password }: NewAccount) => create({ name: name.trim(), email: email.trim(), password }),
    onSuccess: () => {
      removeDraft(sessionStorage, DRAFT);
      clearQueryCache();
      navigate(next, { replace: true });
    },
    onError: (error) => error instanceof ApiError && form.setErrors(errorsOf?.(error) ?? error.fieldErrors()),
  });
  return (
    <Form form={form} onSubmit={creation.mutate} error={creation.error}>
      {children}
      <TextInput label={texts.name} autoComplete="name" {...form.getInputProps("name")} />
      <EmailInput {...form.getInputProps("email")} />
      <NewPasswordInput label={authTexts.password} {...form.getInputProps("password")} />
      <SubmitButton loading={creation.isPending}>{submit}</SubmitButton>
    </Form>
  );
}
