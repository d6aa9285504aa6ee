/** The fields of a new account, at sign-up and for the first account. */
import { TextInput } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";

import { authTexts, signUpTexts as texts } from "../../texts/auth.ts";
import { NewPasswordInput, passwordError } from "./new-password.tsx";

export interface NewAccount {
  name: string;
  email: string;
  password: string;
}

export function useNewAccountForm(): UseFormReturnType<NewAccount> {
  return useForm<NewAccount>({
    initialValues: { name: "", email: "", password: "" },
    validate: {
      email: (value) => (value.trim() ? null : authTexts.emailMissing),
      password: passwordError,
    },
  });
}

/** The values as they are sent. */
export function newAccountOf(form: UseFormReturnType<NewAccount>): NewAccount {
  const { name, email, password } = form.getValues();
  return { name: name.trim(), email: email.trim(), password };
}

export function NewAccountFields({ form }: { form: UseFormReturnType<NewAccount> }) {
  return (
    <>
      <TextInput label={texts.name} autoComplete="name" {...form.getInputProps("name")} />
      <TextInput
        label={authTexts.email}
        type="email"
        autoComplete="username"
        required
        {...form.getInputProps("email")}
      />
      <NewPasswordInput label={authTexts.password} {...form.getInputProps("password")} />
    </>
  );
}
