/**
 * Parts of signing in: inputs, the requirements for new passwords, and signing in with a password, by passkey, or with
 * GitHub or Google if the operator has configured them.
 */
import { Divider, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { type ReactNode, useState } from "react";

import type { DashboardConfig } from "../../../core/contract/dashboard.ts";
import { PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS } from "../../../core/limits.ts";
import { ApiError } from "../../api/api-error.ts";
import { authClient, unwrapAuth } from "../../api/auth.ts";
import { useSingleMutation } from "../../api/mutations.ts";
import { PlainButton } from "../../components/buttons.tsx";
import { FormError, showAtFields } from "../../components/form.tsx";
import { icon } from "../../icons.tsx";
import { authTexts, newPasswordTexts as texts } from "../../texts/auth.ts";

export const EmailInput = TextInput.withProps({
  label: authTexts.email,
  type: "email",
  autoComplete: "username",
  required: true,
});

export const CurrentPasswordInput = PasswordInput.withProps({ autoComplete: "current-password", required: true });

export const NewPasswordInput = PasswordInput.withProps({
  description: texts.hint,
  autoComplete: "new-password",
  required: true,
});

/** The code of an authenticator app, once the server has asked for it. */
export const CodeInput = TextInput.withProps({
  label: authTexts.code,
  description: authTexts.codeHint,
  autoComplete: "one-time-code",
  required: true,
});

/**
 * The form and the request of a sign-in, which may also be by passkey.
 * @param email  of a known account; "" if it is typed
 */
export function useSignIn(email: string, onSuccess: () => unknown) {
  const [asksCode, setAsksCode] = useState(false);
  const form = useForm({
    initialValues: { email, password: "", code: "" },
    validate: {
      email: (value) => (value.trim() ? null : authTexts.emailMissing),
      password: (value) => (value ? null : authTexts.passwordMissing),
    },
  });
  const signIn = useSingleMutation({
    mutationFn: async (way: "password" | "passkey") => {
      const values = form.getValues();
      if (way === "passkey") await unwrapAuth(authClient.signIn.passkey());
      else await unwrapAuth(authClient.signIn.email({ ...values, email: values.email.trim() }));
    },
    onSuccess,
    onError: (error) => {
      const needsCode = error instanceof ApiError && error.param === "code";
      if (needsCode) setAsksCode(true);
      // The first request has no code, because no one knows yet that it needs one.
      if (asksCode || !needsCode) showAtFields(form)(error);
    },
  });
  return { form, signIn, asksCode };
}

/** Validates a new password before it is sent. The server validates it again. */
export function passwordError(password: string): string | null {
  if (password.length < PASSWORD_MIN_CHARS) return texts.tooShort;
  if (password.length > PASSWORD_MAX_CHARS) return texts.tooLong;
  if (password.trim() === "") return texts.blank;
  return null;
}

type Provider = DashboardConfig["providers"][number];

const PROVIDERS: Record<Provider, { name: string; icon: ReactNode }> = {
  github: { name: "GitHub", icon: icon("brand-github", 18) },
  google: { name: "Google", icon: icon("brand-google", 18) },
};

interface AlternativeSignInProps {
  config: DashboardConfig;
  /** Path below `/dashboard` to open after signing in. */
  returnTo: string;
  /** Absent at sign-up: a passkey belongs to an existing account. */
  onPasskey?: () => void;
}

export function AlternativeSignIn({ config: { providers, passkeys }, returnTo, onPasskey }: AlternativeSignInProps) {
  const offersPasskey = passkeys && onPasskey !== undefined && "PublicKeyCredential" in window;
  const leave = useSingleMutation({
    mutationFn: (provider: Provider) =>
      unwrapAuth(
        authClient.signIn.social({
          provider,
          callbackURL: `/dashboard${returnTo}`,
          errorCallbackURL: "/dashboard/sign-in",
        }),
      ),
  });
  if (providers.length === 0 && !offersPasskey) return null;
  return (
    <Stack gap="xs">
      <Divider label={authTexts.or} />
      <FormError error={leave.error} />
      {providers.map((provider) => (
        <PlainButton
          key={provider}
          leftSection={PROVIDERS[provider].icon}
          loading={leave.isPending && leave.variables === provider}
          onClick={() => leave.mutate(provider)}
        >
          {authTexts.continueWith(PROVIDERS[provider].name)}
        </PlainButton>
      ))}
      {offersPasskey && (
        <PlainButton leftSection={icon("fingerprint", 18)} onClick={onPasskey}>
          {authTexts.passkey}
        </PlainButton>
      )}
    </Stack>
  );
}
