/** What an operator changes: accounts, how their holders sign in, and whether links redirect. */
import { Badge, Group, Menu, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { ManagedAccount, ResetLink } from "../../../core/contract/operator.ts";
import type { ResetKind } from "../../../core/identifiers.ts";
import { hasCode } from "../../api/api-error.ts";
import { apiClients, unwrap } from "../../api/client.ts";
import { useNotifiedMutation, useSingleMutation } from "../../api/mutations.ts";
import { CopyTextButton, IconButton, PlainButton } from "../../components/buttons.tsx";
import { CardTable } from "../../components/card-table.tsx";
import { TitledCard } from "../../components/card.tsx";
import { useRemoval } from "../../components/confirm-removal.tsx";
import { Form } from "../../components/form.tsx";
import { PasswordDialog } from "../../components/password-dialog.tsx";
import { ListSkeleton, Loaded, NextPage } from "../../components/states.tsx";
import { useFormDraft } from "../../components/use-draft.ts";
import { formatDateTime } from "../../formatting/dates.ts";
import { icon } from "../../icons.tsx";
import { notifySuccess } from "../../notifications.ts";
import { operatorAccountTexts as texts, operatorLinkTexts as linkTexts } from "../../texts/operator.ts";

const { accounts: accountsApi, links: linksApi } = apiClients.live.deployment;

const SEARCH_DELAY_MS = 300;
const OVERVIEW_KEY = ["operator", "overview"];
/** How often the operator's page reads its figures again. */
export const REFRESH_MS = 60_000;

export function useOverview() {
  return useQuery({
    queryKey: OVERVIEW_KEY,
    queryFn: () => unwrap(apiClients.live.deployment.$get({ query: {} })),
    refetchInterval: REFRESH_MS,
  });
}

/** The newest accounts, or those that a search finds. */
export function AccountsCard() {
  const [typed, setTyped] = useState("");
  const [delayed] = useDebouncedValue(typed.trim(), SEARCH_DELAY_MS);
  const search = typed.trim() === "" ? "" : delayed;
  const overview = useOverview();
  const found = useInfiniteQuery({
    queryKey: [...OVERVIEW_KEY, search],
    queryFn: ({ pageParam }) => unwrap(accountsApi.$get({ query: { search, cursor: pageParam } })),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    enabled: search !== "",
    placeholderData: keepPreviousData,
  });
  const shown =
    search === ""
      ? { ...overview, data: overview.data?.accounts.newest }
      : { ...found, data: found.data?.pages.flatMap((page) => page.data) };
  return (
    <TitledCard title={texts.title} description={texts.hint}>
      <TextInput
        aria-label={texts.search}
        placeholder={texts.search}
        leftSection={icon("search", 16)}
        maxLength={254}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Loaded query={shown} skeleton={<ListSkeleton rows={4} height={40} />}>
        {(accounts) =>
          accounts.length === 0 ? <Text role="status">{texts.none}</Text> : <Accounts accounts={accounts} />
        }
      </Loaded>
      {search !== "" && found.data && !found.error && <NextPage pages={found} label={texts.more} />}
    </TitledCard>
  );
}

function Accounts({ accounts }: { accounts: readonly ManagedAccount[] }) {
  const [asked, setAsked] = useState<{ account: ManagedAccount; kind: ResetKind }>();
  const [link, setLink] = useState<ResetLink & { email: string }>();
  return (
    <>
      <CardTable
        rows={accounts}
        keyOf={({ id }) => id}
        columns={[
          { name: texts.email, cell: holder },
          { name: texts.plan, cell: ({ plan }) => texts.plans[plan] },
          { name: texts.created, cell: ({ created_at }) => formatDateTime(created_at) },
          {
            name: texts.actions,
            isFigure: true,
            cell: (account) => <AccountMenu account={account} onReset={(kind) => setAsked({ account, kind })} />,
          },
        ]}
      />
      {asked && (
        <PasswordDialog
          title={texts.reset[asked.kind]}
          submit={texts.createLink}
          send={(body, _, init) => {
            const { account, kind } = asked;
            return unwrap(accountsApi[":id"].reset.$post({ param: { id: account.id }, json: { ...body, kind } }, init));
          }}
          onDone={(created) => {
            setAsked(undefined);
            setLink({ ...created, email: asked.account.email });
          }}
          onClose={() => setAsked(undefined)}
        >
          {texts.resetHint[asked.kind]}
        </PasswordDialog>
      )}
      {link && (
        <Modal
          opened
          onClose={() => setLink(undefined)}
          title={texts.link}
          closeOnClickOutside={false}
          closeOnEscape={false}
        >
          <Stack>
            <Text size="sm">{texts.linkHint(link.email, formatDateTime(link.expires_at))}</Text>
            <TextInput aria-label={texts.link} value={link.url} readOnly />
            <Group justify="flex-end">
              <CopyTextButton value={link.url} label={texts.linkName} />
            </Group>
          </Stack>
        </Modal>
      )}
    </>
  );
}

function holder({ email, suspended_at, is_operator }: ManagedAccount) {
  return (
    <Group gap="xs">
      <span style={{ overflowWrap: "anywhere" }}>{email}</span>
      {suspended_at && (
        <Badge color="red" title={formatDateTime(suspended_at)}>
          {texts.suspended}
        </Badge>
      )}
      {is_operator && <Badge variant="default">{texts.operator}</Badge>}
    </Group>
  );
}

function AccountMenu({ account, onReset }: { account: ManagedAccount; onReset: (kind: ResetKind) => void }) {
  const { id, email, plan, suspended_at } = account;
  const otherPlan = plan === "premium" ? "free" : "premium";
  const send = (json: { plan?: ManagedAccount["plan"]; suspended?: boolean }) =>
    unwrap(accountsApi[":id"].$patch({ param: { id }, json }));
  const change = useNotifiedMutation({
    mutationFn: send,
    done: ({ plan: changed }) => (changed ? texts.planChanged[changed](email) : texts.resumed(email)),
    failed: texts.notChanged,
    refreshed: OVERVIEW_KEY,
  });
  const suspension = useRemoval({
    texts: texts.suspension,
    remove: () => send({ suspended: true }),
    refreshed: OVERVIEW_KEY,
  });
  return (
    <Menu>
      <Menu.Target>
        <IconButton label={texts.actionsFor(email)} sign={icon("dots", 18)} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => change.mutate({ plan: otherPlan })}>{texts.changePlan[otherPlan]}</Menu.Item>
        <Menu.Item onClick={() => onReset("password")}>{texts.reset.password}</Menu.Item>
        {account.has_totp && <Menu.Item onClick={() => onReset("totp")}>{texts.reset.totp}</Menu.Item>}
        <Menu.Divider />
        {suspended_at ? (
          <Menu.Item onClick={() => change.mutate({ suspended: false })}>{texts.resume}</Menu.Item>
        ) : (
          <Menu.Item color="red" onClick={() => suspension.ask(undefined, email)}>
            {texts.suspend}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Disables and enables a link of any account. */
export function LinksCard() {
  const form = useForm({
    initialValues: { short_url: "" },
    validate: { short_url: (value) => (value.trim() ? null : linkTexts.missing) },
  });
  const draft = useFormDraft(form, { form: "disabled-link" });
  const change = useSingleMutation({
    mutationFn: (json: { short_url: string; disabled: boolean }) => unwrap(linksApi.$patch({ json })),
    onSuccess: (_, { short_url, disabled }) => {
      notifySuccess(linkTexts[disabled ? "disabled" : "enabled"](short_url));
      // The next one may be typed already.
      if (form.getValues().short_url.trim() === short_url) form.reset();
    },
    onError: (error) => {
      if (hasCode(error, "link_not_found")) form.setErrors({ short_url: error.message });
    },
  });
  const error = hasCode(change.error, "link_not_found") ? null : change.error;
  const send = ({ short_url }: typeof form.values, disabled: boolean) =>
    change.mutate({ short_url: short_url.trim(), disabled });
  const enable = form.onSubmit((values) => send(values, false));
  return (
    <TitledCard title={linkTexts.title} description={linkTexts.hint}>
      <Form form={form} onSubmit={(values) => send(values, true)} error={error} draft={draft}>
        <TextInput
          label={linkTexts.shortUrl}
          inputMode="url"
          autoComplete="off"
          maxLength={8_192}
          {...form.getInputProps("short_url")}
        />
        <Group>
          <PlainButton type="submit" loading={change.isPending && change.variables.disabled}>
            {linkTexts.disable}
          </PlainButton>
          <PlainButton loading={change.isPending && !change.variables.disabled} onClick={() => enable()}>
            {linkTexts.enable}
          </PlainButton>
        </Group>
      </Form>
    </TitledCard>
  );
}
