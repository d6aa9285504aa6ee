/** Deletes something permanently after a confirmation, and reports the result in a toast. */
import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

import { type NotifiedMutation, useNotifiedMutation } from "../api/mutations.ts";
import { buttonTexts } from "../texts/shell.ts";
import { askToConfirm } from "../notifications.ts";

interface Removal<T> extends Pick<NotifiedMutation<unknown, unknown>, "refreshed" | "onSuccess" | "explain"> {
  remove: (removed: T) => Promise<unknown>;
  texts: {
    title: string;
    /** The texts before and after the name. */
    warning: readonly [before: string, after: string];
    /** Label of the button. */
    confirm: string;
    done: (name: string) => string;
    failed: string;
  };
}

export function useRemoval<T>({ remove, texts, ...mutation }: Removal<T>) {
  const { mutate, isPending } = useNotifiedMutation({
    mutationFn: ({ removed }: { removed: T; name: string }) => remove(removed),
    done: ({ name }) => texts.done(name),
    failed: texts.failed,
    subjectOf: ({ name }) => name,
    ...mutation,
  });
  const [before, after] = texts.warning;
  /** @param choice  shown below the warning */
  const ask = (removed: T, name: string, choice?: ReactNode) =>
    askToConfirm({
      title: texts.title,
      children: (
        <Stack>
          <Text size="sm">
            {before}
            <strong>{name}</strong>
            {after}
          </Text>
          {choice}
        </Stack>
      ),
      labels: { confirm: texts.confirm, cancel: buttonTexts.keep },
      confirmProps: { color: "red.9" },
      cancelProps: { "data-autofocus": true },
      onConfirm: () => mutate({ removed, name }),
    });
  return { ask, isPending };
}
