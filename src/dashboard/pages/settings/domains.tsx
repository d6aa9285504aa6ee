/** Domain settings: the account's domains in the current mode. */
import { Button, Modal, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useForm } from "@mantine/form";

import { ApiError } from "../../api/api-error.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { domainsQuery } from "../../api/domains.ts";
import { useAbortableMutation } from "../../api/mutations.ts";
import { FormButtons, FormError } from "../../components/form.tsx";
import { EmptyState, ErrorState, ListSkeleton } from "../../components/states.tsx";
import { readableHost } from "../../formatting/hosts.ts";
import { IconPlus, IconWorld } from "../../icons.tsx";
import { useMode } from "../../mode.ts";
import { notifySuccess } from "../../notifications.ts";
import { addDomainTexts, domainTexts as texts } from "../../texts/settings.ts";
import { DomainCard } from "./domain-card.tsx";
import classes from "./domains.module.css";
import { SettingsLayout } from "./settings-layout.tsx";

export default function Domains() {
  const { mode } = useMode();
  const [adding, add] = useDisclosure();
  const domains = useQuery(domainsQuery(mode));
  return (
    <SettingsLayout
      title={texts.title}
      description={texts.hint}
      actions={
        <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={add.open}>
          {texts.add}
        </Button>
      }
    >
      {domains.isPending && <ListSkeleton rows={2} height={140} />}
      {domains.error && <ErrorState error={domains.error} retry={() => void domains.refetch()} />}
      {domains.data?.length === 0 && (
        <EmptyState
          icon={<IconWorld size={30} />}
          title={texts.none[mode]}
          action={<Button onClick={add.open}>{texts.addFirst}</Button>}
        >
          {texts.noneHint}
        </EmptyState>
      )}
      {domains.data && domains.data.length > 0 && (
        <ul className={classes.list} aria-label={texts.list}>
          {domains.data.map((domain) => (
            <DomainCard key={domain.id} domain={domain} />
          ))}
        </ul>
      )}
      {adding && <AddDomain onClose={add.close} />}
    </SettingsLayout>
  );
}

/** Dialog that adds a domain. Its card then shows the DNS records to set. */
function AddDomain({ onClose }: { onClose: () => void }) {
  const { api, mode } = useApi();
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { domain: "" },
    validate: { domain: (value) => (value.trim() ? null : addDomainTexts.missing) },
  });
  const add = useAbortableMutation({
    mutationFn: (_: void, signal) =>
      unwrap(api.domains.$post({ json: { domain: form.getValues().domain.trim() } }, { init: { signal } })),
    onSuccess: ({ domain }) => {
      notifySuccess(addDomainTexts.added(readableHost(domain)));
      onClose();
      return queries.invalidateQueries({ queryKey: [mode, "domains"] });
    },
    onError: (error) => error instanceof ApiError && form.setErrors(error.fieldErrors()),
  });
  return (
    <Modal opened onClose={onClose} title={addDomainTexts.title}>
      <form onSubmit={form.onSubmit(() => add.mutate())} noValidate>
        <Stack>
          <FormError error={add.error} />
          <TextInput
            label={addDomainTexts.domain}
            description={addDomainTexts.hint}
            placeholder="go.example.com"
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            required
            data-autofocus
            {...form.getInputProps("domain")}
          />
          <FormButtons onCancel={onClose} submit={addDomainTexts.add} isPending={add.isPending} />
        </Stack>
      </form>
    </Modal>
  );
}
