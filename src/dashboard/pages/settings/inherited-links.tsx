/** Links that a former holder created on a domain: each can be disabled, or taken over with a new destination. */
import { Badge, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { modals } from "@mantine/modals";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import type { Domain } from "../../../core/contract/domains.ts";
import type { InheritedLink } from "../../../core/contract/inherited-links.ts";
import { ApiError } from "../../api/api-error.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { NextPage } from "../../components/next-page.tsx";
import { useAbortableMutation, useSingleMutation } from "../../api/mutations.ts";
import { formatDate } from "../../formatting/dates.ts";
import { DestinationInput } from "../../components/destination-input.tsx";
import { FormError } from "../../components/form.tsx";
import { completeUrl } from "../../formatting/typed-url.ts";
import { linkName, readableHost } from "../../formatting/hosts.ts";
import { notifySuccess, notifyError } from "../../notifications.ts";
import { inheritedLinkTexts as texts } from "../../texts/settings.ts";

/** Renders nothing for most domains, which have no such links. */
export function InheritedLinks({ domain }: { domain: Domain }) {
  const { api, mode } = useApi();
  const [takeOverLink, setTakeOverLink] = useState<InheritedLink | null>(null);
  const disable = useDisableLink(domain);
  const pages = useInfiniteQuery({
    queryKey: inheritedLinksKey(mode, domain),
    queryFn: ({ pageParam }) =>
      unwrap(
        api.domains[":id"].links.$get({ param: { id: domain.id }, query: pageParam ? { cursor: pageParam } : {} }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
  });
  const links = pages.data?.pages.flatMap(({ data }) => data) ?? [];
  if (links.length === 0 && !pages.hasNextPage) return null;
  return (
    <section aria-label={texts.region(readableHost(domain.domain))}>
      <Text size="sm" fw={600}>
        {texts.title}
      </Text>
      <Text size="sm" c="dimmed">
        {texts.hint}
      </Text>
      <Stack component="ul" gap="xs" mx={0} my="xs" p={0} style={{ listStyle: "none" }} aria-label={texts.list}>
        {links.map((link) => (
          <Group component="li" key={link.slug} gap="xs" justify="space-between" aria-label={link.slug}>
            <Group gap="xs">
              <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
                {link.slug}
              </Text>
              <Badge color={link.state === "active" ? "green" : "gray"} variant="light" tt="none">
                {texts.states[link.state]}
              </Badge>
              <Text size="sm" c="dimmed">
                {texts.created(formatDate(link.created_at))}
              </Text>
            </Group>
            <Group gap="xs">
              {(link.state === "active" || link.state === "expired") && (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={texts.disableOne(link.slug)}
                  onClick={() => disable(link)}
                >
                  {texts.disable}
                </Button>
              )}
              <Button
                size="xs"
                variant="default"
                aria-label={texts.takeOverOne(link.slug)}
                onClick={() => setTakeOverLink(link)}
              >
                {texts.takeOver}
              </Button>
            </Group>
          </Group>
        ))}
      </Stack>
      <NextPage pages={pages} label={texts.more} size="xs" />
      {takeOverLink && <TakeOverForm domain={domain} link={takeOverLink} onClose={() => setTakeOverLink(null)} />}
    </section>
  );
}

function TakeOverForm({ domain, link, onClose }: { domain: Domain; link: InheritedLink; onClose: () => void }) {
  const { api, mode } = useApi();
  const queries = useQueryClient();
  const form = useForm({ initialValues: { url: "" } });
  const takeOver = useAbortableMutation({
    mutationFn: (_: void, signal) => {
      const json = { url: completeUrl(form.getValues().url) };
      const param = { id: domain.id, slug: link.slug };
      return unwrap(api.domains[":id"].links[":slug"]["take-over"].$post({ param, json }, { init: { signal } }));
    },
    onSuccess: async () => {
      notifySuccess(texts.takenOver(linkName(link)));
      onClose();
      await queries.invalidateQueries({ queryKey: [mode, "links"] });
      return queries.invalidateQueries({ queryKey: inheritedLinksKey(mode, domain) });
    },
    onError: (error) => error instanceof ApiError && form.setErrors(error.fieldErrors()),
  });
  return (
    <Modal opened onClose={onClose} title={texts.takeOverTitle(linkName(link))}>
      <form onSubmit={form.onSubmit(() => takeOver.mutate())} noValidate>
        <Stack>
          <FormError error={takeOver.error} />
          <Text size="sm">{texts.takeOverHint}</Text>
          <DestinationInput label={texts.destination} required data-autofocus {...form.getInputProps("url")} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {texts.cancel}
            </Button>
            <Button type="submit" loading={takeOver.isPending}>
              {texts.takeOver}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function useDisableLink(domain: Domain): (link: InheritedLink) => void {
  const { api, mode } = useApi();
  const queries = useQueryClient();
  const disable = useSingleMutation({
    mutationFn: ({ slug }: InheritedLink) =>
      unwrap(api.domains[":id"].links[":slug"].disable.$post({ param: { id: domain.id, slug } })),
    onSuccess: (link) => {
      notifySuccess(texts.disabled(linkName(link)));
      return queries.invalidateQueries({ queryKey: inheritedLinksKey(mode, domain) });
    },
    onError: (error) => notifyError(texts.notDisabled, error),
  });
  return (link) =>
    modals.openConfirmModal({
      title: texts.disableTitle,
      children: (
        <Text size="sm">
          <strong>{linkName(link)}</strong> {texts.disableWarning}
        </Text>
      ),
      labels: { confirm: texts.disableConfirm, cancel: texts.leave },
      confirmProps: { color: "red.9" },
      onConfirm: () => disable.mutate(link),
    });
}

function inheritedLinksKey(mode: string, { id }: Domain): string[] {
  return [mode, "inherited-links", id];
}
