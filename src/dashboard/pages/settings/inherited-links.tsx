/** Links that a former holder created on a domain: each can be disabled, or taken over with a new destination. */
import { Badge, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { modals } from "@mantine/modals";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import type { Domain } from "../../../core/contract/domains.ts";
import type { InheritedLink } from "../../../core/contract/inherited-links.ts";
import { useAbortableMutation } from "../../api/abortable-mutation.ts";
import { ApiError } from "../../api/api-error.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { formatDate } from "../../formatting/dates.ts";
import { DestinationInput } from "../../components/destination-input.tsx";
import { FormError } from "../../components/form-error.tsx";
import { completeUrl } from "../../formatting/typed-url.ts";
import { notifySuccess, notifyError } from "../../notifications.ts";

const LINK_STATES: Record<InheritedLink["state"], { label: string; color: string }> = {
  active: { label: "Active", color: "green" },
  expired: { label: "Expired", color: "gray" },
  disabled: { label: "Disabled", color: "gray" },
  deleted: { label: "Deleted", color: "gray" },
};

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
    <section aria-label={`Links of a former holder of ${domain.domain}`}>
      <Text size="sm" fw={600}>
        Links of a former holder
      </Text>
      <Text size="sm" c="dimmed">
        They lead where another account has set them to. Disable them, or take their addresses over.
      </Text>
      <Stack component="ul" gap="xs" mx={0} my="xs" p={0} style={{ listStyle: "none" }} aria-label="Their addresses">
        {links.map((link) => (
          <Group component="li" key={link.slug} gap="xs" justify="space-between" aria-label={link.slug}>
            <Group gap="xs">
              <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
                {link.slug}
              </Text>
              <Badge color={LINK_STATES[link.state].color} variant="light" tt="none">
                {LINK_STATES[link.state].label}
              </Badge>
              <Text size="sm" c="dimmed">
                made {formatDate(link.created_at)}
              </Text>
            </Group>
            <Group gap="xs">
              {(link.state === "active" || link.state === "expired") && (
                <Button size="xs" variant="default" aria-label={`Disable ${link.slug}`} onClick={() => disable(link)}>
                  Disable
                </Button>
              )}
              <Button
                size="xs"
                variant="default"
                aria-label={`Take over ${link.slug}`}
                onClick={() => setTakeOverLink(link)}
              >
                Take over
              </Button>
            </Group>
          </Group>
        ))}
      </Stack>
      {pages.hasNextPage && (
        <Button
          size="xs"
          variant="default"
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          Look for more
        </Button>
      )}
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
      notifySuccess(`${link.domain}/${link.slug} is yours`);
      onClose();
      await queries.invalidateQueries({ queryKey: [mode, "links"] });
      return queries.invalidateQueries({ queryKey: inheritedLinksKey(mode, domain) });
    },
    onError: (error) => error instanceof ApiError && form.setErrors(error.fieldErrors()),
  });
  return (
    <Modal opened onClose={onClose} title={`Take ${link.domain}/${link.slug} over`}>
      <form onSubmit={form.onSubmit(() => takeOver.mutate())} noValidate>
        <Stack>
          <FormError error={takeOver.error} />
          <Text size="sm">
            The old link ends, and a new one of yours has its address. Its clicks are counted from zero; what the old
            one counted stays with its owner.
          </Text>
          <DestinationInput label="Destination" required data-autofocus {...form.getInputProps("url")} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={takeOver.isPending}>
              Take over
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
  const disable = useMutation({
    mutationFn: ({ slug }: InheritedLink) =>
      unwrap(api.domains[":id"].links[":slug"].disable.$post({ param: { id: domain.id, slug } })),
    onSuccess: ({ slug }) => {
      notifySuccess(`${domain.domain}/${slug} was disabled`);
      return queries.invalidateQueries({ queryKey: inheritedLinksKey(mode, domain) });
    },
    onError: (error) => notifyError("The link was not disabled", error),
  });
  return (link) =>
    modals.openConfirmModal({
      title: "Disable this link?",
      children: (
        <Text size="sm">
          <strong>
            {link.domain}/{link.slug}
          </strong>{" "}
          stops working within seconds, also where it is printed. To use the address again, take it over.
        </Text>
      ),
      labels: { confirm: "Disable link", cancel: "Leave it" },
      confirmProps: { color: "red.9" },
      onConfirm: () => disable.mutate(link),
    });
}

function inheritedLinksKey(mode: string, { id }: Domain): string[] {
  return [mode, "inherited-links", id];
}
