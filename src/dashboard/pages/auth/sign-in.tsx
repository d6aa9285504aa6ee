/** Sign-in with email and password, or without a password. */
import { Alert, Anchor, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useSearch } from "wouter";

import type { DashboardConfig } from "../../../core/contract/dashboard.ts";
import { clearQueryCache, configQuery } from "../../api/account.ts";
import { FlatButton, Hint, SubmitButton } from "../../components/buttons.tsx";
import { Form } from "../../components/form.tsx";
import { authTexts, setupTexts, signInTexts as texts } from "../../texts/auth.ts";
import { AuthLayout, SetupCommand } from "./auth-layout.tsx";
import { returnPath } from "../../signed-out-paths.ts";
import { AlternativeSignIn, CodeInput, CurrentPasswordInput, EmailInput, useSignIn } from "./sign-in-parts.tsx";

export default function SignIn() {
  const search = useSearch();
  const config = useQuery(configQuery);
  const hasAccounts = config.data?.has_accounts ?? true;
  return (
    <AuthLayout
      title={authTexts.signIn}
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
  const { form, signIn, asksCode } = useSignIn("", () => {
    clearQueryCache();
    navigate(returnTo, { replace: true });
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
        <EmailInput autoComplete="username webauthn" {...form.getInputProps("email")} />
        <CurrentPasswordInput label={authTexts.password} {...form.getInputProps("password")} />
        {asksCode && <CodeInput autoFocus {...form.getInputProps("code")} />}
        <SubmitButton loading={signIn.isPending}>{authTexts.signIn}</SubmitButton>
      </Form>
      <Recovery />
      {config && <AlternativeSignIn config={config} returnTo={returnTo} onPasskey={() => signIn.mutate("passkey")} />}
    </>
  );
}
