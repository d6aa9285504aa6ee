/** UTM templates of the account: list, creation, change, removal. */
import { Code, Group, Paper, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { UtmTemplate } from "../../../core/contract/dashboard.ts";
import { UTM_TEMPLATE_NAME_MAX_CHARS } from "../../../core/limits.ts";
import { utmQuery } from "../../../core/links/utm-parameters.ts";
import { UTM_PARAMETERS } from "../../../core/visitors/utm.ts";
import { utmTemplatesQuery } from "../../api/account.ts";
import { apiClients, queryClient, unwrap } from "../../api/client.ts";
import { AddButton, SmallButton } from "../../components/buttons.tsx";
import { useRemoval } from "../../components/confirm-removal.tsx";
import { Form, FormButtons, FormModal, useSavedForm } from "../../components/form.tsx";
import { EmptyState, ListSkeleton, Loaded } from "../../components/states.tsx";
import { icon } from "../../icons.tsx";
import { utmTexts } from "../../texts/link-form.ts";
import { utmTemplateTexts as texts } from "../../texts/settings.ts";
import { SettingsLayout } from "./settings-layout.tsx";

const api = apiClients.live["utm-templates"];

export default function UtmTemplates() {
  const templates = useQuery(utmTemplatesQuery);
  const [edited, setEdited] = useState<UtmTemplate | "new">();
  const create = () => setEdited("new");
  return (
    <SettingsLayout
      title={texts.title}
      description={texts.hint}
      actions={<AddButton onClick={create}>{texts.create}</AddButton>}
    >
      <Loaded query={templates} skeleton={<ListSkeleton rows={3} height={72} />}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState icon={icon("tag", 30)} title={texts.none} action={texts.createFirst} onAction={create}>
              {texts.example[0]}
              <Code>{utmQuery(texts.exampleValues)}</Code>
              {texts.example[1]}
            </EmptyState>
          ) : (
            <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }} aria-label={texts.title}>
              {data.map((template) => (
                <TemplateCard key={template.id} template={template} onEdit={() => setEdited(template)} />
              ))}
            </Stack>
          )
        }
      </Loaded>
      {edited && <TemplateForm template={edited === "new" ? undefined : edited} onClose={() => setEdited(undefined)} />}
    </SettingsLayout>
  );
}

function TemplateCard({ template, onEdit }: { template: UtmTemplate; onEdit: () => void }) {
  const { id, name } = template;
  const removal = useRemoval({
    texts: texts.removal,
    remove: () => unwrap(api[":id"].$delete({ param: { id } })),
    refreshed: utmTemplatesQuery.queryKey,
  });
  return (
    <Paper component="li" withBorder p="md" aria-label={name}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={6} style={{ flex: "1 1 16rem", minWidth: 0, overflowWrap: "anywhere" }}>
          <Text fw={600}>{name}</Text>
          <Code style={{ whiteSpace: "normal" }}>{utmQuery(template)}</Code>
        </Stack>
        <Group gap="xs">
          <SmallButton onClick={onEdit} aria-label={texts.editOne(name)}>
            {texts.edit}
          </SmallButton>
          <SmallButton onClick={() => removal.ask(id, name)} aria-label={texts.deleteOne(name)}>
            {texts.delete}
          </SmallButton>
        </Group>
      </Group>
    </Paper>
  );
}

const EMPTY = { name: "", utm_source: "", utm_medium: "", utm_campaign: "", utm_term: "", utm_content: "" };

/** Dialog that creates a template, or changes an existing one. */
function TemplateForm({ template, onClose }: { template: UtmTemplate | undefined; onClose: () => void }) {
  const { form, draft, save } = useSavedForm<typeof EMPTY, UtmTemplate>({
    name: `utm-template:${template?.id ?? "new"}`,
    initialValues: Object.assign({}, EMPTY, template),
    validate: { name: (value) => (value.trim() ? null : texts.nameMissing) },
    send: ({ name, ...values }, init) => {
      const filled = UTM_PARAMETERS.filter((parameter) => values[parameter].trim() !== "");
      const json = { name, ...Object.fromEntries(filled.map((parameter) => [parameter, values[parameter]])) };
      return unwrap(template ? api[":id"].$put({ param: { id: template.id }, json }, init) : api.$post({ json }, init));
    },
    saved: ({ name }) => texts.saved(name),
    refresh: () => queryClient.invalidateQueries(utmTemplatesQuery),
    onClose,
  });
  return (
    <FormModal onClose={onClose} title={template ? texts.editTitle : texts.createTitle}>
      <Form form={form} onSubmit={save.mutate} error={save.error} draft={draft}>
        <TextInput
          label={texts.name}
          maxLength={UTM_TEMPLATE_NAME_MAX_CHARS}
          required
          data-autofocus
          {...form.getInputProps("name")}
        />
        {UTM_PARAMETERS.map((parameter) => (
          <TextInput
            key={parameter}
            label={utmTexts.labels[parameter]}
            placeholder={utmTexts.placeholders[parameter]}
            description={parameter}
            inputWrapperOrder={["label", "input", "description", "error"]}
            autoComplete="off"
            {...form.getInputProps(parameter)}
          />
        ))}
        <FormButtons isPending={save.isPending} />
      </Form>
    </FormModal>
  );
}
