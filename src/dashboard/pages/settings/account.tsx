/** Account settings: profile, plan, password, passkeys, sessions, deletion. */
import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { configQuery, useAccount } from "../../api/account.ts";
import { authClient, unwrapAuth } from "../../api/auth.ts";
import { ErrorState, ListSkeleton } from "../../components/states.tsx";
import { accountTexts } from "../../texts/settings.ts";
import { DeleteAccount } from "./delete-account.tsx";
import { Passkeys } from "./passkeys.tsx";
import { PasswordForm } from "./password-form.tsx";
import { PlanCard } from "./plan-card.tsx";
import { ProfileForm } from "./profile-form.tsx";
import { Sessions } from "./sessions.tsx";
import { SettingsLayout } from "./settings-layout.tsx";

export default function Account() {
  const account = useAccount();
  const config = useQuery(configQuery);
  const identities = useQuery({
    queryKey: ["identities"],
    queryFn: () => unwrapAuth(authClient.listAccounts()),
  });
  const failed = account.error ?? identities.error;
  const hasPassword = identities.data?.some(({ providerId }) => providerId === "credential");
  return (
    <SettingsLayout title={accountTexts.title}>
      {failed && (
        <ErrorState error={failed} retry={() => void Promise.all([account.refetch(), identities.refetch()])} />
      )}
      {!failed && (!account.data || hasPassword === undefined) && <ListSkeleton rows={3} height={160} />}
      {account.data && hasPassword !== undefined && (
        <Stack gap="md">
          <ProfileForm account={account.data} />
          <PlanCard plan={account.data.plan} />
          {hasPassword && <PasswordForm email={account.data.email} />}
          {config.data?.passkeys && <Passkeys />}
          <Sessions />
          <DeleteAccount hasPassword={hasPassword} />
        </Stack>
      )}
    </SettingsLayout>
  );
}
