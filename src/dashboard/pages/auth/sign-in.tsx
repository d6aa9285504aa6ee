/** Sign-in with email and password, or without a password. */
import { Alert, Anchor, Button, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation, useSearch } from "wouter";

import type { DashboardConfig } from "../../../core/contract/dashboard.ts";
import { clearQueryCache, configQuery } from "../../api/account.ts";
import { authClient, signInWithPassword, unwrapAuth } from "../../api/auth.ts";
import { useSingleMutation } from "../../api/mutations.ts";
import { FlatButton } from "../../components/buttons.tsx";
import { Form, showAtFields } from "../../components/form.tsx";
import { Hint } from "../../components/hint.tsx";
import { authTexts, setupTexts, signInTexts as texts } from "../../texts/auth.ts";
import { AuthLayout, SetupCommand } from "./auth-layout.tsx";
import { returnPath } from "../../signed-out-paths.ts";
import { AlternativeSignIn } from "./alternative-sign-in.tsx";
import { CodeInput, CurrentPasswordInput, needsCode } from "./new-password.tsx";

export default function SignIn() {
  const search = useSearch();
  const config = useQuery(configQuery);
  const hasAccounts = config.data?.has_accounts ?? true;
  return (
    <AuthLayout
      title={texts.title}
      footer={
        config.data?.signups === "closed" ? (
          hasAccounts && authTexts.closed
        ) : (
          <>
            {texts.noAccount}{" "}
            <Anchor component={Link} to={`/sign-up${search ? `?${search}` : ""}`} inherit>
              {texts.signUp}
            </Anchor>
          </>
        )
      }
    >
      {hasAccounts ? (
        <SignInForm search={search} config={config.data} />
      ) : (
        <SetupCommand reason={setupTexts.noAccount} />
      )}
    </AuthLayout>
  );
}

function Recovery() {
  const [isOpen, { toggle }] = useDisclosure();
  return (
    <Stack gap="xs" align="flex-start">
      <FlatButton px={0} aria-expanded={isOpen} onClick={toggle}>
        {texts.forgotten}
      </FlatButton>
      {isOpen && (
        <Hint>
          {texts.recovery}{" "}
          <Anchor href="/docs/account#forgotten-password" inherit underline="always">
            {texts.recoverySteps}
          </Anchor>
        </Hint>
      )}
    </Stack>
  );
}

function SignInForm({ search, config }: { search: string; config: DashboardConfig | undefined }) {
  const [, navigate] = useLocation();
  const returnTo = returnPath(search);
  const reasons = new URLSearchParams(search);
  const providerError = reasons.get("error");
  const [asksCode, setAsksCode] = useState(false);
  const form = useForm({
    initialValues: { email: "", password: "", code: "" },
    validate: {
      email: (value) => (value.trim() ? null : authTexts.emailMissing),
      password: (value) => (value ? null : authTexts.passwordMissing),
    },
  });

  const signIn = useSingleMutation({
    mutationFn: async (way: "password" | "passkey") => {
      const { email, ...proof } = form.getValues();
      if (way === "passkey") await unwrapAuth(authClient.signIn.passkey());
      else await signInWithPassword({ email: email.trim(), ...proof });
    },
    onSuccess: () => {
      clearQueryCache();
      navigate(returnTo, { replace: true });
    },
    onError: (error) => {
      if (needsCode(error)) setAsksCode(true);
      // The first request has no code, because no one knows yet that it needs one.
      if (asksCode || !needsCode(error)) showAtFields(form)(error);
    },
  });

  const providerMessage = providerError && (texts.providerErrors[providerError.toLowerCase()] ?? texts.providerFailed);
  const formError = signIn.error ?? (providerMessage ? new Error(providerMessage) : null);

  return (
    <>
      <Form form={form} onSubmit={() => signIn.mutate("password")} error={formError}>
        {reasons.has("ended") && !formError && (
          <Alert color="yellow" role="status">
            {texts.ended}
          </Alert>
        )}
        <TextInput
          label={authTexts.email}
          type="email"
          autoComplete="username webauthn"
          required
          {...form.getInputProps("email")}
        />
        <CurrentPasswordInput label={authTexts.password} {...form.getInputProps("password")} />
        {asksCode && <CodeInput autoFocus {...form.getInputProps("code")} />}
        <Button type="submit" loading={signIn.isPending}>
          {texts.submit}
        </Button>
      </Form>
      <Recovery />
      {config && <AlternativeSignIn config={config} returnTo={returnTo} onPasskey={() => signIn.mutate("passkey")} />}
    </>
  );
}
