/** Dialog that replaces a text in the destinations of the selected links, and shows each change before it is made. */
import { Checkbox, ScrollArea, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";

import type { Link, UpdateLink } from "../../../core/contract/links.ts";
import { URL_MAX_CHARS } from "../../../core/limits.ts";
import { useAccount } from "../../api/account.ts";
import { Hint } from "../../components/hint.tsx";
import { useDraftState } from "../../components/use-draft.ts";
import { linkName } from "../../formatting/hosts.ts";
import { bulkDestinationTexts as texts } from "../../texts/links.ts";
import { BulkDialog, type BulkDialogProps, expectedRevision } from "./bulk-dialog.tsx";
import { replaceDestinations } from "./link-form.ts";

/** Rules of a hundred links may have thousands. */
const SHOWN_MAX = 300;

const NO_TEXTS = { find: "", replacement: "", isEverywhere: true };

export function BulkDestination(props: BulkDialogProps) {
  const [{ find, replacement, isEverywhere }, change, draft] = useDraftState("bulk-destination", NO_TEXTS);
  // Changed links could contain the text again.
  const [refused, setRefused] = useState<ReadonlySet<string>>();
  const links = refused ? props.links.filter(({ id }) => refused.has(id)) : props.links;
  const { data: account } = useAccount();
  const parts = { rules: isEverywhere && account?.plan === "premium", fallback: isEverywhere };
  const changesOf = (link: Link): UpdateLink | null => replaceDestinations(link, find, replacement, parts).changes;
  const changed = links.flatMap((link) => {
    const { changes, texts: lines } = replaceDestinations(link, find, replacement, parts);
    return changes ? [{ link, lines }] : [];
  });
  const lines = changed.flatMap(({ link, lines }) => lines.map((line) => ({ link, ...line })));
  return (
    <BulkDialog
      {...props}
      onSelect={(ids) => {
        setRefused(new Set(ids));
        props.onSelect(ids);
      }}
      size="lg"
      title={texts.title(props.links.length)}
      submitLabel={texts.submit(changed.length)}
      request={
        changed.length === 0
          ? null
          : {
              kind: "update",
              changes: (link) => {
                const changes = changesOf(link);
                return changes && { ...changes, ...expectedRevision(link) };
              },
            }
      }
      doneMessage={texts.done}
      draft={draft}
    >
      <TextInput
        label={texts.find}
        description={texts.findHint}
        placeholder="https://old.example.com/"
        data-autofocus
        {...TEXT_INPUT}
        value={find}
        onChange={(event) => change({ find: event.currentTarget.value })}
      />
      <TextInput
        label={texts.replacement}
        placeholder="https://new.example.com/"
        {...TEXT_INPUT}
        value={replacement}
        onChange={(event) => change({ replacement: event.currentTarget.value })}
      />
      <Checkbox
        label={texts.everywhere}
        checked={isEverywhere}
        onChange={(event) => change({ isEverywhere: event.currentTarget.checked })}
      />
      <Hint role="status">{find === "" ? texts.needsText : texts.preview(changed.length, links.length)}</Hint>
      {lines.length > 0 && (
        <ScrollArea.Autosize
          type="auto"
          mah={280}
          viewportProps={{ tabIndex: 0, role: "region", "aria-label": texts.changes }}
        >
          <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none", overflowWrap: "anywhere" }}>
            {lines.slice(0, SHOWN_MAX).map(({ link, before, after, isUrl }, i) => (
              <li key={i}>
                <Text size="sm" fw={600}>
                  {linkName(link)}
                </Text>
                <Text component="del" display="block" size="sm" c="dimmed" td="line-through">
                  {before}
                </Text>
                <Text component="ins" display="block" size="sm" td="none" {...(isUrl ? {} : { c: "red" })}>
                  {after}
                  {!isUrl && ` (${texts.noUrl})`}
                </Text>
              </li>
            ))}
          </Stack>
          {lines.length > SHOWN_MAX && <Hint mt="sm">{texts.more(lines.length - SHOWN_MAX)}</Hint>}
        </ScrollArea.Autosize>
      )}
    </BulkDialog>
  );
}

const TEXT_INPUT = {
  autoComplete: "off",
  autoCapitalize: "none",
  spellCheck: false,
  maxLength: URL_MAX_CHARS,
} as const;
