/** Account settings: profile, plan, password, passkeys, sessions, deletion. */
import { Badge, Group, List, Stack, TextInput, Text, Button, Checkbox, Modal } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";

import type { AccountInfo } from "../../../core/contract/dashboard.ts";
import { figure, QR_REQUESTS_MAX_PER_MINUTE, REQUESTS_MAX_PER_MINUTE, STREAMS_MAX } from "../../../core/limits.ts";
import { accountQuery, configQuery, useAccount, clearQueryCache } from "../../api/account.ts";
import { ApiError } from "../../api/api-error.ts";
import { authClient, unwrapAuth } from "../../api/auth.ts";
import { unwrap, apiClients } from "../../api/client.ts";
import { useNotifiedMutation, useSingleMutation, useAbortableMutation } from "../../api/mutations.ts";
import { forgetSession } from "../../api/session.ts";
import { PlainButton, SmallButton } from "../../components/buttons.tsx";
import { TitledCard } from "../../components/card.tsx";
import { removeAllDrafts } from "../../components/draft-storage.ts";
import { useRemoval } from "../../components/confirm-removal.tsx";
import { Form, showAtFields, FormButtons } from "../../components/form.tsx";
import { Hint } from "../../components/hint.tsx";
import { ErrorState, ListSkeleton, Loaded } from "../../components/states.tsx";
import { formatDate } from "../../formatting/dates.ts";
import { icon } from "../../icons.tsx";
import { notifySuccess } from "../../notifications.ts";
import {
  accountTexts,
  planTexts,
  profileTexts,
  passwordTexts,
  passkeyTexts,
  deleteAccountTexts as texts,
} from "../../texts/settings.ts";
import { buttonTexts } from "../../texts/shell.ts";
import { CurrentPasswordInput, NewPasswordInput, passwordError } from "../auth/new-password.tsx";
import { Sessions, SESSIONS_QUERY_KEY, userAgentLabel } from "./sessions.tsx";
import { SettingsLayout } from "./settings-layout.tsx";
import { UsageCard } from "./usage.tsx";

const PASSKEYS_QUERY_KEY = ["passkeys"];

const readPasskeys = () => unwrapAuth(authClient.passkey.listUserPasskeys());

const passkeysQuery = queryOptions({ queryKey: PASSKEYS_QUERY_KEY, queryFn: readPasskeys });

type Passkey = Awaited<ReturnType<typeof readPasskeys>>[number];

export default function AccountSettings() {
  const account = useAccount();
  const config = useQuery(configQuery);
  const identities = useQuery({
    queryKey: ["identities"],
    queryFn: () => unwrapAuth(authClient.listAccounts()),
  });
  const passkeys = useQuery(passkeysQuery);
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
          <UsageCard />
          {hasPassword && <PasswordForm email={account.data.email} hasPasskeys={Boolean(passkeys.data?.length)} />}
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

/** Form for the account's name. The email address cannot be changed. */
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

/** Changes the password, which ends all other sessions and removes the passkeys, unless they are kept. */
function PasswordForm({ email, hasPasskeys }: { email: string; hasPasskeys: boolean }) {
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { currentPassword: "", newPassword: "", keepPasskeys: false },
    validate: {
      currentPassword: (value) => (value ? null : passwordTexts.currentMissing),
      newPassword: passwordError,
    },
  });
  const change = useSingleMutation({
    mutationFn: (passwords: typeof form.values) =>
      unwrapAuth(authClient.changePassword({ ...passwords, revokeOtherSessions: true })),
    onSuccess: () => {
      notifySuccess(passwordTexts.changed);
      form.reset();
      return Promise.all(
        [SESSIONS_QUERY_KEY, PASSKEYS_QUERY_KEY].map((queryKey) => queries.invalidateQueries({ queryKey })),
      );
    },
    onError: showAtFields(form),
  });
  return (
    <TitledCard title={passwordTexts.title} description={passwordTexts.hint}>
      <Form form={form} onSubmit={change.mutate} error={change.error}>
        {/* Password managers need the user name beside a new password. */}
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        <CurrentPasswordInput label={passwordTexts.current} {...form.getInputProps("currentPassword")} />
        <NewPasswordInput label={passwordTexts.new} {...form.getInputProps("newPassword")} />
        {hasPasskeys && (
          <Checkbox
            label={passwordTexts.keepPasskeys}
            description={passwordTexts.keepPasskeysHint}
            {...form.getInputProps("keepPasskeys", { type: "checkbox" })}
          />
        )}
        <Group>
          <PlainButton type="submit" loading={change.isPending}>
            {passwordTexts.submit}
          </PlainButton>
        </Group>
      </Form>
    </TitledCard>
  );
}

/** Lists, adds and removes the account's passkeys. */
function Passkeys() {
  const passkeys = useQuery(passkeysQuery);
  const add = useNotifiedMutation({
    mutationFn: () => unwrapAuth(authClient.passkey.addPasskey({ name: userAgentLabel(navigator.userAgent) })),
    done: () => passkeyTexts.wasAdded,
    failed: passkeyTexts.notAdded,
    refreshed: PASSKEYS_QUERY_KEY,
  });
  const canAdd = "PublicKeyCredential" in window;
  return (
    <TitledCard
      title={passkeyTexts.title}
      description={passkeyTexts.hint}
      action={
        <SmallButton
          leftSection={icon("fingerprint", 16)}
          disabled={!canAdd}
          loading={add.isPending}
          onClick={() => add.mutate()}
        >
          {passkeyTexts.add}
        </SmallButton>
      }
    >
      {!canAdd && <Text size="sm">{passkeyTexts.unsupported}</Text>}
      <Loaded query={passkeys} skeleton={null}>
        {(list) => <PasskeyList passkeys={list} />}
      </Loaded>
    </TitledCard>
  );
}

function PasskeyList({ passkeys }: { passkeys: readonly Passkey[] }) {
  const removal = useRemoval({
    texts: passkeyTexts.removal,
    remove: (id: string) => unwrapAuth(authClient.passkey.deletePasskey({ id })),
    refreshed: PASSKEYS_QUERY_KEY,
  });
  if (passkeys.length === 0) return <Text size="sm">{passkeyTexts.none}</Text>;
  return (
    <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }} aria-label={passkeyTexts.list}>
      {passkeys.map(({ id, name: given, createdAt }) => {
        const name = given || passkeyTexts.unnamed;
        return (
          <Group component="li" key={id} justify="space-between" wrap="nowrap">
            <Text size="sm">{passkeyTexts.added(name, formatDate(new Date(createdAt).toISOString()))}</Text>
            <SmallButton
              aria-label={passkeyTexts.removeOne(name)}
              disabled={removal.isPending}
              onClick={() => removal.ask(id, name)}
            >
              {passkeyTexts.remove}
            </SmallButton>
          </Group>
        );
      })}
    </Stack>
  );
}

/** Deletes the account, after a checkbox and the password. */
function DeleteAccount({ hasPassword }: { hasPassword: boolean }) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <TitledCard
      title={texts.title}
      description={texts.hint}
      action={
        <Button size="xs" color="red.9" onClick={open}>
          {texts.open}
        </Button>
      }
    >
      {opened && <DeleteAccountForm hasPassword={hasPassword} onClose={close} />}
    </TitledCard>
  );
}

function DeleteAccountForm({ hasPassword, onClose }: { hasPassword: boolean; onClose: () => void }) {
  const [, navigate] = useLocation();
  const form = useForm({
    initialValues: { password: "", understood: false },
    validate: {
      password: (value) => (value || !hasPassword ? null : texts.passwordMissing),
      understood: (value) => (value ? null : texts.notUnderstood),
    },
  });
  const remove = useAbortableMutation({
    mutationFn: ({ password }: typeof form.values, signal) =>
      unwrap(apiClients.live.account.$delete({ json: hasPassword ? { password } : {} }, { init: { signal } })),
    onSuccess: () => {
      forgetSession();
      navigate("/sign-in");
      clearQueryCache();
      removeAllDrafts(localStorage);
    },
    onError: (error) =>
      error instanceof ApiError &&
      form.setErrors(isWrongPassword(error) ? { password: texts.wrongPassword } : error.fieldErrors()),
  });
  return (
    <Modal opened onClose={onClose} title={texts.question}>
      <Form form={form} onSubmit={remove.mutate} error={isWrongPassword(remove.error) ? null : remove.error}>
        <Text size="sm">{texts.warning}</Text>
        {hasPassword && (
          <CurrentPasswordInput label={texts.password} data-autofocus {...form.getInputProps("password")} />
        )}
        <Checkbox label={texts.understood} {...form.getInputProps("understood", { type: "checkbox" })} />
        <FormButtons
          cancel={buttonTexts.keep}
          onCancel={onClose}
          submit={texts.confirm}
          isPending={remove.isPending}
          color="red.9"
        />
      </Form>
    </Modal>
  );
}

function isWrongPassword(error: unknown): boolean {
  return error instanceof ApiError && error.code === "invalid_password";
}
