/** Sign-in without a password: by passkey, or with GitHub or Google where the operator has configured them. */
import { Button, Divider, Stack } from "@mantine/core";
import { IconBrandGithub, IconBrandGoogle, IconFingerprint } from "@tabler/icons-react";
import type { ReactNode } from "react";

import { authClient, unwrapAuth } from "../../api/auth.ts";
import type { ServiceConfig } from "../../api/account.ts";

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
  onError: (error: unknown) => void;
}

export function AlternativeSignIn({
  config: { providers, passkeys },
  returnTo,
  onPasskey,
  onError,
}: AlternativeSignInProps) {
  const offersPasskey = passkeys && onPasskey !== undefined && "PublicKeyCredential" in window;
  if (providers.length === 0 && !offersPasskey) return null;
  const signInWith = (provider: Provider) =>
    unwrapAuth(
      authClient.signIn.social({
        provider,
        callbackURL: `/dashboard${returnTo}`,
        errorCallbackURL: "/dashboard/sign-in",
      }),
    ).catch(onError);
  return (
    <Stack gap="xs">
      <Divider label="or" />
      {providers.map((provider) => (
        <Button
          key={provider}
          variant="default"
          leftSection={PROVIDERS[provider].icon}
          onClick={() => void signInWith(provider)}
        >
          Continue with {PROVIDERS[provider].name}
        </Button>
      ))}
      {offersPasskey && (
        <Button variant="default" leftSection={<IconFingerprint size={18} aria-hidden />} onClick={onPasskey}>
          Sign in with a passkey
        </Button>
      )}
    </Stack>
  );
}
