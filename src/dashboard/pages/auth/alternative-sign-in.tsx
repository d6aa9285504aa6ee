/** Sign-in without a password: by passkey, or with GitHub or Google where the operator has configured them. */
import { Button, Divider, Stack } from "@mantine/core";
import type { ReactNode } from "react";

import { authClient, unwrapAuth } from "../../api/auth.ts";
import type { ServiceConfig } from "../../api/account.ts";
import { useSingleMutation } from "../../api/mutations.ts";
import { FormError } from "../../components/form.tsx";
import { IconBrandGithub, IconBrandGoogle, IconFingerprint } from "../../icons.tsx";
import { authTexts } from "../../texts/auth.ts";

type Provider = ServiceConfig["providers"][number];

const PROVIDERS: Record<Provider, { name: string; icon: ReactNode }> = {
  github: { name: "GitHub", icon: <IconBrandGithub size={18} aria-hidden /> },
  google: { name: "Google", icon: <IconBrandGoogle size={18} aria-hidden /> },
};

interface AlternativeSignInProps {
  config: ServiceConfig;
  /** Path below `/dashboard` to go to once signed in. */
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
        <Button
          key={provider}
          variant="default"
          leftSection={PROVIDERS[provider].icon}
          loading={leave.isPending && leave.variables === provider}
          onClick={() => leave.mutate(provider)}
        >
          {authTexts.continueWith(PROVIDERS[provider].name)}
        </Button>
      ))}
      {offersPasskey && (
        <Button variant="default" leftSection={<IconFingerprint size={18} aria-hidden />} onClick={onPasskey}>
          {authTexts.passkey}
        </Button>
      )}
    </Stack>
  );
}
