/** Dialog that saves the current view of the list under a name, and deletes saved views. */
import { Group, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { SAVED_VIEW_MAX_BYTES, SAVED_VIEW_NAME_MAX_CHARS } from "../../../core/limits.ts";
import { apiClients, unwrap } from "../../api/client.ts";
import { useNotifiedMutation } from "../../api/mutations.ts";
import { IconButton } from "../../components/buttons.tsx";
import { FormButtons, FormDraft, FormModal } from "../../components/form.tsx";
import { useDraftState } from "../../components/use-draft.ts";
import { icon } from "../../icons.tsx";
import { savedViewTexts as texts } from "../../texts/links.ts";
import { savedViewsQuery } from "./list-settings.ts";

interface SavedViewsProps {
  /** Of the current view; empty if it has neither filters nor another order. */
  query: string;
  onClose: () => void;
}

export default function SavedViews({ query, onClose }: SavedViewsProps) {
  const { data: views = [] } = useQuery(savedViewsQuery);
  const [{ name }, change, draft] = useDraftState("saved-view", { name: "" });
  const refreshed = savedViewsQuery.queryKey;
  const save = useNotifiedMutation({
    mutationFn: () => unwrap(apiClients.live["saved-views"].$put({ json: { name: name.trim(), query } })),
    done: () => texts.saved(name.trim()),
    failed: texts.notSaved,
    refreshed,
    onSuccess: () => {
      draft.done();
      onClose();
    },
  });
  const remove = useNotifiedMutation({
    mutationFn: (removed: string) => unwrap(apiClients.live["saved-views"].$delete({ query: { name: removed } })),
    done: texts.deleted,
    failed: texts.notDeleted,
    refreshed,
  });
  const isReplaced = views.some((view) => view.name === name.trim());
  const problem = query === "" ? texts.nothingToSave : query.length > SAVED_VIEW_MAX_BYTES ? texts.tooLong : null;
  return (
    <FormModal onClose={onClose} title={texts.title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== "" && problem === null) save.mutate();
        }}
      >
        <Stack>
          <FormDraft draft={draft} />
          {problem === null ? (
            <TextInput
              label={texts.name}
              description={isReplaced ? texts.replaces : texts.nameHint}
              data-autofocus
              maxLength={SAVED_VIEW_NAME_MAX_CHARS}
              value={name}
              onChange={(event) => change({ name: event.currentTarget.value })}
            />
          ) : (
            <Text size="sm">{problem}</Text>
          )}
          {views.length > 0 && (
            <Stack component="ul" gap={4} m={0} p={0} aria-label={texts.title} style={{ listStyle: "none" }}>
              {views.map((view) => (
                <Group component="li" key={view.name} justify="space-between" wrap="nowrap">
                  <Text size="sm" truncate title={view.name}>
                    {view.name}
                  </Text>
                  <IconButton
                    label={texts.delete(view.name)}
                    sign={icon("trash", 16)}
                    onClick={() => remove.mutate(view.name)}
                  />
                </Group>
              ))}
            </Stack>
          )}
          <FormButtons
            submit={texts.save}
            isPending={save.isPending}
            disabled={problem !== null || name.trim() === ""}
          />
        </Stack>
      </form>
    </FormModal>
  );
}
