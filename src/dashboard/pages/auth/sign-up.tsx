/** Sign-up with email and password, unless the operator has disabled it. The first account has the same form. */
import { Anchor, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link, useLocation, useSearch } from "wouter";

import type { DashboardConfig } from "../../../core/contract/dashboard.ts";
import { clearQueryCache, configQuery } from "../../api/account.ts";
import { ApiError } from "../../api/api-error.ts";
import { authClient, unwrapAuth } from "../../api/auth.ts";
import { useSingleMutation } from "../../api/mutations.ts";
import { SubmitButton } from "../../components/buttons.tsx";
import { type DraftAddress, knownMembers, readDraft, removeDraft, writeDraft } from "../../components/draft-storage.ts";
import { Form } from "../../components/form.tsx";
import { ListSkeleton, Loaded } from "../../components/states.tsx";
import { authTexts, setupTexts, signUpTexts as texts } from "../../texts/auth.ts";
import { AuthLayout, SetupCommand } from "./auth-layout.tsx";
import { returnPath } from "../../signed-out-paths.ts";
import { AlternativeSignIn, EmailInput, NewPasswordInput, passwordError } from "./sign-in-parts.tsx";

export default function SignUp() {
  const search = useSearch();
  return (
    <AuthLayout
      title={texts.title}
      footer={
        <>
          {texts.haveAccount}{" "}
          <Anchor component={Link} to={`/sign-in${search ? `?${search}` : ""}`} inherit>
            {authTexts.signIn}
          </Anchor>
        </>
      }
    >
      <Loaded query={useQuery(configQuery)} skeleton={<ListSkeleton rows={3} />}>
        {(config) => {
          if (config.signups === "open") return <SignUpForm config={config} next={returnPath(search)} />;
          return config.has_accounts ? (
            <Text>{authTexts.closedHint}</Text>
          ) : (
            <SetupCommand reason={setupTexts.noAccount} />
          );
        }}
      </Loaded>
    </AuthLayout>
  );
}

function SignUpForm({ config, next }: { config: DashboardConfig; next: string }) {
  return (
    <>
      <NewAccountForm
        create={(account) => unwrapAuth(authClient.signUp.email(account))}
        next={next}
        submit={texts.title}
      />
      <AlternativeSignIn config={config} returnTo={next} />
    </>
  );
}

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
