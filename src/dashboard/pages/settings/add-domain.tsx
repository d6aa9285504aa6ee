/** Dialog that adds a domain. Its card then shows the DNS records to set. */
import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";

import { useAbortableMutation } from "../../api/mutations.ts";
import { ApiError } from "../../api/api-error.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { FormError } from "../../components/form.tsx";
import { readableHost } from "../../formatting/hosts.ts";
import { notifySuccess } from "../../notifications.ts";
import { addDomainTexts as texts } from "../../texts/settings.ts";

export function AddDomain({ onClose }: { onClose: () => void }) {
  const { api, mode } = useApi();
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { domain: "" },
    validate: { domain: (value) => (value.trim() ? null : texts.missing) },
  });
  const add = useAbortableMutation({
    mutationFn: (_: void, signal) =>
      unwrap(api.domains.$post({ json: { domain: form.getValues().domain.trim() } }, { init: { signal } })),
    onSuccess: ({ domain }) => {
      notifySuccess(texts.added(readableHost(domain)));
      onClose();
      return queries.invalidateQueries({ queryKey: [mode, "domains"] });
    },
    onError: (error) => error instanceof ApiError && form.setErrors(error.fieldErrors()),
  });
  return (
    <Modal opened onClose={onClose} title={texts.title}>
      <form onSubmit={form.onSubmit(() => add.mutate())} noValidate>
        <Stack>
          <FormError error={add.error} />
          <TextInput
            label={texts.domain}
            description={texts.hint}
            placeholder="go.example.com"
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            required
            data-autofocus
            {...form.getInputProps("domain")}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {texts.cancel}
            </Button>
            <Button type="submit" loading={add.isPending}>
              {texts.add}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
