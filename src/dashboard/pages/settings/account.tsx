/** Account settings: profile, plan, password, passkeys, sessions, deletion. */
import { Badge, Group, List, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useForm } from "@mantine/form";

import type { AccountInfo } from "../../../core/contract/dashboard.ts";
import { figure, QR_REQUESTS_MAX_PER_MINUTE, REQUESTS_MAX_PER_MINUTE, STREAMS_MAX } from "../../../core/limits.ts";
import { accountQuery, configQuery, useAccount } from "../../api/account.ts";
import { authClient, unwrapAuth } from "../../api/auth.ts";
import { useNotifiedMutation } from "../../api/mutations.ts";
import { Form } from "../../components/form.tsx";
import { TitledCard } from "../../components/card.tsx";
import { ErrorState, ListSkeleton } from "../../components/states.tsx";
import { PlainButton } from "../../components/buttons.tsx";
import { Hint } from "../../components/hint.tsx";
import { buttonTexts } from "../../texts/shell.ts";
import { accountTexts, planTexts, profileTexts } from "../../texts/settings.ts";
import { DeleteAccount } from "./delete-account.tsx";
import { Passkeys } from "./passkeys.tsx";
import { PasswordForm } from "./password-form.tsx";
import { Sessions } from "./sessions.tsx";
import { SettingsLayout } from "./settings-layout.tsx";

export default function AccountSettings() {
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

const PREMIUM_FEATURES = [
  planTexts.rules,
  planTexts.requests(figure(REQUESTS_MAX_PER_MINUTE.premium), figure(REQUESTS_MAX_PER_MINUTE.free)),
  planTexts.qrCodes(figure(QR_REQUESTS_MAX_PER_MINUTE.premium), figure(QR_REQUESTS_MAX_PER_MINUTE.free)),
  planTexts.streams(figure(STREAMS_MAX.premium), figure(STREAMS_MAX.free)),
];

/** The account's plan, and what Premium adds. */
function PlanCard({ plan }: { plan: AccountInfo["plan"] }) {
  const isPremium = plan === "premium";
  return (
    <TitledCard
      title={planTexts.title}
      action={
        <Badge size="lg" variant={isPremium ? "filled" : "default"}>
          {planTexts.names[plan]}
        </Badge>
      }
      description={planTexts.hints[plan]}
    >
      <List size="sm" spacing={4}>
        {PREMIUM_FEATURES.map((line) => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
      {!isPremium && <Hint>{planTexts.change}</Hint>}
    </TitledCard>
  );
}

/** Form for the account's name. The e-mail address cannot be changed. */
function ProfileForm({ account }: { account: AccountInfo }) {
  const form = useForm({ initialValues: { name: account.name } });
  const save = useNotifiedMutation({
    mutationFn: ({ name }: typeof form.values) => unwrapAuth(authClient.updateUser({ name: name.trim() })),
    done: () => profileTexts.saved,
    failed: profileTexts.notSaved,
    refreshed: accountQuery.queryKey,
    onSuccess: () => form.resetDirty(),
  });
  return (
    <TitledCard title={profileTexts.title}>
      <Form form={form} onSubmit={save.mutate}>
        <TextInput label={profileTexts.email} description={profileTexts.emailHint} value={account.email} readOnly />
        <TextInput label={profileTexts.name} autoComplete="name" maxLength={100} {...form.getInputProps("name")} />
        <Group>
          <PlainButton type="submit" loading={save.isPending} disabled={!form.isDirty()}>
            {buttonTexts.save}
          </PlainButton>
        </Group>
      </Form>
    </TitledCard>
  );
}
