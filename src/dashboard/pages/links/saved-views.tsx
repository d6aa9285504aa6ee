/** Dialog that saves the current view of the list under a name, and deletes saved views. */
import { Group, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { SAVED_VIEW_MAX_BYTES, SAVED_VIEW_NAME_MAX_CHARS } from "../../../core/limits.ts";
import { apiClients, queryClient, unwrap } from "../../api/client.ts";
import { useNotifiedMutation } from "../../api/mutations.ts";
import { IconButton } from "../../components/buttons.tsx";
import { Form, FormButtons, FormModal, useSavedForm } from "../../components/form.tsx";
import { icon } from "../../icons.tsx";
import { savedViewTexts as texts } from "../../texts/links.ts";
import { savedViewsQuery } from "./links-view.ts";

const api = apiClients.live["saved-views"];

interface SavedViewsProps {
  /** The current view, as in the page's address; empty if it has neither filters nor another order. */
  query: string;
  onClose: () => void;
}

export default function SavedViews({ query, onClose }: SavedViewsProps) {
  const { data: views = [] } = useQuery(savedViewsQuery);
  const { form, draft, save } = useSavedForm({
    name: "saved-view",
    initialValues: { name: "" },
    send: ({ name }, init) => unwrap(api.$put({ json: { name: name.trim(), query } }, init)),
    saved: ({ name }) => texts.saved(name),
    refresh: () => queryClient.invalidateQueries(savedViewsQuery),
    onClose,
  });
  const remove = useNotifiedMutation({
    mutationFn: (removed: string) => unwrap(api.$delete({ query: { name: removed } })),
    done: texts.deleted,
    failed: texts.notDeleted,
    refreshed: savedViewsQuery.queryKey,
    subjectOf: (removed) => removed,
  });
  const typed = form.values.name.trim();
  const problem = query === "" ? texts.nothingToSave : query.length > SAVED_VIEW_MAX_BYTES ? texts.tooLong : null;
  return (
    <FormModal onClose={onClose} title={texts.title}>
      <Form form={form} onSubmit={save.mutate} error={save.error} draft={draft}>
        {problem === null ? (
          <TextInput
            label={texts.name}
            description={views.some(({ name }) => name === typed) ? texts.replaces : texts.nameHint}
            data-autofocus
            maxLength={SAVED_VIEW_NAME_MAX_CHARS}
            {...form.getInputProps("name")}
          />
        ) : (
          <Text size="sm">{problem}</Text>
        )}
        {views.length > 0 && (
          <Stack component="ul" gap={4} m={0} p={0} aria-label={texts.title} style={{ listStyle: "none" }}>
            {views.map(({ name }) => (
              <Group component="li" key={name} justify="space-between" wrap="nowrap">
                <Text size="sm" truncate title={name}>
                  {name}
                </Text>
                <IconButton label={texts.delete(name)} sign={icon("trash", 16)} onClick={() => remove.mutate(name)} />
              </Group>
            ))}
          </Stack>
        )}
        <FormButtons submit={texts.save} isPending={save.isPending} disabled={problem !== null || typed === ""} />
      </Form>
    </FormModal>
  );
}
