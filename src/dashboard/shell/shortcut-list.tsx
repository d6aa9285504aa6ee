/** The list of keyboard shortcuts. */
import { Group, Kbd, Modal, Stack, Text } from "@mantine/core";

import { linkListTexts } from "../texts/links.ts";
import { PALETTE_KEY, shortcutTexts as texts } from "../texts/shell.ts";

/** Those of the list are in `row-commands.tsx`. */
const SHORTCUTS: { title: string; keys: [key: string, effect: string][] }[] = [
  {
    title: texts.everywhere,
    keys: [
      [PALETTE_KEY, texts.palette],
      ["/", texts.search],
      ["C", texts.create],
      ["?", texts.list],
    ],
  },
  {
    title: texts.links,
    keys: [
      ["J", texts.next],
      ["K", texts.previous],
    ],
  },
  {
    title: texts.link,
    keys: [
      ["Enter", linkListTexts.open],
      ["X", texts.select],
      ["Shift X", texts.selectRange],
      ["E", linkListTexts.edit],
      ["D", linkListTexts.duplicate],
      ["Y", linkListTexts.copy],
      ["P", texts.pause],
      ["A", texts.archive],
      ["Delete", linkListTexts.delete],
    ],
  },
];

export default function ShortcutList({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title={texts.title} size="sm">
      <Stack gap="xs">
        {SHORTCUTS.map(({ title, keys }) => (
          <Stack key={title} gap="xs" component="section" aria-label={title}>
            <Text size="xs" fw={600} c="dimmed" mt="xs">
              {title}
            </Text>
            {keys.map(([key, effect]) => (
              <Group key={key} justify="space-between" wrap="nowrap">
                <Text size="sm">{effect}</Text>
                <Kbd>{key}</Kbd>
              </Group>
            ))}
          </Stack>
        ))}
      </Stack>
    </Modal>
  );
}
