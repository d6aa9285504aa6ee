/** Actions on a link: deleting it, and pausing and archiving, which set or clear a member where it is not yet. */
import { Checkbox, type Menu as MantineMenu } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactElement } from "react";

import type { Link } from "../../../core/contract/links.ts";
import { queryClient, unwrap, useApi } from "../../api/client.ts";
import { useRemoval } from "../../components/confirm-removal.tsx";
import { linkName } from "../../formatting/hosts.ts";
import { icon } from "../../icons.tsx";
import { notifyError, notifySuccess } from "../../notifications.ts";
import { deleteLinkTexts, linkListTexts, switchTexts } from "../../texts/links.ts";

export const SWITCHES = {
  pause: { changes: { paused: true }, sign: icon("player-pause", 16), key: "P" },
  resume: { changes: { paused: false }, sign: icon("player-play", 16), key: "P" },
  archive: { changes: { archived: true }, sign: icon("archive", 16), key: "A" },
  unarchive: { changes: { archived: false }, sign: icon("archive-off", 16), key: "A" },
} as const;

export type Switch = keyof typeof SWITCHES;

/** The actions that change any of the links. */
export function switchesFor(links: readonly Pick<Link, "paused" | "archived">[]): Switch[] {
  return (Object.keys(SWITCHES) as Switch[]).filter((name) => {
    const changes = Object.entries(SWITCHES[name].changes) as ["paused" | "archived", boolean][];
    return links.some((link) => changes.some(([member, value]) => Boolean(link[member]) !== value));
  });
}

export function useSwitch(): (link: Link, name: Switch) => void {
  const { api, mode } = useApi();
  // Several at once: each sets a state, so that a second one for the same link does no harm.
  const change = useMutation({
    mutationFn: ({ link: { id }, name }: { link: Link; name: Switch }) =>
      unwrap(api.links[":id"].$patch({ param: { id }, json: SWITCHES[name].changes })),
    onSuccess: (_, { link, name }) => notifySuccess(switchTexts[name].done(linkName(link))),
    onError: (error) => notifyError(linkListTexts.notChanged, error),
    // Also after an error: another tab may have deleted the link.
    onSettled: () => {
      for (const part of ["links", "link", "revisions"]) void queryClient.invalidateQueries({ queryKey: [mode, part] });
    },
  });
  return (link, name) => change.mutate({ link, name });
}

interface SwitchItemsProps {
  Menu: typeof MantineMenu;
  link: Link;
  /** Shows the key of an item. */
  hint?: (key: string) => ReactElement;
}

/** Their items in a link's menu. */
export function SwitchItems({ Menu, link, hint }: SwitchItemsProps) {
  const change = useSwitch();
  return switchesFor([link]).map((name) => (
    <Menu.Item
      key={name}
      leftSection={SWITCHES[name].sign}
      rightSection={hint?.(SWITCHES[name].key)}
      onClick={() => change(link, name)}
    >
      {switchTexts[name].label}
    </Menu.Item>
  ));
}

/**
 * Deletes a link after a confirmation, because its slug is never issued again.
 * @param onDeleted  called after the link is deleted
 */
export function useDeleteLink(onDeleted: () => void = () => {}): (link: Link) => void {
  const { api, mode } = useApi();
  const deletion = useRemoval({
    texts: deleteLinkTexts,
    remove: ({ id, erase }: { id: string; erase: boolean }) =>
      unwrap(api.links[":id"].$delete({ param: { id }, query: erase ? { erase: "true" } : {} })),
    refreshed: [mode, "links"],
    onSuccess: onDeleted,
  });
  return (link) => {
    const deleted = { id: link.id, erase: false };
    deletion.ask(
      deleted,
      linkName(link),
      <Checkbox
        label={deleteLinkTexts.erase}
        description={deleteLinkTexts.eraseHint}
        onChange={(event) => (deleted.erase = event.currentTarget.checked)}
      />,
    );
  };
}
