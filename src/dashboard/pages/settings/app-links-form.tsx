/** Form for the files with which apps open links of a domain: as fields, or as JSON. */
import { SegmentedControl, Stack, Text, Textarea, TextInput } from "@mantine/core";
import type { useForm } from "@mantine/form";

import type { Domain } from "../../../core/contract/domains.ts";
import { errorMessage } from "../../api/api-error.ts";
import { queryClient, unwrap, useApi } from "../../api/client.ts";
import { domainsQuery } from "../../api/domains.ts";
import { Form, FormButtons, FormModal, useSavedForm } from "../../components/form.tsx";
import { trimmed, ValuesInput } from "../../components/values-input.tsx";
import { readableHost } from "../../formatting/hosts.ts";
import { appLinkTexts as texts } from "../../texts/settings.ts";
import {
  APP_FIELDS,
  type AppField,
  appLinksErrors,
  type AppLinksForm,
  appLinksFormOf,
  filesOf,
  inOtherView,
} from "./app-links.ts";

const VIEWS = (["form", "json"] as const).map((value) => ({ value, label: texts.views[value] }));

const PLAIN_INPUT = { autoCapitalize: "none", autoComplete: "off", spellCheck: false } as const;
const JSON_INPUT = { ...PLAIN_INPUT, autosize: true, minRows: 5, maxRows: 16 } as const;

type Fields = Pick<ReturnType<typeof useForm<AppLinksForm>>, "getInputProps">;

export default function AppLinksDialog({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const { api, mode } = useApi();
  const { form, draft, save } = useSavedForm<AppLinksForm, Domain>({
    name: `app-links:${domain.id}`,
    initialValues: appLinksFormOf(domain.well_known ?? {}),
    validate: appLinksErrors,
    send: (values, init) => {
      const json = { well_known: filesOf(values) };
      return unwrap(api.domains[":id"].$patch({ param: { id: domain.id }, json }, init));
    },
    saved: () => texts.saved,
    refresh: () => queryClient.invalidateQueries(domainsQuery(mode)),
    onClose,
  });
  // The API's problems name files, not the fields of this form.
  const message = form.errors.view ? texts.onlyJson : save.error ? errorMessage(save.error) : null;
  const changeView = () => {
    const other = inOtherView(form.values);
    if (other) form.setValues(other);
    form.setErrors(other ? {} : { view: true, ...appLinksErrors(form.values) });
  };
  return (
    <FormModal onClose={onClose} title={texts.title(readableHost(domain.domain))} size="lg">
      <Form form={form} onSubmit={save.mutate} error={message && new Error(message)} draft={draft}>
        <Text size="sm">{texts.hint}</Text>
        <SegmentedControl aria-label={texts.view} data={VIEWS} value={form.values.view} onChange={changeView} />
        {APP_FIELDS.map(({ file, fields }) =>
          form.values.view === "form" ? (
            <Stack key={file} gap="sm" role="group" aria-label={texts.platforms[file]}>
              <Text fw={600}>{texts.platforms[file]}</Text>
              {fields.map((name) => (
                <AppField key={name} form={form} name={name} />
              ))}
            </Stack>
          ) : (
            <Textarea key={file} label={texts.files[file]} {...JSON_INPUT} {...form.getInputProps(file)} />
          ),
        )}
        <FormButtons isPending={save.isPending} />
      </Form>
    </FormModal>
  );
}

/** A field with one text, or with a list of them. */
function AppField({ form, name }: { form: Fields; name: AppField }) {
  const { value, onChange, ...input } = form.getInputProps(name) as {
    value: string | string[];
    onChange: (value: unknown) => void;
  };
  const shown = { ...texts.fields[name], ...PLAIN_INPUT, ...(value.length > 0 && { placeholder: "" }), ...input };
  if (typeof value === "string") return <TextInput {...shown} value={value} onChange={onChange} />;
  const clean = name === "fingerprints" ? { clean: capitals } : {};
  return <ValuesInput {...shown} {...clean} splitChars={[",", " "]} value={value} onChange={onChange} />;
}

/** Google's tools print fingerprints in either case; its documentation requires capitals. */
function capitals(values: readonly string[]): string[] {
  return trimmed(values.map((value) => value.toUpperCase()));
}
