/** Sign-in without a password: by passkey, or with GitHub or Google if the operator has configured them. */
import { Divider, Stack } from "@mantine/core";
import type { ReactNode } from "react";

import type { DashboardConfig } from "../../../core/contract/dashboard.ts";
import { authClient, unwrapAuth } from "../../api/auth.ts";
import { useSingleMutation } from "../../api/mutations.ts";
import { FormError } from "../../components/form.tsx";
import { PlainButton } from "../../components/buttons.tsx";
import { icon } from "../../icons.tsx";
import { authTexts } from "../../texts/auth.ts";

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
