/** Account settings: profile, plan, password, passkeys, sessions, deletion. */
import {
  Badge,
  Group,
  List,
  Stack,
  TextInput,
  Text,
  Button,
  Checkbox,
  Input,
  type MantineColorScheme,
  SegmentedControl,
  Select,
  useMantineColorScheme,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { queryOptions, useQuery } from "@tanstack/react-query";

import type { AccountInfo } from "../../../core/contract/dashboard.ts";
import { figure, QR_REQUESTS_MAX_PER_MINUTE, REQUESTS_MAX_PER_MINUTE, STREAMS_MAX } from "../../../core/limits.ts";
import { accountQuery, configQuery, useAccount } from "../../api/account.ts";
import { authClient, unwrapAuth } from "../../api/auth.ts";
import { apiClients, queryClient, unwrap } from "../../api/client.ts";
import { useNotifiedMutation, useSingleMutation } from "../../api/mutations.ts";
import { Hint, PlainButton, SmallButton } from "../../components/buttons.tsx";
import { TitledCard } from "../../components/card.tsx";
import { useRemoval } from "../../components/confirm-removal.tsx";
import { Form, showAtFields } from "../../components/form.tsx";
import { lazyPart } from "../../components/lazy-part.tsx";
import { PasswordDialog, useHasPassword, useIdentities } from "../../components/password-dialog.tsx";
import { ErrorState, ListSkeleton, Loaded } from "../../components/states.tsx";
import { useFormDraft } from "../../components/use-draft.ts";
import { chooseTimeZone, chosenTimeZone, formatDate, systemTimeZone, timeZoneOptions } from "../../formatting/dates.ts";
import { icon } from "../../icons.tsx";
import { notifySuccess } from "../../notifications.ts";
import {
  accountTexts,
  displayTexts,
  planTexts,
  profileTexts,
  passwordTexts,
  passkeyTexts,
  deleteAccountTexts as texts,
} from "../../texts/settings.ts";
import { buttonTexts } from "../../texts/shell.ts";
import { CurrentPasswordInput, NewPasswordInput, passwordError } from "../auth/sign-in-parts.tsx";
import { COLOR_SCHEME_OPTIONS, useLeaveAccount } from "../../shell/shell.tsx";
import { ExportAccount, Sessions, SESSIONS_QUERY_KEY, UsageCard, userAgentLabel } from "./account-cards.tsx";
import { SettingsLayout } from "./settings-layout.tsx";

/** Draws a QR code. */
const TwoStep = lazyPart(() => import("./two-step.tsx"));

const passkeysQuery = queryOptions({
  queryKey: ["passkeys"],
  queryFn: () => unwrapAuth(authClient.passkey.listUserPasskeys()),
});

export default function AccountSettings() {
  const account = useAccount();
  const config = useQuery(configQuery);
  const identities = useIdentities();
  const passkeys = useQuery(passkeysQuery);
  const failed = account.error ?? identities.error;
  const hasPassword = useHasPassword();
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
          {hasPassword && <TwoStep email={account.data.email} />}
          {config.data?.passkeys && <Passkeys />}
          <Sessions />
          <Display />
          <ExportAccount />
          <DeleteAccount />
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

/** The account's name and email address. */
function ProfileForm({ account }: { account: AccountInfo }) {
  const [isChanging, { open, close }] = useDisclosure();
  const form = useForm({ initialValues: { name: account.name } });
  const draft = useFormDraft(form, { form: "profile", initial: { name: account.name } });
  const save = useNotifiedMutation({
    mutationFn: ({ name }: typeof form.values) => unwrapAuth(authClient.updateUser({ name: name.trim() })),
    done: () => profileTexts.saved,
    failed: profileTexts.notSaved,
    refreshed: accountQuery.queryKey,
    onSuccess: () => {
      form.resetDirty();
      draft.done();
    },
  });
  return (
    <TitledCard title={profileTexts.title}>
      <Form form={form} onSubmit={save.mutate} draft={draft}>
        <Group align="flex-end" gap="xs">
          <TextInput
            label={profileTexts.email}
            description={profileTexts.emailHint}
            value={account.email}
            readOnly
            flex="1 1 12rem"
          />
          <PlainButton aria-label={profileTexts.changeEmailLabel} onClick={open}>
            {profileTexts.changeEmail}
          </PlainButton>
        </Group>
        <TextInput label={profileTexts.name} autoComplete="name" maxLength={100} {...form.getInputProps("name")} />
        <PlainButton type="submit" w="fit-content" loading={save.isPending} disabled={!form.isDirty()}>
          {buttonTexts.save}
        </PlainButton>
      </Form>
      {isChanging && <ChangeEmail onClose={close} />}
    </TitledCard>
  );
}

function ChangeEmail({ onClose }: { onClose: () => void }) {
  return (
    <PasswordDialog
      title={profileTexts.emailTitle}
      submit={profileTexts.emailTitle}
      field={{ label: profileTexts.newEmail, missing: profileTexts.emailMissing, type: "email", autoComplete: "email" }}
      draftForm="email"
      send={async (body, email, init) => {
        await unwrap(apiClients.live.account.email.$put({ json: { ...body, email } }, init));
        return email;
      }}
      onDone={(email) => {
        notifySuccess(profileTexts.emailChanged(email));
        onClose();
        void queryClient.invalidateQueries({ queryKey: accountQuery.queryKey });
      }}
      onClose={onClose}
    />
  );
}

/** Changes the password, which ends all other sessions and removes the passkeys, unless they are kept. */
function PasswordForm({ email, hasPasskeys }: { email: string; hasPasskeys: boolean }) {
  const form = useForm({
    initialValues: { currentPassword: "", newPassword: "", keepPasskeys: false },
    validate: {
      currentPassword: (value) => (value ? null : passwordTexts.currentMissing),
      newPassword: passwordError,
    },
  });
  useFormDraft(form, { form: "password", secret: ["currentPassword", "newPassword", "keepPasskeys"] });
  const change = useSingleMutation({
    mutationFn: (passwords: typeof form.values) =>
      unwrapAuth(authClient.changePassword({ ...passwords, revokeOtherSessions: true })),
    onSuccess: () => {
      notifySuccess(passwordTexts.changed);
      form.reset();
      return Promise.all(
        [SESSIONS_QUERY_KEY, passkeysQuery.queryKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
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
        <PlainButton type="submit" w="fit-content" loading={change.isPending}>
          {passwordTexts.submit}
        </PlainButton>
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
    refreshed: passkeysQuery.queryKey,
  });
  const removal = useRemoval({
    texts: passkeyTexts.removal,
    remove: (id: string) => unwrapAuth(authClient.passkey.deletePasskey({ id })),
    refreshed: passkeysQuery.queryKey,
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
        {(list) =>
          list.length === 0 ? (
            <Text size="sm">{passkeyTexts.none}</Text>
          ) : (
            <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }} aria-label={passkeyTexts.title}>
              {list.map(({ id, name: given, createdAt }) => {
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
          )
        }
      </Loaded>
    </TitledCard>
  );
}

/** How this browser shows the dashboard. */
function Display() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const changeZone = (zone: string | null) => {
    chooseTimeZone(zone || null);
    location.reload();
  };
  return (
    <TitledCard title={displayTexts.title} description={displayTexts.hint}>
      <Input.Wrapper label={displayTexts.colors} labelElement="div">
        <div>
          <SegmentedControl
            aria-label={displayTexts.colors}
            value={colorScheme}
            onChange={(value) => setColorScheme(value as MantineColorScheme)}
            data={COLOR_SCHEME_OPTIONS}
          />
        </div>
      </Input.Wrapper>
      <Select
        label={displayTexts.timeZone}
        description={displayTexts.timeZoneHint}
        searchable
        nothingFoundMessage={displayTexts.noZone}
        value={chosenTimeZone() ?? ""}
        onChange={changeZone}
        data={[{ value: "", label: displayTexts.browserZone(systemTimeZone()) }, ...timeZoneOptions()]}
      />
    </TitledCard>
  );
}

/** Deletes the account, after a checkbox and the password. */
function DeleteAccount() {
  const leave = useLeaveAccount();
  const [opened, { open, close }] = useDisclosure();
  return (
    <TitledCard
      title={texts.title}
      description={texts.hint}
      action={
        <Button size="xs" color="red.9" onClick={open}>
          {texts.title}
        </Button>
      }
    >
      {opened && (
        <PasswordDialog
          title={texts.question}
          submit={texts.title}
          isRemoval
          confirmation={{ label: texts.understood, missing: texts.notUnderstood }}
          send={(json, _, init) => unwrap(apiClients.live.account.$delete({ json }, init))}
          onDone={leave}
          onClose={close}
        >
          {texts.warning}
        </PasswordDialog>
      )}
    </TitledCard>
  );
}
