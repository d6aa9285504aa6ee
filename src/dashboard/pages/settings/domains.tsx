/** Domain settings: the account's domains in the current mode. */
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";

import type { Mode } from "../../../core/account.ts";
import type { Domain } from "../../../core/contract/domains.ts";
import { configQuery } from "../../api/account.ts";
import { queryClient, unwrap, useApi } from "../../api/client.ts";
import { domainsQuery } from "../../api/domains.ts";
import { AddButton } from "../../components/buttons.tsx";
import { ExactInput } from "../../components/destination-input.tsx";
import { Form, FormButtons, FormModal, useSavedForm } from "../../components/form.tsx";
import { EmptyState, ListSkeleton, Loaded } from "../../components/states.tsx";
import { readableHost } from "../../formatting/hosts.ts";
import { icon } from "../../icons.tsx";
import { useMode } from "../../mode.ts";
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
      actions={<AddButton onClick={add.open}>{texts.add}</AddButton>}
    >
      <Loaded query={domains} skeleton={<ListSkeleton rows={2} height={140} />}>
        {(list) => <DomainList domains={list} mode={mode} onAdd={add.open} />}
      </Loaded>
      {adding && <AddDomain onClose={add.close} />}
    </SettingsLayout>
  );
}

interface DomainListProps {
  domains: readonly Domain[];
  mode: Mode;
  onAdd: () => void;
}

function DomainList({ domains, mode, onAdd }: DomainListProps) {
  const { data: config } = useQuery(configQuery);
  if (domains.length === 0) {
    return (
      <EmptyState
        icon={icon("world", 30)}
        title={texts.none[mode]}
        example={config && texts.example(config.short_domains[mode])}
        action={texts.addFirst}
        onAction={onAdd}
      >
        {texts.noneHint}
      </EmptyState>
    );
  }
  return (
    <ul className={classes.list} aria-label={texts.title}>
      {domains.map((domain) => (
        <DomainCard key={domain.id} domain={domain} />
      ))}
    </ul>
  );
}

/** Dialog that adds a domain. Its card then shows the DNS records to set. */
function AddDomain({ onClose }: { onClose: () => void }) {
  const { api, mode } = useApi();
  const { form, draft, save } = useSavedForm({
    name: "new-domain",
    initialValues: { domain: "" },
    validate: { domain: (value) => (value.trim() ? null : addDomainTexts.missing) },
    send: ({ domain }, init) => unwrap(api.domains.$post({ json: { domain: domain.trim() } }, init)),
    saved: ({ domain }) => addDomainTexts.added(readableHost(domain)),
    refresh: () => queryClient.invalidateQueries(domainsQuery(mode)),
    onClose,
  });
  return (
    <FormModal onClose={onClose} title={addDomainTexts.title}>
      <Form form={form} onSubmit={save.mutate} error={save.error} draft={draft}>
        <ExactInput
          label={addDomainTexts.domain}
          description={addDomainTexts.hint}
          placeholder="go.example.com"
          required
          data-autofocus
          {...form.getInputProps("domain")}
        />
        <FormButtons submit={addDomainTexts.add} isPending={save.isPending} />
      </Form>
    </FormModal>
  );
}
