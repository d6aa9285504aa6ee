/** Dialog that shares statistics at an address, and lists, copies and revokes what is shared. */
import { Anchor, Group, MultiSelect, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import type { Mode } from "../../../core/account.ts";
import { SHARE_GROUPINGS } from "../../../core/clicks/counting/shared-stats.ts";
import type { Share, ShareIn } from "../../../core/contract/dashboard.ts";
import { SHARE_GROUPINGS_MAX, SHARE_NAME_MAX_CHARS } from "../../../core/limits.ts";
import { DAY_MS, localToInstant, timestamp } from "../../../core/time.ts";
import { apiClients, queryClient, unwrap, useApi } from "../../api/client.ts";
import { CopyIconButton, Hint, SmallButton } from "../../components/buttons.tsx";
import { useRemoval } from "../../components/confirm-removal.tsx";
import { Form, FormButtons, FormModal, useSavedForm } from "../../components/form.tsx";
import { ListSkeleton, Loaded } from "../../components/states.tsx";
import { formatDateTime, formatIn } from "../../formatting/dates.ts";
import { shareTexts as texts } from "../../texts/share.ts";
import { buttonTexts } from "../../texts/shell.ts";
import { groupingName } from "../link/stats/bucket-names.ts";

/** Whose statistics are shared, as in requests. */
export interface SharedSubject {
  name: string;
  query: { link_id: string } | { tag: string };
}

interface ShareDialogProps {
  subject: SharedSubject;
  /** The time zone of the shared days. */
  zone: string;
  onClose: () => void;
}

export default function ShareDialog({ subject, zone, onClose }: ShareDialogProps) {
  const { mode } = useApi();
  const shares = useQuery(sharesQuery(mode, subject));
  const [created, setCreated] = useState<string>();
  return (
    <FormModal onClose={onClose} title={texts.title(subject.name)} size="lg">
      <Stack gap="lg">
        <Text size="sm">{texts.hint}</Text>
        <ShareForm subject={subject} zone={zone} onCreated={setCreated} />
        <Stack gap="sm">
          <Title order={3} size="h5">
            {texts.shared}
          </Title>
          <Loaded query={shares} skeleton={<ListSkeleton rows={2} height={64} />}>
            {({ data }) =>
              data.length === 0 ? (
                <Hint>{texts.none}</Hint>
              ) : (
                <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: "none" }} aria-label={texts.shared}>
                  {data.map((share) => (
                    <ShareCard key={share.id} share={share} subject={subject} isNew={share.id === created} />
                  ))}
                </Stack>
              )
            }
          </Loaded>
        </Stack>
      </Stack>
    </FormModal>
  );
}

function sharesQuery(mode: Mode, { query }: SharedSubject) {
  return queryOptions({
    queryKey: [mode, "shares", query],
    queryFn: ({ signal }) => unwrap(apiClients[mode].shares.$get({ query }, { init: { signal } })),
  });
}

const DEFAULT_DAYS = 30;
const OPTIONS = SHARE_GROUPINGS.map((grouping) => ({ value: grouping, label: groupingName(grouping) }));

/** The current day of a time zone, `days` ago. */
function dayAgo(zone: string, days: number): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(Date.now() - days * DAY_MS);
}

interface ShareFormProps extends Omit<ShareDialogProps, "onClose"> {
  onCreated: (id: string) => void;
}

function ShareForm({ subject, zone, onCreated }: ShareFormProps) {
  const { api, mode } = useApi();
  const isTag = "tag" in subject.query;
  const { form, draft, save } = useSavedForm({
    name: `share:${JSON.stringify(subject.query)}`,
    initialValues: {
      name: subject.name.slice(0, SHARE_NAME_MAX_CHARS),
      group_by: ["country", "device", "referrer"] as ShareIn["group_by"],
      first: isTag ? dayAgo(zone, DEFAULT_DAYS) : "",
      last: "",
      expires_at: "",
    },
    send: ({ first, last, expires_at, ...values }, init) => {
      const ends = expires_at && timestamp(localToInstant(zone, Date.parse(expires_at) + DAY_MS));
      const days = { first: first || null, last: last || null, timezone: zone, expires_at: ends || null };
      return unwrap(api.shares.$post({ json: { ...subject.query, ...values, ...days } }, init));
    },
    saved: () => texts.created,
    refresh: ({ id }) => {
      form.reset();
      onCreated(id);
      return queryClient.invalidateQueries(sharesQuery(mode, subject));
    },
  });
  const days = [
    { name: "first", label: texts.first, ...(isTag ? { required: true } : { description: texts.firstHint }) },
    { name: "last", label: texts.last, description: texts.lastHint, max: dayAgo(zone, 1) },
    { name: "expires_at", label: texts.expires, description: texts.expiresHint, min: dayAgo(zone, 0) },
  ];
  return (
    <Form form={form} onSubmit={save.mutate} error={save.error} draft={draft}>
      <TextInput
        label={texts.name}
        description={texts.nameHint}
        maxLength={SHARE_NAME_MAX_CHARS}
        required
        data-autofocus
        {...form.getInputProps("name")}
      />
      <MultiSelect
        label={texts.dimensions}
        description={texts.dimensionsHint(SHARE_GROUPINGS_MAX)}
        data={OPTIONS}
        maxValues={SHARE_GROUPINGS_MAX}
        searchable
        {...form.getInputProps("group_by")}
      />
      <Group align="flex-start" gap="sm">
        {days.map(({ name, ...day }) => (
          <TextInput
            key={name}
            type="date"
            min="2000-01-01"
            style={{ flex: "1 1 10rem" }}
            inputWrapperOrder={["label", "input", "description", "error"]}
            {...day}
            {...form.getInputProps(name)}
          />
        ))}
      </Group>
      <Hint>{texts.zone(zone)}</Hint>
      <FormButtons cancel={buttonTexts.close} submit={texts.create} isPending={save.isPending} />
    </Form>
  );
}

interface ShareCardProps {
  share: Share;
  subject: SharedSubject;
  /** Whether it was created in this dialog just now: the next step is to copy its address. */
  isNew: boolean;
}

function ShareCard({ share, subject, isNew }: ShareCardProps) {
  const { api, mode } = useApi();
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isNew) return;
    card.current?.scrollIntoView({ block: "center" });
    card.current?.querySelector("button")?.focus({ preventScroll: true });
  }, [isNew]);
  const { id, name, url, group_by, expires_at } = share;
  const removal = useRemoval({
    texts: texts.removal,
    remove: (revoked: string) => unwrap(api.shares[":id"].$delete({ param: { id: revoked } })),
    refreshed: sharesQuery(mode, subject).queryKey,
  });
  const isOver = expires_at !== null && Date.parse(expires_at) <= Date.now();
  return (
    <Paper component="li" withBorder p="sm" aria-label={name}>
      <Group ref={card} justify="space-between" gap="sm" wrap="nowrap" align="flex-start">
        <Stack gap={2} style={{ minWidth: 0, overflowWrap: "anywhere" }}>
          {url === null ? (
            <Text fw={600}>{name}</Text>
          ) : (
            <Anchor href={url} target="_blank" rel="noreferrer" fw={600} aria-label={texts.openOne(name)}>
              {name}
            </Anchor>
          )}
          <Hint>
            {rangeName(share)} · {group_by.map(groupingName).join(", ") || texts.totals}
          </Hint>
          {expires_at !== null && (
            <Hint>{(isOver ? texts.expired : texts.expiresAt)(formatDateTime(expires_at, share.timezone))}</Hint>
          )}
          {url === null && <Hint>{texts.urlLost}</Hint>}
        </Stack>
        <Group gap="xs" wrap="nowrap">
          {url !== null && <CopyIconButton value={url} label={texts.addressOf(name)} />}
          <SmallButton onClick={() => removal.ask(id, name)} aria-label={texts.revokeOne(name)}>
            {texts.revoke}
          </SmallButton>
        </Group>
      </Group>
    </Paper>
  );
}

function rangeName({ first, last }: Share): string {
  const [from, to] = [first, last].map((day) => day && formatIn("date", day, "UTC"));
  if (!from) return to ? texts.range.until(to) : texts.range.all;
  return to ? texts.range.days(from, to) : texts.range.since(from);
}
