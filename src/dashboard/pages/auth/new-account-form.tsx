/** The form for a new account, at sign-up and for the first account. */
import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { ReactNode } from "react";
import { useLocation } from "wouter";

import { clearQueryCache } from "../../api/account.ts";
import { ApiError } from "../../api/api-error.ts";
import { useSingleMutation } from "../../api/mutations.ts";
import { SubmitButton } from "../../components/buttons.tsx";
import { Form } from "../../components/form.tsx";
import { authTexts, signUpTexts as texts } from "../../texts/auth.ts";
import { NewPasswordInput, passwordError } from "./new-password.tsx";

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
  const form = useForm<NewAccount>({
    initialValues: { name: "", email: "", password: "" },
    validate: {
      email: (value) => (value.trim() ? null : authTexts.emailMissing),
      password: passwordError,
    },
  });
  const creation = useSingleMutation({
    mutationFn: ({ name, email, password }: NewAccount) => create({ name: name.trim(), email: email.trim(), password }),
    onSuccess: () => {
      clearQueryCache();
      navigate(next, { replace: true });
    },
    onError: (error) => error instanceof ApiError && form.setErrors(errorsOf?.(error) ?? error.fieldErrors()),
  });
  return (
    <Form form={form} onSubmit={creation.mutate} error={creation.error}>
      {children}
      <TextInput label={texts.name} autoComplete="name" {...form.getInputProps("name")} />
      <TextInput
        label={authTexts.email}
        type="email"
        autoComplete="username"
        required
        {...form.getInputProps("email")}
      />
      <NewPasswordInput label={authTexts.password} {...form.getInputProps("password")} />
      <SubmitButton loading={creation.isPending}>{submit}</SubmitButton>
    </Form>
  );
}
